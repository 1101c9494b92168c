package org.flowmon.ingest.decode.exporter;

/**
 * The limits on a decoder's state and work, whatever it receives. Bytes are heap bytes, estimated
 * as in {@code docs/format/exports.md}; µs are of arrival.
 *
 * @param stateBytes the state of all exporters
 * @param strangerBytes what known exporters leave to strangers, who may take more while few are
 *     known
 * @param exporterBytes the state of one exporter: an IPv4 address, a /64 of IPv6
 * @param establishedMicros how long after its first flows an exporter, not forgotten meanwhile,
 *     becomes known by new flows; only then do its sequence numbers' losses count as lost
 * @param idleMicros how long a known exporter may be silent before another may take its place
 * @param templatesPerDomain the one defined longest ago is forgotten
 * @param fieldsPerTemplate longer ones are refused
 * @param scopesPerDomain samplers, and as many interfaces; further ones are not remembered
 * @param flowsPerDatagram further ones are dropped
 * @param templateLifetimeMicros how long a template lives after its last definition
 * @param waitingBytes sets that wait for their template, of all exporters: besides stateBytes
 * @param waitingBytesOfExporter of one exporter
 * @param waitingMicros how long a set waits for its template
 */
public record DecoderLimits(
    long stateBytes,
    long strangerBytes,
    long exporterBytes,
    long establishedMicros,
    long idleMicros,
    int templatesPerDomain,
    int fieldsPerTemplate,
    int scopesPerDomain,
    int flowsPerDatagram,
    long templateLifetimeMicros,
    long waitingBytes,
    long waitingBytesOfExporter,
    long waitingMicros) {
  /** An exporter and its current domains take about a third of it. */
  static final long LEAST_BYTES = 4096;

  private static final long MIB = 1 << 20;
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3600 * SECOND;

  public DecoderLimits {
    if (exporterBytes < LEAST_BYTES
        || strangerBytes < exporterBytes
        || stateBytes < strangerBytes) {
      throw new IllegalArgumentException(
          String.format(
              "expected %s bytes <= exporterBytes <= strangerBytes <= stateBytes, found %s, %s, %s",
              LEAST_BYTES, exporterBytes, strangerBytes, stateBytes));
    }
  }

  /** 64 MiB, 16 of them for strangers, 2 for each exporter, 4 beside; the docs have the rest. */
  public static DecoderLimits defaults() {
    return new DecoderLimits(
        64 * MIB,
        16 * MIB,
        2 * MIB,
        60 * SECOND,
        HOUR,
        1024,
        1024,
        4096,
        8192,
        24 * HOUR,
        4 * MIB,
        MIB / 4,
        HOUR / 2);
  }

  /** A file is no attack on the next one: its sets may wait as long and as many as it has. */
  public DecoderLimits forFiles() {
    return withWaiting(stateBytes, stateBytes, Long.MAX_VALUE);
  }

  public DecoderLimits forOneExporter() {
    return withBytes(stateBytes, stateBytes, stateBytes);
  }

  /** A part of them for each of several decoders, which share the exporters: the same in all. */
  public DecoderLimits sharedBy(int decoders) {
    long strangers = strangerBytes / decoders;
    long exporter = Math.min(exporterBytes, strangers);
    return withBytes(stateBytes / decoders, strangers, exporter)
        .withWaiting(
            waitingBytes / decoders,
            Math.min(waitingBytesOfExporter, waitingBytes / decoders),
            waitingMicros);
  }

  /**
   * Of one connection: nobody can forge its peer's address, so that is no stranger. Templates last
   * as long as it does (RFC 7011 sections 8.1 and 8.4): an exporter need not send them again.
   */
  public DecoderLimits forConnection() {
    return withBytes(2 * MIB, MIB, MIB)
        .withEstablishedAfter(0)
        .withTemplates(templatesPerDomain, fieldsPerTemplate, Long.MAX_VALUE)
        .withWaiting(MIB / 4, MIB / 4, waitingMicros);
  }

  public DecoderLimits withBytes(long state, long strangers, long exporter) {
    return new DecoderLimits(
        state,
        strangers,
        exporter,
        establishedMicros,
        idleMicros,
        templatesPerDomain,
        fieldsPerTemplate,
        scopesPerDomain,
        flowsPerDatagram,
        templateLifetimeMicros,
        waitingBytes,
        waitingBytesOfExporter,
        waitingMicros);
  }

  public DecoderLimits withEstablishedAfter(long micros) {
    return new DecoderLimits(
        stateBytes,
        strangerBytes,
        exporterBytes,
        micros,
        idleMicros,
        templatesPerDomain,
        fieldsPerTemplate,
        scopesPerDomain,
        flowsPerDatagram,
        templateLifetimeMicros,
        waitingBytes,
        waitingBytesOfExporter,
        waitingMicros);
  }

  public DecoderLimits withTemplates(int perDomain, int fields, long lifetimeMicros) {
    return new DecoderLimits(
        stateBytes,
        strangerBytes,
        exporterBytes,
        establishedMicros,
        idleMicros,
        perDomain,
        fields,
        scopesPerDomain,
        flowsPerDatagram,
        lifetimeMicros,
        waitingBytes,
        waitingBytesOfExporter,
        waitingMicros);
  }

  public DecoderLimits withWaiting(long all, long exporter, long micros) {
    return new DecoderLimits(
        stateBytes,
        strangerBytes,
        exporterBytes,
        establishedMicros,
        idleMicros,
        templatesPerDomain,
        fieldsPerTemplate,
        scopesPerDomain,
        flowsPerDatagram,
        templateLifetimeMicros,
        all,
        exporter,
        micros);
  }
}

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
    long templateLifetimeMicros) {
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

  /** 64 MiB, 16 of them for strangers, 2 for each exporter; the docs have the rest. */
  public static DecoderLimits defaults() {
    return new DecoderLimits(
        64 * MIB, 16 * MIB, 2 * MIB, 60 * SECOND, HOUR, 1024, 1024, 4096, 8192, 24 * HOUR);
  }

  public DecoderLimits forOneExporter() {
    return withBytes(stateBytes, stateBytes, stateBytes);
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
        templateLifetimeMicros);
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
        templateLifetimeMicros);
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
        lifetimeMicros);
  }
}

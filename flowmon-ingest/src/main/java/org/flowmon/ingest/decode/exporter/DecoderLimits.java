package org.flowmon.ingest.decode.exporter;

/**
 * What one decoder keeps and does at most, whatever is sent to it. Bytes are of the heap, as {@code
 * docs/format/exports.md} reckons them.
 *
 * @param stateBytes all that is kept of all exporters
 * @param strangerBytes of these, what known exporters leave to others; strangers may take more
 *     while there are few known ones
 * @param exporterBytes all that is kept of one exporter: an IPv4 address, a /64 of IPv6
 * @param establishedMicros how long after its first flows an exporter that was not forgotten
 *     meanwhile is known by the next ones, µs of arrival; only then what its sequence numbers say
 *     was lost counts as lost
 * @param idleMicros how long a known exporter may be silent before another may take its place, µs
 * @param templatesPerDomain templates of one domain; the one defined longest ago is forgotten
 * @param fieldsPerTemplate fields of one template; longer ones are refused
 * @param scopesPerDomain samplers of one domain, and as many interfaces; further ones are not
 *     remembered
 * @param flowsPerDatagram flows of one datagram; further ones are dropped
 * @param templateLifetimeMicros how long a template lives after its last definition, µs of arrival
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
  /** No quota may be smaller: an exporter and its domains at hand take about a third. */
  static final long LEAST_BYTES = 4096;

  private static final long MIB = 1 << 20;
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3600 * SECOND;

  public DecoderLimits {
    if (exporterBytes < LEAST_BYTES
        || strangerBytes < exporterBytes
        || stateBytes < strangerBytes) {
      throw new IllegalArgumentException(
          "expected "
              + LEAST_BYTES
              + " bytes <= exporterBytes <= strangerBytes <= stateBytes, found "
              + exporterBytes
              + ", "
              + strangerBytes
              + ", "
              + stateBytes);
    }
  }

  /** 64 MiB, 16 of them for strangers, 2 for each exporter, and what the docs say. */
  public static DecoderLimits defaults() {
    return new DecoderLimits(
        64 * MIB, 16 * MIB, 2 * MIB, 60 * SECOND, HOUR, 1024, 1024, 4096, 8192, 24 * HOUR);
  }

  /** For an input of which all comes from one exporter: it may take all that there is. */
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

  /** As this, but exporters are known by flows this long (µs) after their first. */
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

package org.flowmon.ingest.decode;

/**
 * What one decoder keeps at most, whatever is sent to it.
 *
 * @param domains observation domains (exporter, port, domain) with their templates, sequence and
 *     sampling; the one that was used least recently is forgotten
 * @param templatesPerDomain templates of one domain; further ones are refused
 * @param fieldsPerTemplate fields of one template; longer ones are refused
 * @param fields fields of all templates; domains are forgotten until they fit
 * @param templateLifetimeMicros how long a template lives after its last definition, µs of arrival
 */
public record DecoderLimits(
    int domains,
    int templatesPerDomain,
    int fieldsPerTemplate,
    int fields,
    long templateLifetimeMicros) {
  private static final long DAY = 24L * 3600 * 1_000_000;

  /** 8192 domains, 1024 templates each, 1024 fields each, a million fields in all, one day. */
  public static DecoderLimits defaults() {
    return new DecoderLimits(8192, 1024, 1024, 1 << 20, DAY);
  }
}

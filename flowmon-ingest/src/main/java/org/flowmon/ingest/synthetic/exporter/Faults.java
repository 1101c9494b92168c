package org.flowmon.ingest.synthetic.exporter;

/**
 * What goes wrong on the way to a collector, as shares 0 … 1.
 *
 * @param templateLoss of the times that templates are due, those at which they are not sent
 * @param loss of the datagrams, those that never arrive
 * @param duplicates of the datagrams that arrive, those that arrive twice
 * @param malformed of the datagrams that arrive, those that no decoder can take as a whole
 */
public record Faults(double templateLoss, double loss, double duplicates, double malformed) {
  public static final Faults NONE = new Faults(0, 0, 0, 0);

  /** How often each came about, and the records that it took away. */
  public record Counts(
      long templatesLost, long lost, long duplicates, long malformed, long recordsLost) {}
}

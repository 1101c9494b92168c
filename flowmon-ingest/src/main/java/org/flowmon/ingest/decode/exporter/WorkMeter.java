package org.flowmon.ingest.decode.exporter;

/**
 * Counts the steps of a decoder: sets, fields of definitions, records and their fields of variable
 * length, evictions. It measures the cost of a datagram without a clock.
 */
public final class WorkMeter {
  private long steps;

  public void add(long more) {
    steps += more;
  }

  public long steps() {
    return steps;
  }
}

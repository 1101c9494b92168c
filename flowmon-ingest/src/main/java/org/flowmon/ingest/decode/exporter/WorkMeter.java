package org.flowmon.ingest.decode.exporter;

/**
 * Counts the steps of a decoder: sets, fields of definitions, records and their fields of variable
 * length, what is forgotten. So that what a datagram costs can be told without a clock.
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

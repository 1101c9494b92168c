package org.flowmon.ingest.decode.exporter;

/**
 * A datagram's cost without a clock: the sets, fields of definitions, records, their fields of
 * variable length, and evictions.
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

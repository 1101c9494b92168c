package org.flowmon.ingest.decode.exporter;

/** Work without a clock: sets, fields of definitions or variable length, records, evictions. */
public final class WorkMeter {
  private long steps;

  public void add(long more) {
    steps += more;
  }

  public long steps() {
    return steps;
  }
}

package org.flowmon.ingest.decode;

/**
 * Counts the steps of a decoder: sets, fields of definitions, records and their fields of variable
 * length, what is forgotten. So that what a datagram costs can be told without a clock.
 */
final class WorkMeter {
  private long steps;

  void add(long more) {
    steps += more;
  }

  long steps() {
    return steps;
  }
}

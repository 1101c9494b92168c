package org.flowmon.bench.archive;

import java.util.List;

/** The columns of the workload's rows, in the order of its files. All values are longs. */
public enum WorkloadColumn {
  /** The end of the flow, seconds since 1970. */
  TS("ts", 1L << 40),
  /** The source, an IPv4 address as an unsigned number. */
  SRC_ADDR("src_ip", 0xFFFF_FFFFL),
  /** The destination, an IPv4 address as an unsigned number. */
  DST_ADDR("dst_ip", 0xFFFF_FFFFL),
  SRC_PORT("src_port", 0xFFFF),
  DST_PORT("dst_port", 0xFFFF),
  PROTOCOL("protocol", 0xFF),
  /** Source to destination. */
  BYTES("bytes_sent", 1L << 40),
  /** Destination to source. */
  REVERSE_BYTES("bytes_recv", 1L << 40),
  /** 0 or 1: begun inside the protected networks. */
  OUTGOING("outgoing", 1),
  /** 0 … 5, a code of how the connection ended. */
  STATE("state", 5),
  /** Milliseconds. */
  DURATION("duration", 0x7FFF_FFFF);

  private static final List<WorkloadColumn> ALL = List.of(values());

  private final String csvName;
  private final long max;

  WorkloadColumn(String csvName, long max) {
    this.csvName = csvName;
    this.max = max;
  }

  /** The largest value; the smallest is 0. */
  long max() {
    return max;
  }

  /** The name in the header of a file. */
  public String csvName() {
    return csvName;
  }

  /** The name in the tables of SQL systems. */
  public String sqlName() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /** All columns in their order. */
  public static List<WorkloadColumn> all() {
    return ALL;
  }
}

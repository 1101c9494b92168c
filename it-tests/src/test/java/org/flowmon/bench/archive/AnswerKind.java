package org.flowmon.bench.archive;

/** The kind of an answer's column; each value is fetched as a long. */
public enum AnswerKind {
  /** A count or a sum. */
  NUMBER,
  /** An IPv4 address as an unsigned number. */
  ADDRESS,
  /** A boolean as 0 or 1. */
  FLAG,
  /** A time in seconds since 1970. */
  SECONDS,
  /** A duration in milliseconds. */
  MILLIS,
  /** Bits of a double. Systems round differently, so it is fetched and not compared. */
  REAL,
  /** A code of how a connection ended, by the workload's numbering. */
  STATE
}

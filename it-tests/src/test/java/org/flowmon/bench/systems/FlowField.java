package org.flowmon.bench.systems;

import java.util.Locale;

/** A field of the stored flows: those of table 3 of the study. */
enum FlowField {
  SRC_EXPORTER(Kind.ADDRESS),
  SECS_FLOWSTART(Kind.SECONDS),
  SECS_FLOWEND(Kind.SECONDS),
  SECS_EXPORT(Kind.SECONDS),
  SRC_ADDR(Kind.ADDRESS),
  SRC_MASK(Kind.BITS8),
  SRC_PORT(Kind.BITS16),
  SRC_AS(Kind.BITS16),
  DST_ADDR(Kind.ADDRESS),
  DST_MASK(Kind.BITS8),
  DST_PORT(Kind.BITS16),
  DST_AS(Kind.BITS16),
  INPUT_IF(Kind.BITS16),
  OUTPUT_IF(Kind.BITS16),
  NEXT_HOP(Kind.ADDRESS),
  NUM_PACKETS(Kind.BITS32),
  NUM_BYTES(Kind.BITS32),
  IP_PROT(Kind.BITS8),
  TCP_FLAGS(Kind.BITS8),
  IP_TOS(Kind.BITS8);

  /** What values are, all of them unsigned numbers. */
  enum Kind {
    /** An IPv4 address. */
    ADDRESS,
    /** Seconds since 1970. */
    SECONDS,
    BITS8,
    BITS16,
    BITS32
  }

  private final Kind kind;

  FlowField(Kind kind) {
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }

  /** The name in tables of databases. */
  String column() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package org.flowmon.bench.systems;

import java.util.Locale;
import java.util.function.ToLongFunction;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/** A field of the stored flows: those of table 3 of the study, all unsigned numbers. */
enum FlowField {
  SRC_EXPORTER(Kind.ADDRESS, flow -> StudyFlows.ROUTER.address().lo()),
  SECS_FLOWSTART(Kind.SECONDS, flow -> flow.startMillis / 1000),
  SECS_FLOWEND(Kind.SECONDS, flow -> flow.endMillis / 1000),
  SECS_EXPORT(Kind.SECONDS, StudyFlows::exportedSeconds),
  SRC_ADDR(Kind.ADDRESS, flow -> flow.srcLo),
  SRC_MASK(Kind.BITS8, flow -> flow.srcMask),
  SRC_PORT(Kind.BITS16, flow -> flow.srcPort),
  SRC_AS(Kind.BITS16, flow -> flow.srcAs),
  DST_ADDR(Kind.ADDRESS, flow -> flow.dstLo),
  DST_MASK(Kind.BITS8, flow -> flow.dstMask),
  DST_PORT(Kind.BITS16, flow -> flow.dstPort),
  DST_AS(Kind.BITS16, flow -> flow.dstAs),
  INPUT_IF(Kind.BITS16, flow -> flow.inputIf),
  OUTPUT_IF(Kind.BITS16, flow -> flow.outputIf),
  NEXT_HOP(Kind.ADDRESS, flow -> flow.nextHop),
  NUM_PACKETS(Kind.BITS32, flow -> flow.packets),
  NUM_BYTES(Kind.BITS32, flow -> flow.bytes),
  IP_PROT(Kind.BITS8, flow -> flow.protocol),
  TCP_FLAGS(Kind.BITS8, flow -> flow.tcpFlags),
  IP_TOS(Kind.BITS8, flow -> flow.tos);

  /** What decides a column's type. */
  enum Kind {
    /** An IPv4 address. */
    ADDRESS,
    /** Seconds since 1970. */
    SECONDS,
    BITS8,
    BITS16,
    BITS32;

    /** The name in declarations. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Kind kind;

  @SuppressWarnings("ImmutableEnumChecker") // all are functions without state
  private final ToLongFunction<SyntheticFlow> value;

  FlowField(Kind kind, ToLongFunction<SyntheticFlow> value) {
    this.kind = kind;
    this.value = value;
  }

  Kind kind() {
    return kind;
  }

  /** Of an address only the 32 bits of IPv4. */
  long of(SyntheticFlow flow) {
    return value.applyAsLong(flow) & 0xFFFF_FFFFL;
  }

  /** The name in tables of databases. */
  String column() {
    return name().toLowerCase(Locale.ROOT);
  }
}

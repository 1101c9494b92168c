package org.flowmon.ingest.file.format;

import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/**
 * A file's column, named for messages, and its column of flows, null if it is left out.
 *
 * @param zeroIsNull whether 0, or the address 0.0.0.0 or ::, means that nothing is known
 * @param isSpare whether it counts only if no other column of the file has its column of flows
 * @param words values that are no numbers but stand for one; of {@link Form#ONLY} those of a flow
 */
public record TextColumn(
    String name,
    @Nullable FlowColumn column,
    Form form,
    boolean zeroIsNull,
    boolean isSpare,
    Words words) {
  /** The form of a text, which determines its value. */
  public enum Form {
    /** A whole number within the column's range. */
    NUMBER,
    /** A decimal number, which the column's scale makes whole. */
    SCALED,
    /** A whole number, decimal or hexadecimal with {@code 0x}. */
    DECIMAL_OR_HEX,
    /** A whole number, or {@code TYPE.CODE} of ICMP, which is type × 256 + code. */
    PORT_OR_ICMP,
    /** A hexadecimal number, with {@code 0x} or without. */
    HEX,
    /** ISO 8601, or decimal seconds since 1970. */
    TIME,
    /** As {@link #TIME}; a whole number of 12 and more digits is of ms, µs or ns by its size. */
    TIME_ANY,
    /** Whole milliseconds since 1970. */
    TIME_MILLIS,
    /** Whole microseconds since 1970. */
    TIME_MICROS,
    /** Whole nanoseconds since 1970. */
    TIME_NANOS,
    /** Whole nanoseconds that are added to the column's seconds, which come before. */
    MORE_NANOS,
    /** Milliseconds of the exporter's uptime; the row's export time and uptime make it a time. */
    UPTIME,
    /** A duration in decimal seconds. */
    SECONDS,
    /** As {@link #SECONDS}; unknown if it is 2^64 ms less something, which is a negative one. */
    SECONDS_WRAPPED,
    /** A duration in whole milliseconds. */
    MILLIS,
    /** A duration in whole microseconds. */
    MICROS,
    /** Dotted IPv4, IPv6, or IPv4 as an unsigned number. */
    ADDRESS,
    /** 0, 1, true, false, T or F. */
    BOOLEAN,
    /** A number, or its name in Zeek. */
    STATE,
    /** A number one below flowmon's code: the bench's files count states from 0. */
    STATE_FROM_ZERO,
    /** A number, or a protocol's name. */
    PROTOCOL,
    /** A code, one of the words, or the code's own name. */
    CODE,
    /** Letters of TCP's flags among other characters ({@code ...AP.SF}), or a number. */
    FLAGS,
    /** A MAC address; 0 is unknown. */
    MAC,
    /** The number before a hyphen, as nfdump's {@code LABEL-EXP-BOTTOM} of MPLS. */
    LEADING,
    /** The high byte of {@code icmp_type_code}. */
    ICMP_TYPE,
    /** The low byte of {@code icmp_type_code}. */
    ICMP_CODE,
    /** UTF-8. */
    TEXT,
    /** No value: a record with another text than the words is no flow. */
    ONLY,
    /** Not read at all. */
    LEFT_OUT
  }

  public TextColumn(String name, @Nullable FlowColumn column, Form form) {
    this(name, column, form, false, false, Words.NONE);
  }

  static TextColumn of(String name, FlowColumn column) {
    return new TextColumn(name, column, form(column));
  }

  static TextColumn leftOut(String name) {
    return new TextColumn(name, null, Form.LEFT_OUT);
  }

  static Form form(FlowColumn column) {
    if (column == FlowColumn.STATE) {
      return Form.STATE;
    }
    if (column == FlowColumn.PROTOCOL) {
      return Form.PROTOCOL;
    }
    return column.codeNames() == null ? form(column.type()) : Form.CODE;
  }

  private static Form form(ColumnType type) {
    return switch (type) {
      case BOOLEAN -> Form.BOOLEAN;
      case UINT8, UINT16, UINT32, COUNT, NUMBER -> Form.NUMBER;
      case TIMESTAMP -> Form.TIME;
      case DURATION -> Form.MICROS;
      case ADDRESS -> Form.ADDRESS;
      case TEXT -> Form.TEXT;
    };
  }

  /** Whether it has a value of a flow. */
  public boolean isValue() {
    return column != null;
  }

  /** Whether several of its form make one value. */
  boolean isPart() {
    return form == Form.ICMP_TYPE || form == Form.ICMP_CODE || form == Form.MORE_NANOS;
  }

  /** Its column of flows, which it must have: it is not left out. */
  public FlowColumn target() {
    if (column == null) {
      throw new NullPointerException(name + " is left out");
    }
    return column;
  }

  public String expected() {
    return switch (form) {
      case NUMBER, DECIMAL_OR_HEX, HEX, PORT_OR_ICMP ->
          target().type().minValue() + "…" + target().type().maxValue();
      case SCALED -> "a decimal number";
      case TIME, TIME_ANY -> "ISO 8601 or seconds since 1970";
      case TIME_MILLIS -> "milliseconds since 1970";
      case TIME_MICROS -> "microseconds since 1970";
      case TIME_NANOS -> "nanoseconds since 1970";
      case MORE_NANOS -> "nanoseconds below a second";
      case UPTIME -> "milliseconds of uptime";
      case SECONDS, SECONDS_WRAPPED -> "seconds";
      case MILLIS -> "whole milliseconds";
      case MICROS -> "whole microseconds";
      case ADDRESS -> "an IP address";
      case BOOLEAN -> "0, 1, true or false";
      case STATE -> "a code of flowmon's or a state of Zeek's";
      case STATE_FROM_ZERO -> "0…12";
      case PROTOCOL -> "0…255 or a name such as tcp, udp, icmp, icmp6 or sctp";
      case CODE ->
          column == FlowColumn.SOURCE_KIND
              ? "a code or a label such as netflow_v5"
              : "a code or its name";
      case FLAGS -> "letters of flags such as .A..S. or a number";
      case ICMP_TYPE, ICMP_CODE -> "0…255";
      case MAC -> "a MAC address";
      case LEADING -> "a number, then a hyphen";
      case TEXT, ONLY, LEFT_OUT -> "a text";
    };
  }

  public RejectReason reason() {
    return switch (form) {
      case TIME, TIME_ANY, TIME_MILLIS, TIME_MICROS, TIME_NANOS, MORE_NANOS, UPTIME ->
          RejectReason.BAD_TIME;
      case SECONDS, SECONDS_WRAPPED, MILLIS, MICROS -> RejectReason.BAD_TIME;
      case ADDRESS, MAC -> RejectReason.BAD_ADDRESS;
      case BOOLEAN -> RejectReason.BAD_BOOLEAN;
      case STATE, STATE_FROM_ZERO -> RejectReason.BAD_STATE;
      case PROTOCOL -> RejectReason.BAD_PROTOCOL;
      case CODE ->
          column == FlowColumn.SOURCE_KIND ? RejectReason.BAD_SOURCE_KIND : RejectReason.BAD_NUMBER;
      case TEXT, ONLY, LEFT_OUT -> RejectReason.TEXT_TOO_LONG;
      case NUMBER,
          SCALED,
          DECIMAL_OR_HEX,
          HEX,
          PORT_OR_ICMP,
          LEADING,
          FLAGS,
          ICMP_TYPE,
          ICMP_CODE ->
          column == FlowColumn.SRC_PORT || column == FlowColumn.DST_PORT
              ? RejectReason.BAD_PORT
              : RejectReason.BAD_NUMBER;
    };
  }
}

package org.flowmon.ingest.file.format;

import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/** A file's column, named for messages, and its column of flows, null if it is left out. */
public record TextColumn(String name, @Nullable FlowColumn column, Form form) {
  /** The form of a text, which determines its value. */
  public enum Form {
    /** A whole number within the column's range. */
    NUMBER,
    /** ISO 8601, or decimal seconds since 1970. */
    TIME,
    /** Whole milliseconds since 1970. */
    TIME_MILLIS,
    /** Whole microseconds since 1970. */
    TIME_MICROS,
    /** A duration in decimal seconds. */
    SECONDS,
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
    /** A number, or a name of a common protocol. */
    PROTOCOL,
    /** A code, or its name. */
    CODE,
    /** UTF-8. */
    TEXT,
    /** Not read at all. */
    LEFT_OUT
  }

  static TextColumn of(String name, FlowColumn column) {
    return new TextColumn(name, column, form(column));
  }

  private static Form form(FlowColumn column) {
    return switch (column) {
      case STATE -> Form.STATE;
      case PROTOCOL -> Form.PROTOCOL;
      default -> column.codeNames() == null ? form(column.type()) : Form.CODE;
    };
  }

  private static Form form(ColumnType type) {
    return switch (type) {
      case BOOLEAN -> Form.BOOLEAN;
      case UINT8, UINT16, UINT32, COUNT -> Form.NUMBER;
      case TIMESTAMP -> Form.TIME;
      case DURATION -> Form.MICROS;
      case ADDRESS -> Form.ADDRESS;
      case TEXT -> Form.TEXT;
    };
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
      case NUMBER -> target().type().minValue() + "…" + target().type().maxValue();
      case TIME -> "ISO 8601 or seconds since 1970";
      case TIME_MILLIS -> "milliseconds since 1970";
      case TIME_MICROS -> "microseconds since 1970";
      case SECONDS -> "seconds";
      case MILLIS -> "whole milliseconds";
      case MICROS -> "whole microseconds";
      case ADDRESS -> "an IP address";
      case BOOLEAN -> "0, 1, true or false";
      case STATE -> "a code of flowmon's or a state of Zeek's";
      case STATE_FROM_ZERO -> "0…12";
      case PROTOCOL -> "0…255, tcp, udp, icmp, icmp6 or sctp";
      case CODE ->
          column == FlowColumn.SOURCE_KIND
              ? "a code or a label such as netflow_v5"
              : "a code or its name";
      case TEXT, LEFT_OUT -> "a text";
    };
  }

  public RejectReason reason() {
    return switch (form) {
      case TIME, TIME_MILLIS, TIME_MICROS, SECONDS, MILLIS, MICROS -> RejectReason.BAD_TIME;
      case ADDRESS -> RejectReason.BAD_ADDRESS;
      case BOOLEAN -> RejectReason.BAD_BOOLEAN;
      case STATE, STATE_FROM_ZERO -> RejectReason.BAD_STATE;
      case PROTOCOL -> RejectReason.BAD_PROTOCOL;
      case CODE ->
          column == FlowColumn.SOURCE_KIND ? RejectReason.BAD_SOURCE_KIND : RejectReason.BAD_NUMBER;
      case TEXT, LEFT_OUT -> RejectReason.TEXT_TOO_LONG;
      case NUMBER ->
          column == FlowColumn.SRC_PORT || column == FlowColumn.DST_PORT
              ? RejectReason.BAD_PORT
              : RejectReason.BAD_NUMBER;
    };
  }
}

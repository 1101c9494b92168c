package org.flowmon.ingest.file.format;

import java.util.Locale;
import org.flowmon.ingest.file.line.LineReader;

/** The reasons why a line of a log is not a flow; {@code docs/format/files.md} says more. */
public enum RejectReason {
  /** Cut columns, or no log at all. */
  NO_HEADER,
  BAD_HEADER,
  MISSING_FIELDS,
  OTHER_LOG,
  /**
   * A record of something else than a flow, by what it says itself: an alert of Suricata, nfdump's
   * summary. Only counted.
   */
  OTHER_RECORD,
  WRONG_FIELD_COUNT,
  BAD_QUOTES,
  UNKNOWN_COLUMN,
  BAD_JSON,
  /** Bytes that are no message of GoFlow2's protobuf. */
  BAD_MESSAGE,
  MISSING_TIME,
  /** Not a time, or outside the years 1 … 9999. */
  BAD_TIME,
  BAD_ADDRESS,
  BAD_PORT,
  /** Not a number, or outside its column's range. */
  BAD_NUMBER,
  BAD_BOOLEAN,
  BAD_PROTOCOL,
  BAD_SOURCE_KIND,
  BAD_STATE,
  TEXT_TOO_LONG,
  /** More than {@link LineReader#MAX_LINE_BYTES}. */
  LINE_TOO_LONG,
  /** The last line of a damaged file. */
  CUT_SHORT;

  /** The name in files and summaries, for example {@code bad_port}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

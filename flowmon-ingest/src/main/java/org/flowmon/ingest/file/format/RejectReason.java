package org.flowmon.ingest.file.format;

import java.util.Locale;
import org.flowmon.ingest.file.line.LineReader;

/** Why a line is no flow; {@code docs/format/files.md} says more. */
public enum RejectReason {
  /** Cut columns, or no log at all. */
  NO_HEADER,
  /** Of separator or list of fields. */
  BAD_HEADER,
  /** The time or an address. */
  MISSING_FIELDS,
  /** Not of connections. */
  OTHER_LOG,
  WRONG_FIELD_COUNT,
  BAD_QUOTES,
  UNKNOWN_COLUMN,
  /** Not an object. */
  BAD_JSON,
  MISSING_TIME,
  /** Also outside the years 1 … 9999. */
  BAD_TIME,
  BAD_ADDRESS,
  BAD_PORT,
  /** Also outside its column's range. */
  BAD_NUMBER,
  BAD_BOOLEAN,
  /** Neither a name of Zeek's nor a number. */
  BAD_PROTOCOL,
  /** This version does not know it. */
  BAD_SOURCE_KIND,
  /** Not one of Zeek's. */
  BAD_STATE,
  TEXT_TOO_LONG,
  /** More than {@link LineReader#MAX_LINE_BYTES}. */
  LINE_TOO_LONG,
  /** The last line of a damaged file. */
  CUT_SHORT;

  /** In files and summaries, for example {@code bad_port}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

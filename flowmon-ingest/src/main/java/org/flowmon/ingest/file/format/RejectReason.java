package org.flowmon.ingest.file.format;

import java.util.Locale;
import org.flowmon.ingest.file.line.LineReader;

/** The reasons why a line of a log is not a flow; {@code docs/format/files.md} says more. */
public enum RejectReason {
  /** Values before any {@code #fields} line: cut columns, or no log at all. */
  NO_HEADER,
  /** The header's separator or list of fields is unusable. */
  BAD_HEADER,
  /** The log has no field for the time or for an address. */
  MISSING_FIELDS,
  /** A log of something other than connections. */
  OTHER_LOG,
  /** More or fewer values than the header has fields. */
  WRONG_FIELD_COUNT,
  /** Unbalanced quotes in a CSV line. */
  BAD_QUOTES,
  /** A key that is no column of flows. */
  UNKNOWN_COLUMN,
  /** Not a JSON object. */
  BAD_JSON,
  /** The connection has no time. */
  MISSING_TIME,
  /** Not a time, or outside the years 1 … 9999. */
  BAD_TIME,
  BAD_ADDRESS,
  BAD_PORT,
  /** Not a number, or outside its column's range. */
  BAD_NUMBER,
  BAD_BOOLEAN,
  /** A protocol that is neither a name of Zeek's nor a number. */
  BAD_PROTOCOL,
  /** A kind of source that this version does not know. */
  BAD_SOURCE_KIND,
  /** Not one of Zeek's connection states. */
  BAD_STATE,
  /** A text that is too long for a column. */
  TEXT_TOO_LONG,
  /** A line of more than {@link LineReader#MAX_LINE_BYTES}. */
  LINE_TOO_LONG,
  /** The last line of a damaged file. */
  CUT_SHORT;

  /** The name in files and summaries, for example {@code bad_port}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

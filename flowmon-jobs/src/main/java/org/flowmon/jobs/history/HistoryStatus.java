package org.flowmon.jobs.history;

import java.io.IOException;
import java.util.Locale;

/** The reliability of the history of a window's result. */
public enum HistoryStatus {
  /** The analysis has no history query, or the window has no rows to look up. */
  NONE(1),
  /**
   * The archive held everything asked for that had arrived by as-of at the partitions of the job's
   * topic.
   */
  EXACT(2),
  /**
   * The archive did not yet reach as-of, or has a gap before it that can have held flows asked for;
   * the rows it held were read exactly.
   */
  PARTIAL(3),
  /** Too many lookups at once, or the lookup would have read too many rows. */
  REFUSED(4),
  /** The lookup took longer than the analysis allows. */
  TIMEOUT(5),
  /** The archive or the query failed; the message says how. */
  FAILED(6);

  private final int code;

  HistoryStatus(int code) {
    this.code = code;
  }

  /** The stable code in records. */
  public int code() {
    return code;
  }

  /**
   * Returns the status of this code.
   *
   * @throws IOException if this version does not know it
   */
  public static HistoryStatus byCode(int code) throws IOException {
    for (HistoryStatus status : values()) {
      if (status.code == code) {
        return status;
      }
    }
    throw new IOException("history status " + code + " is unknown, expected 1 to 6");
  }

  /** The name in reports, as {@code exact}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}

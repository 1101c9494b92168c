package org.flowmon.jobs.history;

import java.io.IOException;
import java.util.Locale;

/** The reliability of the history of a window's result. */
public enum HistoryStatus {
  /** The analysis has no history query, or the window has no rows to look up. */
  NONE(1),
  /** The archive had everything asked for that arrived by as-of at the topic's partitions. */
  EXACT(2),
  /** Not yet at as-of, or with a gap of flows asked for; what it had was read exactly. */
  PARTIAL(3),
  /** Too many lookups at once, or it would have read too many rows. */
  REFUSED(4),
  TIMEOUT(5),
  FAILED(6);

  private final int code;

  HistoryStatus(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /** Throws IOException if this version does not know the code. */
  public static HistoryStatus byCode(int code) throws IOException {
    for (HistoryStatus status : values()) {
      if (status.code == code) {
        return status;
      }
    }
    throw new IOException("history status " + code + " is unknown, expected 1 to 6");
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}

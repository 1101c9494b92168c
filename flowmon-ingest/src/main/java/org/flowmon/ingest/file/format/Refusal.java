package org.flowmon.ingest.file.format;

/** Why the last line that was read is no flow. Reused from line to line. */
public final class Refusal {
  private RejectReason reason = RejectReason.NO_HEADER;
  private String detail = "";

  /** Returns false, as readers of lines do for a line that is no flow. */
  public boolean because(RejectReason why, String text) {
    reason = why;
    detail = text;
    return false;
  }

  public RejectReason reason() {
    return reason;
  }

  public String detail() {
    return detail;
  }
}

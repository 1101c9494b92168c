package org.flowmon.archive.commit;

/** A commit cannot become part of the archive, now or on a retry. Nothing was changed. */
public final class CommitRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why a commit was refused. */
  public enum Reason {
    /** A part of its positions is committed already, and another is not. */
    OVERLAP,
    /** The file's content was imported before. */
    ALREADY_IMPORTED,
    /** A segment of this id is part of the archive already. */
    SEGMENT_KNOWN,
    /** A file of a segment is missing or has another length than when it was sealed. */
    SEGMENT_MISSING,
    /** A segment that it replaces is no longer part of the archive: another replaced it first. */
    SEGMENT_GONE,
    /** What it puts in place of segments does not hold the same rows. */
    ROWS_DIFFER,
    /** Rows that it rewrote were hidden meanwhile, and it does not tell which. */
    CUTOFF_MOVED
  }

  private final Reason reason;

  public CommitRefusedException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}

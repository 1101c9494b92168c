package org.flowmon.archive.commit;

/** A commit cannot become part of the archive, now or on a retry. Nothing was changed. */
public final class CommitRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why a commit was refused. */
  public enum Reason {
    /** One part of its positions is committed already, another is not. */
    OVERLAP,
    /** The file's content was imported before. */
    ALREADY_IMPORTED,
    /** A segment with this id is already part of the archive. */
    SEGMENT_KNOWN,
    /** A segment's file is missing or its length differs from the sealed one. */
    SEGMENT_MISSING,
    /** A segment to be replaced is no longer part of the archive: another replaced it first. */
    SEGMENT_GONE,
    /** The new segments do not hold the same rows as the replaced ones. */
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

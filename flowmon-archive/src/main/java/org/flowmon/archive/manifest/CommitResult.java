package org.flowmon.archive.manifest;

import java.util.List;

/**
 * What became of a commit.
 *
 * @param outcome whether it changed the archive
 * @param number of the commit that holds it; of the newest commit where it was a repeat
 * @param gaps positions that this commit left out between what was committed before and its own
 */
public record CommitResult(Outcome outcome, long number, List<Gap> gaps) {
  /** Whether a commit changed the archive. */
  public enum Outcome {
    /** It is now part of the archive. */
    COMMITTED,
    /** All of it had been committed before: nothing was changed, its segments were not added. */
    REPEATED
  }

  /**
   * Positions of a source that were never committed though later ones were.
   *
   * @param firstOffset the first missing position
   * @param endOffset the first position that is not missing
   */
  public record Gap(String sourceKey, long firstOffset, long endOffset) {
    /** How many positions are missing. */
    public long offsets() {
      return endOffset - firstOffset;
    }
  }

  public CommitResult {
    gaps = List.copyOf(gaps);
  }

  public boolean isRepeat() {
    return outcome == Outcome.REPEATED;
  }

  /** Positions that this commit left out. */
  public long gapOffsets() {
    return gaps.stream().mapToLong(Gap::offsets).sum();
  }
}

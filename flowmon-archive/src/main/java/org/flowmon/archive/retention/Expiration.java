package org.flowmon.archive.retention;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.archive.segment.SealedSegment;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a commit hides. Rows of a segment are sorted by time key, so the remaining ones are
 * all from one row on.
 *
 * @param cutoff time key (µs) after the commit, never smaller than before: rows below it are
 *     hidden; for rows equal to it {@code firstRows} decides
 * @param rows that this commit hides, including late ones
 * @param lateRows of these, rows that the commit brings, below the cutoff before it
 * @param firstRows the first visible row of segments in which some rows are newly hidden and some
 *     are not, by id
 * @param expired ids of segments whose rows are all hidden: they leave the archive
 * @param trimmed segments that replace others and hold their visible rows, by the id of the other
 * @param keys newly counted time keys, null for none
 */
public record Expiration(
    long cutoff,
    long rows,
    long lateRows,
    Map<String, Integer> firstRows,
    List<String> expired,
    Map<String, SealedSegment> trimmed,
    @Nullable TimestampHistogram keys) {
  public static final Expiration NONE =
      new Expiration(Long.MIN_VALUE, 0, 0, Map.of(), List.of(), Map.of(), null);

  public Expiration {
    firstRows = java.util.Collections.unmodifiableMap(new TreeMap<>(firstRows));
    expired = List.copyOf(expired);
    trimmed = java.util.Collections.unmodifiableMap(new TreeMap<>(trimmed));
  }

  public boolean isEmpty() {
    return hidesNothing() && cutoff == Long.MIN_VALUE && keys == null;
  }

  /** Whether it changes neither visible nor stored rows, nor the counted keys. */
  public boolean hidesNothing() {
    return rows == 0
        && firstRows.isEmpty()
        && expired.isEmpty()
        && trimmed.isEmpty()
        && (keys == null || keys.size() == 0);
  }
}

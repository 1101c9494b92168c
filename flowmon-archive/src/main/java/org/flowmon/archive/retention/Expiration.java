package org.flowmon.archive.retention;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.archive.segment.SealedSegment;

/**
 * What a commit hides. Rows of a segment are sorted by time key, so those that are left are all
 * from one row on.
 *
 * @param cutoff time key (µs) after the commit: rows below it are hidden; of those equal to it,
 *     first rows of {@code firstRows} tell. Never smaller than before
 * @param rows that this commit hides; late ones too
 * @param lateRows of these, rows that the commit itself brings and that were below the cutoff
 *     before it
 * @param firstRows the first visible row of segments of which some rows are newly hidden and some
 *     are not, by id
 * @param expired ids of segments whose rows are all hidden: they are no part of the archive any
 *     more
 * @param trimmed segments that take the place of others and hold what was visible of these, by the
 *     id of the other
 * @param keys time keys that are newly counted, null for none
 */
public record Expiration(
    long cutoff,
    long rows,
    long lateRows,
    Map<String, Integer> firstRows,
    List<String> expired,
    Map<String, SealedSegment> trimmed,
    TimestampHistogram keys) {
  /** Hides nothing. */
  public static final Expiration NONE =
      new Expiration(Long.MIN_VALUE, 0, 0, Map.of(), List.of(), Map.of(), null);

  public Expiration {
    firstRows = java.util.Collections.unmodifiableMap(new TreeMap<>(firstRows));
    expired = List.copyOf(expired);
    trimmed = java.util.Collections.unmodifiableMap(new TreeMap<>(trimmed));
  }

  /** Whether it changes nothing of what is visible, stored, or decided. */
  public boolean isEmpty() {
    return hidesNothing() && cutoff == Long.MIN_VALUE && keys == null;
  }

  /** Whether it changes nothing of what is visible or stored, nor of the keys that are counted. */
  public boolean hidesNothing() {
    return rows == 0
        && firstRows.isEmpty()
        && expired.isEmpty()
        && trimmed.isEmpty()
        && (keys == null || keys.size() == 0);
  }
}

package org.flowmon.archive.commit;

import java.util.List;
import org.flowmon.archive.segment.SealedSegment;
import org.jspecify.annotations.Nullable;

/**
 * A change of the archive in one step: all of it or nothing.
 *
 * @param segments sealed and lying in the archive's folder; may be empty if the ranges held no flow
 *     (heartbeats)
 * @param ranges the positions that the segments hold, in any order; several of one source if they
 *     do not overlap
 * @param file the file that the segments hold, null for none
 * @param force whether a file that was imported before is imported again
 * @param retiredSources will bring no more flows: {@code historyThrough} no longer waits for them
 * @param replaced ids of segments whose rows the segments of this commit hold instead
 * @param deleted ids of previously replaced segments whose files are gone
 * @param dropped hidden rows of the replaced segments that the segments of this commit do not hold
 * @param retention null for no change
 * @param note who commits, for people
 */
public record ArchiveCommit(
    List<SealedSegment> segments,
    List<SourceRange> ranges,
    @Nullable ImportedFile file,
    boolean force,
    List<String> retiredSources,
    List<String> replaced,
    List<String> deleted,
    RowSums dropped,
    @Nullable RetentionChange retention,
    String note) {
  /** Maximum length of a note, in characters. */
  public static final int MAX_NOTE = 1024;

  public ArchiveCommit {
    segments = List.copyOf(segments);
    ranges = List.copyOf(ranges);
    retiredSources = List.copyOf(retiredSources);
    replaced = List.copyOf(replaced);
    deleted = List.copyOf(deleted);
    int kinds =
        (ranges.isEmpty() ? 0 : 1)
            + (file == null ? 0 : 1)
            + (retiredSources.isEmpty() ? 0 : 1)
            + (replaced.isEmpty() ? 0 : 1)
            + (retention == null ? 0 : 1);
    boolean mayHaveSegments = !ranges.isEmpty() || file != null || !replaced.isEmpty();
    if (kinds > 1
        || (!segments.isEmpty() && !mayHaveSegments)
        || (segments.isEmpty() && !replaced.isEmpty())) {
      throw new IllegalArgumentException(
          String.format(
              "%s segments with %s source ranges, %s file, %s retired sources and %s replaced"
                  + " segments%s: expected segments with ranges, with a file or with replaced"
                  + " segments, or retired sources or a change of retention alone",
              segments.size(),
              ranges.size(),
              file == null ? "no" : "a",
              retiredSources.size(),
              replaced.size(),
              retention == null ? "" : " and a change of retention"));
    }
    if (note.length() > MAX_NOTE) {
      throw new IllegalArgumentException(
          "a note of " + note.length() + " characters, at most " + MAX_NOTE);
    }
  }

  public static ArchiveCommit empty(String note) {
    return new ArchiveCommit(
        List.of(),
        List.of(),
        null,
        false,
        List.of(),
        List.of(),
        List.of(),
        RowSums.NONE,
        null,
        note);
  }

  public static ArchiveCommit ofRanges(
      List<SealedSegment> segments, List<SourceRange> ranges, String note) {
    return new ArchiveCommit(
        segments, ranges, null, false, List.of(), List.of(), List.of(), RowSums.NONE, null, note);
  }

  /**
   * Commits segments that hold an imported file.
   *
   * @param force whether a file that was imported before is imported again
   */
  public static ArchiveCommit ofFile(
      List<SealedSegment> segments, ImportedFile file, boolean force, String note) {
    return new ArchiveCommit(
        segments,
        List.of(),
        file,
        force,
        List.of(),
        List.of(),
        List.of(),
        RowSums.NONE,
        null,
        note);
  }

  /** Declares that sources will bring no more flows, for example those of a deleted topic. */
  public static ArchiveCommit ofRetired(List<String> sourceKeys, String note) {
    return new ArchiveCommit(
        List.of(),
        List.of(),
        null,
        false,
        sourceKeys,
        List.of(),
        List.of(),
        RowSums.NONE,
        null,
        note);
  }

  /** Replaces 1 or more segments by the same rows, but {@code dropped} hidden ones at the start. */
  public static ArchiveCommit ofReplacement(
      List<SealedSegment> segments, List<String> replaced, RowSums dropped, String note) {
    return new ArchiveCommit(
        segments, List.of(), null, false, List.of(), replaced, List.of(), dropped, null, note);
  }

  public static ArchiveCommit ofDeleted(List<String> deleted, String note) {
    return new ArchiveCommit(
        List.of(), List.of(), null, false, List.of(), List.of(), deleted, RowSums.NONE, null, note);
  }

  /** Sets retention limits, or applies the present ones. */
  public static ArchiveCommit ofRetention(RetentionChange change, String note) {
    return new ArchiveCommit(
        List.of(),
        List.of(),
        null,
        false,
        List.of(),
        List.of(),
        List.of(),
        RowSums.NONE,
        change,
        note);
  }

  public boolean isEmpty() {
    return segments.isEmpty()
        && ranges.isEmpty()
        && file == null
        && retiredSources.isEmpty()
        && deleted.isEmpty()
        && retention == null;
  }
}

package org.flowmon.archive.manifest;

import java.util.List;
import org.flowmon.archive.segment.SealedSegment;

/**
 * What becomes part of the archive in one step: all of it or nothing.
 *
 * @param segments sealed and lying in the archive's folder of segments; may be empty where the
 *     ranges held no flow (heartbeats)
 * @param ranges the positions that the segments hold, in any order, several of one source where
 *     they do not overlap
 * @param file the file that the segments hold, null for none
 * @param force whether a file that was imported before is imported again
 * @param retiredSources sources that will bring nothing more: {@code historyThrough} no longer
 *     waits for them
 * @param note who commits, for people
 */
public record ArchiveCommit(
    List<SealedSegment> segments,
    List<SourceRange> ranges,
    ImportedFile file,
    boolean force,
    List<String> retiredSources,
    String note) {
  /** No note is longer, in characters. */
  public static final int MAX_NOTE = 1024;

  public ArchiveCommit {
    segments = List.copyOf(segments);
    ranges = List.copyOf(ranges);
    retiredSources = List.copyOf(retiredSources);
    int kinds =
        (ranges.isEmpty() ? 0 : 1) + (file == null ? 0 : 1) + (retiredSources.isEmpty() ? 0 : 1);
    if (kinds > 1 || (!segments.isEmpty() && ranges.isEmpty() && file == null)) {
      throw new IllegalArgumentException(
          segments.size()
              + " segments with "
              + ranges.size()
              + " source ranges, "
              + (file == null ? "no" : "a")
              + " file and "
              + retiredSources.size()
              + " retired sources: expected segments with ranges or a file, or retired sources"
              + " alone");
    }
    if (note.length() > MAX_NOTE) {
      throw new IllegalArgumentException(
          "a note of " + note.length() + " characters, at most " + MAX_NOTE);
    }
  }

  /** Segments that hold positions of sources. */
  public static ArchiveCommit ofRanges(
      List<SealedSegment> segments, List<SourceRange> ranges, String note) {
    return new ArchiveCommit(segments, ranges, null, false, List.of(), note);
  }

  /**
   * Segments that hold an imported file.
   *
   * @param force whether a file that was imported before is imported again
   */
  public static ArchiveCommit ofFile(
      List<SealedSegment> segments, ImportedFile file, boolean force, String note) {
    return new ArchiveCommit(segments, List.of(), file, force, List.of(), note);
  }

  /** Says that sources will bring nothing more, for example those of a deleted topic. */
  public static ArchiveCommit ofRetired(List<String> sourceKeys, String note) {
    return new ArchiveCommit(List.of(), List.of(), null, false, sourceKeys, note);
  }

  boolean isEmpty() {
    return segments.isEmpty() && ranges.isEmpty() && file == null && retiredSources.isEmpty();
  }
}

package org.flowmon.archive.segment;

import java.nio.file.Path;
import java.util.List;

/** Checks every byte of a segment's two files against what was sealed. */
@SuppressWarnings("DoNotCallSuggester")
public final class SegmentVerifier {
  private SegmentVerifier() {}

  /**
   * One finding.
   *
   * @param file the damaged or missing file
   * @param place the column, blob or part that is hit
   * @param what what was found and what was expected
   */
  public record Damage(Path file, String place, String what) {}

  /**
   * Reads both files wholly.
   *
   * @param directory the folder of segments
   * @return empty where both files are what was sealed
   */
  public static List<Damage> verify(Path directory, SealedSegment expected) {
    throw new UnsupportedOperationException("not yet");
  }
}

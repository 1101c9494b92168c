package org.flowmon.archive.golden;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.segment.SegmentOptions;

/**
 * Makes {@code src/test/resources/golden/days-1}: segments of two days, and in the folder {@code
 * days} their sums. Like {@link GoldenArchive}, it is never made again; it is of commit be42ca52.
 */
final class GoldenDays {
  private GoldenDays() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    List<String> rows = new ArrayList<>();
    try (Archive archive = Archive.create(directory, new ArchiveOptions(2, 16))) {
      archive.setSegmentOptions(SegmentOptions.parse("lookup"));
      // Rows a second apart; the first two segments are of one day.
      GoldenArchive.commit(archive, 0, 90, GoldenArchive.ranges(0, 4), rows);
      GoldenArchive.commit(archive, 1, 80, GoldenArchive.ranges(4, 9), rows);
      archive.updateDays(GoldenDays::all, false, () -> false);
      GoldenArchive.commit(archive, 90, 70, GoldenArchive.ranges(9, 12), rows);
      archive.updateDays(GoldenDays::all, false, () -> false);
    }
    GoldenArchive.deleteLeases(directory);
  }

  static BitSet all(List<?> segments) {
    BitSet all = new BitSet();
    all.set(0, segments.size());
    return all;
  }
}

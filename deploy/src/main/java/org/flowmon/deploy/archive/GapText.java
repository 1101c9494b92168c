package org.flowmon.deploy.archive;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.CommitResult;

/** The gaps of an archive for people. */
public final class GapText {
  private static final int NAMED = 20;

  private GapText() {}

  /** A line for each gap; a log full of holes is cut short. */
  public static List<String> lines(ArchiveSnapshot snapshot) {
    List<CommitResult.Gap> gaps = snapshot.gaps();
    List<String> lines = new ArrayList<>();
    gaps.stream().limit(NAMED).forEach(gap -> lines.add("gap: " + gap));
    if (gaps.size() > NAMED) {
      lines.add("gap: and " + (gaps.size() - NAMED) + " more");
    }
    return lines;
  }
}

package org.flowmon.deploy.archive;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.CommitResult;

/** Describes the gaps of an archive for people, one a line; a long list is cut. */
public final class GapText {
  private static final int NAMED = 20;

  private GapText() {}

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

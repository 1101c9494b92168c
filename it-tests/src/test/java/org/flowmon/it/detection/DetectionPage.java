package org.flowmon.it.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.it.ProjectFiles;

/** The tables of {@code docs/detection.md}. */
final class DetectionPage {
  private DetectionPage() {}

  /** The docs have the table; with {@code -Dflowmon.write-docs=true} it is written there. */
  static void check(String mark, List<String> table) throws IOException {
    Path docs = ProjectFiles.root().resolve("docs/detection.md");
    List<String> lines = new ArrayList<>(Files.readAllLines(docs));
    int from = lines.indexOf(mark) + 3;
    assertTrue(from >= 3, "no table " + mark + " in " + docs);
    int to = from;
    while (to < lines.size() && lines.get(to).startsWith("|")) {
      to++;
    }
    if (Boolean.getBoolean("flowmon.write-docs")) {
      lines.subList(from, to).clear();
      lines.addAll(from, table);
      Files.write(docs, lines);
      return;
    }
    assertEquals(lines.subList(from, to), table, docs + ", " + mark + ", against what is found");
  }
}

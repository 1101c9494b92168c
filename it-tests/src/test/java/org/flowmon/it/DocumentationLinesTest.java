package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pages are read as text, too: their lines are short, outside of tables, code and comments. */
class DocumentationLinesTest {
  private static final int MOST_CHARACTERS = 120;

  @Test
  void noLineOfAPageIsLongerThanAScreenIsWide() throws IOException {
    List<Path> pages = ProjectFiles.files(".md");
    assertTrue(pages.size() > 30, pages::toString);
    List<String> found = new ArrayList<>();
    for (Path page : pages) {
      boolean isCode = false;
      int number = 0;
      for (String line : Files.readAllLines(page)) {
        number++;
        isCode ^= line.strip().startsWith("```");
        boolean isText = !isCode && !line.strip().startsWith("|") && !line.startsWith("<!--");
        if (isText && line.codePointCount(0, line.length()) > MOST_CHARACTERS) {
          found.add(ProjectFiles.root().relativize(page) + ":" + number);
        }
      }
    }
    assertEquals(List.of(), found, "at most " + MOST_CHARACTERS + " characters a line");
  }
}

package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Links between the pages, and the pages that code names, exist. */
class DocumentationLinksTest {
  private static final Pattern LINK =
      Pattern.compile("(?:]\\(|src=\"|srcset=\")([^)\"\\s:]+)[)\"]");
  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?)\\s*");
  private static final Pattern LINK_TEXT = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");
  private static final Pattern NAMED =
      Pattern.compile("\\bdocs/[A-Za-z0-9/_-]+\\.md(?:#[A-Za-z0-9_-]+)?");

  private final Path root = ProjectFiles.root().toAbsolutePath().normalize();
  private final Map<Path, Set<String>> anchors = new HashMap<>();

  @Test
  void everyLinkOfAPageLeadsToAPageAndAHeading() throws IOException {
    List<String> dead = new ArrayList<>();
    List<Path> pages = ProjectFiles.files(".md");
    assertTrue(pages.size() > 30, pages::toString);
    for (Path page : pages) {
      String text = withoutCode(Files.readString(page)).replaceAll("`[^`]*`", "");
      Matcher links = LINK.matcher(text);
      while (links.find()) {
        if (!exists(page, links.group(1))) {
          dead.add(root.relativize(page) + ": " + links.group(1));
        }
      }
    }
    assertEquals(List.of(), dead);
  }

  @Test
  void everyPageThatCodeNamesExists() throws IOException {
    List<String> dead = new ArrayList<>();
    List<Path> sources = ProjectFiles.files(".java");
    assertTrue(sources.size() > 500, "" + sources.size());
    for (Path source : sources) {
      Matcher names = NAMED.matcher(Files.readString(source));
      while (names.find()) {
        if (!exists(root.resolve("README.md"), names.group())) {
          dead.add(root.relativize(source) + ": " + names.group());
        }
      }
    }
    assertEquals(List.of(), dead);
  }

  /** Whether a link of a page, {@code path#heading}, leads anywhere. */
  private boolean exists(Path page, String link) throws IOException {
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return hash < 0
        || !target.toString().endsWith(".md")
        || anchors(target).contains(link.substring(hash + 1));
  }

  /** What GitHub makes of a page's headings. */
  private Set<String> anchors(Path page) throws IOException {
    Set<String> known = anchors.get(page);
    if (known == null) {
      known = new HashSet<>();
      for (String line : withoutCode(Files.readString(page)).lines().toList()) {
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
          String text = LINK_TEXT.matcher(heading.group(1)).replaceAll("$1");
          String name = text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "");
          String anchor = name.replace(' ', '-');
          for (int again = 1; !known.add(anchor); again++) {
            anchor = name.replace(' ', '-') + "-" + again;
          }
        }
      }
      anchors.put(page, known);
    }
    return known;
  }

  private static String withoutCode(String page) {
    return page.replaceAll("(?ms)^ *```.*?^ *```$", "");
  }
}

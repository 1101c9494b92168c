package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What SECURITY.md promises is shown by tests that exist. */
class SecurityPageTest {
  private static final Pattern NAME = Pattern.compile("`([A-Z][A-Za-z0-9]*(?:Test|Fuzz|IT))`");

  @Test
  void everyTestThatSecurityNamesExists() throws IOException {
    Path root = ProjectFiles.root();
    Set<String> named = new TreeSet<>();
    Matcher names = NAME.matcher(Files.readString(root.resolve("SECURITY.md")));
    while (names.find()) {
      named.add(names.group(1));
    }
    assertTrue(named.size() > 15, named::toString);
    Set<String> known;
    try (Stream<Path> files = Files.walk(root, 12)) {
      known =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".java"))
              .map(name -> name.substring(0, name.length() - ".java".length()))
              .collect(Collectors.toSet());
    }
    named.removeAll(known);
    assertEquals(Set.of(), named);
  }
}

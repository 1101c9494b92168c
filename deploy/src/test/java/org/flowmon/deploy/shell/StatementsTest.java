package org.flowmon.deploy.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StatementsTest {
  private static List<String> cut(String text) {
    Statements statements = new Statements();
    List<String> all = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      statements.add(line);
      for (var next = statements.next(); next.isPresent(); next = statements.next()) {
        all.add(next.get().stripped());
      }
    }
    statements.rest().ifPresent(rest -> all.add("rest: " + rest.stripped()));
    return all;
  }

  @Test
  void aQueryEndsWithASemicolonThatIsNeitherQuotedNorInAComment() {
    assertEquals(List.of("SELECT a", "SELECT b"), cut("SELECT a; SELECT b;"));
    assertEquals(
        List.of("SELECT ';' , \";\" /* ; */ -- ;\n FROM x"),
        cut("SELECT ';' , \";\" /* ; */ -- ;\n FROM x;"));
    assertEquals(List.of("SELECT 'it''s;'"), cut("SELECT 'it''s;';"));
    assertEquals(List.of("rest: SELECT ';"), cut("SELECT ';"));
    assertEquals(List.of("rest: SELECT a"), cut("SELECT a"));
    assertEquals(List.of(), cut("-- nothing\n/* at all */\n"));
  }

  @Test
  void aCommandIsALine() {
    assertEquals(
        List.of(".format csv", "SELECT a", ".quit"), cut(".format csv\nSELECT a;\n.quit\n"));
    assertEquals(List.of("SELECT\n.5"), cut("SELECT\n.5;"));
  }

  /** Each statement has as many characters and lines before it as in the input. */
  @Test
  void placesAreThoseOfTheInput() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String[] parts = {
      "SELECT a", "'x;\ny'", " ", "\n", "\n\n", "/* ;\n */", "-- ;\n", "b", ";", ";"
    };
    for (int i = 0; i < 500; i++) {
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(12); n >= 0; n--) {
        text.append(parts[random.nextInt(parts.length)]);
      }
      Statements statements = new Statements();
      for (String line : text.toString().split("\n", -1)) {
        statements.add(line);
        for (var next = statements.next(); next.isPresent(); next = statements.next()) {
          place(text.toString(), next.get(), seed);
        }
      }
      Optional<Statements.Statement> rest = statements.rest();
      rest.ifPresent(one -> place(text.toString(), one, seed));
    }
  }

  private static void place(String input, Statements.Statement found, long seed) {
    String text = found.text();
    String stripped = found.stripped();
    int begin = text.indexOf(stripped);
    String before = text.substring(0, begin);
    int line = (int) before.chars().filter(c -> c == '\n').count();
    int column = begin - (before.lastIndexOf('\n') + 1);
    String[] lines = input.split("\n", -1);
    String first = stripped.split("\n", 2)[0];
    assertTrue(
        lines[line].startsWith(first, column) || lines[line].substring(column).startsWith(first),
        () -> "seed " + seed + ": '" + stripped + "' at " + line + ":" + column + " of\n" + input);
  }

  @Test
  void whatIsTypedIsWholeWithItsEnd() {
    assertFalse(Statements.isWhole("SELECT a"));
    assertFalse(Statements.isWhole("SELECT a; SELECT b"));
    assertFalse(Statements.isWhole("SELECT ';"));
    assertTrue(Statements.isWhole("SELECT a;"));
    assertTrue(Statements.isWhole("SELECT a; -- done"));
    assertTrue(Statements.isWhole(""));
    assertTrue(Statements.isWhole("  .help"));
    assertEquals("SELECT a;".length(), Statements.last("SELECT a; SELECT b"));
  }
}

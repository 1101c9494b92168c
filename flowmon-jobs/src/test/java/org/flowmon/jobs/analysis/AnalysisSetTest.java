package org.flowmon.jobs.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.config.ConfigException;
import org.junit.jupiter.api.Test;

class AnalysisSetTest {
  private static final AnalysisConfig BASE = TestAnalyses.talkers("base", "2s", "2s", "1s", 64, 10);

  private static String text(String name, int limit) {
    return TestAnalyses.text(name, "2s", "2s", "1s", 64, "", limit);
  }

  @Test
  void theLastChangeOfANameCountsInWhateverOrderTheyCome() {
    Random random = new Random(71);
    for (int round = 0; round < 50; round++) {
      List<AnalysisChange> changes = new ArrayList<>();
      TreeMap<String, String> expected = new TreeMap<>();
      for (int version = 1; version <= 12; version++) {
        String name = List.of("base", "a", "b").get(random.nextInt(3));
        String text = random.nextInt(3) == 0 ? null : text(name, version);
        changes.add(new AnalysisChange(name, version, text));
        expected.put(name, text == null ? "gone" : text);
      }
      Collections.shuffle(changes, random);
      AnalysisSet set = new AnalysisSet(List.of(BASE));
      changes.forEach(set::apply);
      changes.forEach(change -> assertFalse(set.apply(change), "known by now"));
      for (String name : List.of("base", "a", "b")) {
        String text = expected.get(name);
        AnalysisConfig config =
            text == null
                ? name.equals("base") ? BASE : null
                : text.equals("gone") ? null : AnalysisConfig.parse("analysis " + name, text);
        assertEquals(config, set.get(name), "seed 71, round " + round);
        assertEquals("gone".equals(text) ? null : text, set.text(name));
      }
    }
  }

  @Test
  void aSetWhoseResultsComeOnceHasNoAnalysisWithRevisions() {
    assertTrue(BASE.live().revisions(), "else this shows nothing");
    AnalysisSet set = new AnalysisSet(new AnalysisSet(List.of(BASE), true));
    assertTrue(set.apply(new AnalysisChange("a", 1, text("a", 1))));
    assertEquals(2, set.running().size());
    set.running().forEach(analysis -> assertFalse(analysis.live().revisions(), analysis.name()));
    assertEquals(text("a", 1), set.text("a"), "what others are told is as it was written");
  }

  @Test
  void whatIsNoAnalysisOfTheNameChangesNothing() {
    AnalysisSet set = new AnalysisSet(List.of(BASE));
    ConfigException other =
        assertThrows(
            ConfigException.class, () -> set.apply(new AnalysisChange("a", 1, text("b", 1))));
    assertTrue(other.getMessage().contains("expected 'a', found 'b'"), other.getMessage());
    assertThrows(ConfigException.class, () -> set.apply(new AnalysisChange("base", 2, "name: x")));
    assertEquals(BASE, set.get("base"));
    assertNull(set.change("base"));
    assertTrue(set.apply(new AnalysisChange("base", 2, text("base", 1))), "2 was no change");
  }

  @Test
  void namesAreBounded() {
    AnalysisSet set = new AnalysisSet(List.of(BASE));
    for (int i = 0; i < AnalysisSet.MAX_NAMES; i++) {
      assertTrue(set.apply(new AnalysisChange("n" + i, i + 1, null)));
    }
    assertThrows(
        ConfigException.class, () -> set.apply(new AnalysisChange("more", 1_000_000, null)));
    assertTrue(set.apply(new AnalysisChange("n7", 1_000_000, text("n7", 1))), "a known one may");
    set.remove("n7", 8);
    assertNotNull(set.get("n7"), "its change came later");
    set.remove("base", 1_000_001);
    assertNull(set.get("base"));
    assertNull(set.change("base"), "there is no room to remember it");
    set.remove("n7", 1_000_002);
    assertNull(set.get("n7"));
    assertEquals(1_000_002, set.version("n7"));
  }

  @Test
  void charactersOfAllFilesAreBoundedAndWhatIsReplacedCountsNoMore() {
    String comment = "# " + "x".repeat(3 * AnalysisSet.MAX_TEXT / 8) + "\n";
    AnalysisSet set = new AnalysisSet(List.of(BASE));
    assertTrue(set.apply(new AnalysisChange("a", 1, text("a", 1) + comment)));
    assertTrue(set.apply(new AnalysisChange("b", 2, text("b", 1) + comment)));
    AnalysisChange third = new AnalysisChange("c", 3, text("c", 1) + comment);
    ConfigException e = assertThrows(ConfigException.class, () -> set.apply(third));
    assertTrue(e.getMessage().contains("expected at most " + AnalysisSet.MAX_TEXT), e.getMessage());
    assertNull(set.get("c"));
    assertTrue(set.apply(new AnalysisChange("a", 4, text("a", 2) + comment)), "in its own place");
    assertTrue(set.apply(new AnalysisChange("b", 5, null)));
    assertTrue(set.apply(third), "there is room again");
  }
}

package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.enrich.Enrichment;
import org.junit.jupiter.api.Test;

class LiveQueriesTest {
  private static final String TEXT = TestAnalyses.text("a", "2s", "2s", "1s", 64, "", 10);

  private final LiveQueries queries =
      new LiveQueries(
          new AnalysisSet(List.of(TestAnalyses.talkers("a", "2s", "2s", "1s", 64, 10))),
          Enrichment.NONE);
  private final long id = queries.of("a").get(0).id();

  @Test
  void onlyWhatChangesTheReportGoesOn() {
    assertEquals(
        Optional.of(Set.of()),
        queries.apply(new AnalysisChange("a", 1, TEXT + "sinks: [kafka]\n")));
    assertEquals(Optional.empty(), queries.apply(new AnalysisChange("a", 1, TEXT)), "known");
    assertEquals(id, queries.of("a").get(0).id());
    String once = TEXT.replace("slots: 64", "slots: 64\n  revisions: false");
    assertNotEquals(TEXT, once);
    assertEquals(
        Optional.of(Set.of(id)),
        queries.apply(new AnalysisChange("a", 2, once)),
        "parts that are revised and parts that are not do not fit together");
    assertEquals(Optional.of(Set.of(id)), queries.apply(new AnalysisChange("a", 3, null)));
    assertEquals(List.of(), queries.of("a"));
    assertEquals(Optional.empty(), queries.get(id));
    assertEquals(Optional.of(Set.of()), queries.apply(new AnalysisChange("a", 4, TEXT)));
    assertEquals(id, queries.get(id).orElseThrow().id());
  }

  @Test
  void whatIsNoAnalysisIsLeftOut() {
    assertEquals(Optional.empty(), queries.apply(new AnalysisChange("a", 1, "name: a")));
    assertEquals(id, queries.of("a").get(0).id());
  }

  @Test
  void wordThatARunBeforeWasStoppedDoesNotStopTheNext() {
    assertTrue(queries.isOf(new Partial.Stopped(0, id, 0)));
    var unused = queries.apply(new AnalysisChange("a", 5, TEXT));
    assertFalse(queries.isOf(new Partial.Stopped(0, id, 0)));
    assertTrue(queries.isOf(new Partial.Stopped(0, id, 5)));
    assertFalse(queries.isOf(new Partial.Stopped(0, id + 1, 5)));
  }
}

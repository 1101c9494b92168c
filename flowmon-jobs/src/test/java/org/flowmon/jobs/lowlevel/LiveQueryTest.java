package org.flowmon.jobs.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.Test;

/** Ids are those of earlier builds: a job finds a query's state in their savepoints. */
class LiveQueryTest {
  private static String ids(String query) {
    String text =
        """
        name: q
        live:
          query: "%s"
          window: 10s
          slide: 5s
          lateness: 1s
        report: {logic: live}
        """
            .formatted(query);
    return LiveQuery.all(AnalysisConfig.parse("q.yaml", text)).stream()
        .map(live -> Long.toHexString(live.id()))
        .collect(Collectors.joining(" "));
  }

  /** The file is of commit be42ca52. */
  @Test
  void idsAreThoseOfEarlierBuilds() throws Exception {
    List<String> lines;
    try (var golden =
        LiveQueryTest.class.getResourceAsStream("/savepoints/live-queries-20261125.tsv")) {
      lines =
          new String(Objects.requireNonNull(golden).readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .toList();
    }
    assertEquals(10, lines.size());
    for (String line : lines) {
      String query = line.substring(line.indexOf('\t') + 1);
      assertEquals(line, ids(query) + '\t' + query);
    }
  }

  @Test
  void aDefaultThatKeepsOtherStatesMakesAnotherQuery() {
    String ofAdaptive = "e85469e71a5cd0f8"; // of commit be42ca52
    String now = ids("SELECT TOP(HEAVY_HITTERS(src_addr, bytes), 5) AS top FROM flows");
    assertNotEquals(ofAdaptive, now);
    assertEquals("dac2d871deb574ce", now);
  }
}

package org.flowmon.archive.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.maintenance.ArchiveVerifier;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.udaf.parser.QueryParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Day sums that an earlier version wrote still answer; {@link GoldenDays} made them. */
class GoldenDaysTest {
  private static final String DAY =
      "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS bytes, SUM(reverse_bytes) AS back FROM flows"
          + " WHERE end_time >= TIMESTAMP '2026-09-21T00:00:00Z'"
          + " AND end_time < TIMESTAMP '2026-09-22T00:00:00Z' GROUP BY src_addr ORDER BY src_addr";

  @TempDir Path temporary;

  private static QueryAnswer ask(Path directory) throws Exception {
    return ask(directory, DAY);
  }

  private static QueryAnswer ask(Path directory, String sql) throws Exception {
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      return ArchiveQuery.run(snapshot, QueryParser.parse(sql), QueryOptions.DEFAULTS);
    }
  }

  @Test
  void sumsOfADayAreThoseOfTheRows() throws Exception {
    Path golden = GoldenRows.folder().resolve("days-1");
    QueryAnswer bySums = ask(GoldenRows.copy(golden, temporary.resolve("sums")));
    assertTrue(bySums.stats().days() > 0, "a day was answered by its sums");
    Path without = GoldenRows.copy(golden, temporary.resolve("rows"));
    for (String derived : List.of("days", "segments")) {
      try (var files = Files.list(without.resolve(derived))) {
        for (Path file : files.toList()) {
          if (!file.toString().endsWith(".parquet")) {
            Files.delete(file);
          }
        }
      }
    }
    QueryAnswer byRows = ask(without);
    assertEquals(0, byRows.stats().days());
    assertTrue(byRows.table().rowCount() > 5, "sources of the day");
    assertEquals(byRows.table().toString(), bySums.table().toString());
  }

  /** Its segments are sampled and its sums without estimates: rows answer, then sums made anew. */
  @Test
  void estimatesOfADayAreThoseOfItsRowsBeforeTheSumsAreMadeAnewAndAfter() throws Exception {
    Path copy =
        GoldenRows.copy(GoldenRows.folder().resolve("days-1"), temporary.resolve("estimates"));
    String sql = DAY.replace("SUM(bytes)", "SUM(estimated_bytes)");
    QueryAnswer before = ask(copy, sql);
    assertEquals(0, before.stats().days(), "a run of version 1 knows no estimates");
    assertNotEquals(ask(copy, DAY).table().toString(), before.table().toString());
    try (Archive archive = Archive.open(copy)) {
      archive.updateDays(GoldenDays::all, true, () -> false);
    }
    assertEquals(before.table().toString(), ask(copy, sql).table().toString());
    try (var runs = Files.list(copy.resolve("days"))) {
      for (Path run : runs.toList()) {
        assertEquals(2, Files.readAllBytes(run)[4], "the version of " + run);
      }
    }
    assertEquals(List.of(), ArchiveVerifier.verify(copy).damages());
  }

  @Test
  void theArchiveIsSound() throws Exception {
    Path golden = GoldenRows.folder().resolve("days-1");
    Path copy = GoldenRows.copy(golden, temporary.resolve("sound"));
    assertEquals(List.of(), ArchiveVerifier.verify(copy).damages());
  }
}

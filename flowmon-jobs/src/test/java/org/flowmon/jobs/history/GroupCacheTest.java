package org.flowmon.jobs.history;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.HOUR;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.TestReports.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.flowmon.archive.Archives;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.history.cache.AnswerMemory;
import org.flowmon.jobs.history.cache.AskedSegments;
import org.flowmon.jobs.history.cache.GroupCache;
import org.flowmon.jobs.history.cache.ListedGroups;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

/** Cached groups of lists of values equal the archive's. */
class GroupCacheTest extends ArchivedHistory {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String HOURS =
      " AND end_time >= TIME_BUCKET(:now - INTERVAL '2' DAY, INTERVAL '1' HOUR)"
          + " AND end_time < TIME_BUCKET(:now - INTERVAL '10' MINUTE, INTERVAL '1' HOUR)";
  private static final String QUERY =
      "SELECT src_addr, SUM(bytes) AS bytes, TIME_BUCKET(end_time, INTERVAL '1' HOUR) AS hour,"
          + " MEDIAN(bytes) AS median, AVG(bytes) AS mean FROM flows WHERE src_addr IN"
          + " (:live.src_addr)"
          + HOURS
          + " GROUP BY src_addr, hour";

  private static HistoryQuery query(String text, Optional<RecentAnswers> answers) {
    AnalysisConfig config = TestReports.elephants("");
    AnalysisConfig.History history =
        new AnalysisConfig.History(text, null, null, 1, LIMIT, config.history().rows());
    return new HistoryQuery(
        new AnalysisConfig(
            "kept",
            config.live(),
            history,
            config.report(),
            config.sinks(),
            List.of(),
            Places.NONE),
        DELAY,
        TOPIC,
        Duration.ZERO,
        answers);
  }

  private static String host(int i) {
    return i % 3 == 0 ? "2001:db8::" + Integer.toHexString(i) : "192.0.2." + i;
  }

  @Test
  void answersAreThoseOfTheArchiveWhateverArrivesAndIsAskedBetween() throws Exception {
    Random random = new Random(17);
    RecentAnswers answers = cache().get();
    HistoryQuery kept = query(QUERY, Optional.of(answers));
    HistoryQuery fresh = query(QUERY, Optional.empty());
    long now = END;
    int exact = 0;
    for (int round = 0; round < 120; round++) {
      List<Flow> flows = new ArrayList<>();
      for (int i = random.nextInt(30); i > 0; i--) {
        // Most end as they arrive; now and then one comes hours after its end.
        long late =
            random.nextInt(40) == 0 ? random.nextInt(30) * HOUR : random.nextInt(5) * SECOND;
        long arrival = now - 40 * SECOND + random.nextInt(30) * SECOND;
        flows.add(
            new Flow(host(1 + random.nextInt(40)), arrival - late, arrival, random.nextInt(1000)));
      }
      if (!flows.isEmpty() && random.nextInt(15) == 0) {
        importFile(flows.toArray(new Flow[0]));
        flows.clear();
      }
      archive(now, flows.toArray(new Flow[0]));
      Object[] rows = new Object[2 * (1 + random.nextInt(20))];
      for (int i = 0; i < rows.length; i += 2) {
        rows[i] = host(1 + random.nextInt(40));
        rows[i + 1] = 1 + i;
      }
      // Some windows are revised, after later ones had their answers.
      long end = now - (random.nextInt(10) == 0 ? 60 * SECOND : 0);
      WindowResult window = ending(end, window(100, rows));
      try (Archives archive = opened()) {
        HistoryAnswer expected = runOver(archive, fresh, window, LIMIT);
        HistoryAnswer answer = runOver(archive, kept, window, LIMIT);
        assertEquals(expected, answer, "seed 17, round " + round);
        exact += answer.status() == HistoryStatus.EXACT ? 1 : 0;
      }
      now += random.nextInt(20) == 0 ? HOUR : 10 * SECOND;
    }
    assertTrue(exact > 60, () -> "exact answers");
    long known = answers.groups().known();
    assertTrue(known > 200, () -> known + " values were known");
  }

  @Test
  void whatArrivedSinceIsLookedUp() throws Exception {
    RecentAnswers answers = cache().get();
    HistoryQuery query = query(QUERY, Optional.of(answers));
    long hour = END - 2 * HOUR;
    archive(END, new Flow(A, hour, hour, 10), new Flow(B, hour, hour, 5));
    try (Archives archive = opened()) {
      HistoryAnswer first = runOver(archive, query, ending(END, window(100, A, 60)), LIMIT);
      assertEquals(HistoryStatus.EXACT, first.status(), first.message());
      assertEquals(Map.of(A, 10L), sums(first));
      HistoryAnswer both = runOver(archive, query, ending(END, window(100, A, 60, B, 1)), LIMIT);
      assertEquals(Map.of(A, 10L, B, 5L), sums(both));
      assertEquals(1, answers.groups().known(), "the first was known");
      assertEquals(
          Map.of(B, 5L), sums(runOver(archive, query, ending(END, window(100, B, 1)), LIMIT)));
      assertEquals(2, answers.groups().known());
    }
    long later = END + 60 * SECOND;
    archive(later, new Flow(A, hour, END + SECOND, 100), new Flow(A, END, END + SECOND, 1000));
    try (Archives archive = opened()) {
      HistoryAnswer answer = runOver(archive, query, ending(later, window(100, A, 60)), LIMIT);
      assertEquals(Map.of(A, 110L), sums(answer), "with what came late");
      assertEquals(2, answers.groups().known(), "nothing is known any more");
    }
    later += 60 * SECOND;
    archive(later, new Flow(A, later - SECOND, later - SECOND, 1000));
    try (Archives archive = opened()) {
      HistoryAnswer answer = runOver(archive, query, ending(later, window(100, A, 60)), LIMIT);
      assertEquals(Map.of(A, 110L), sums(answer));
      assertEquals(3, answers.groups().known(), "what has arrived is not asked about");
    }
  }

  private static Map<String, Long> sums(HistoryAnswer answer) {
    Map<String, Long> sums = new TreeMap<>();
    for (int row = 0; row < answer.rows().orElseThrow().rowCount(); row++) {
      sums.put(
          answer.rows().orElseThrow().address(row, 0).toString(),
          answer.rows().orElseThrow().longValue(row, 1));
    }
    return sums;
  }

  @Test
  void whatIsImportedOrSeenByAnOlderSnapshotIsLookedUp() throws Exception {
    RecentAnswers answers = cache().get();
    HistoryQuery query = query(QUERY, Optional.of(answers));
    HistoryQuery fresh = query(QUERY, Optional.empty());
    long hour = END - 2 * HOUR;
    archive(END, new Flow(A, hour, hour, 10), new Flow(B, hour, hour, 5));
    WindowResult first = ending(END, window(100, A, 60));
    try (Archives archive = opened()) {
      assertEquals(HistoryStatus.EXACT, runOver(archive, query, first, LIMIT).status());
    }
    importFile(new Flow(A, hour, hour, 1000), new Flow(B, hour, hour, 1000));
    archive(END + 10 * SECOND);
    WindowResult next = ending(END + 10 * SECOND, window(100, A, 60, B, 1));
    ListedGroups shape = ListedGroups.of(QueryParser.parseQuery(QUERY)).get();
    try (Archives archive = opened();
        ArchivesSnapshot older = archive.snapshot()) {
      assertEquals(runOver(archive, fresh, next, LIMIT), runOver(archive, query, next, LIMIT));
      assertEquals(0, answers.groups().known());
      FlowQuery rest = shape.rest(Parameters.NONE.with("now", Value.ofTimestamp(next.windowEnd())));
      assertTrue(answers.groups().of(rest, older, fresh.asOf(next.windowEnd())).isPresent());
      archive(END + 20 * SECOND, new Flow(B, hour, END - SECOND, 7));
      WindowResult later = ending(END + 20 * SECOND, next);
      try (Archives now = opened()) {
        assertEquals(runOver(now, fresh, later, LIMIT), runOver(now, query, later, LIMIT));
      }
      assertTrue(
          answers.groups().of(rest, older, fresh.asOf(next.windowEnd())).isEmpty(),
          "it has another state");
    }
  }

  @Test
  void whatIsMergedIntoOtherSegmentsIsKnown() throws Exception {
    RecentAnswers answers = cache().get();
    HistoryQuery query = query(QUERY, Optional.of(answers));
    long day = END - END % DAY - DAY / 2; // over by END, so that its segments become one
    archive(END, new Flow(A, day, day, 10));
    archive(END + SECOND, new Flow(B, day, day + SECOND, 5));
    WindowResult of = window(100, A, 60, B, 1);
    try (Archives archive = opened();
        ArchivesSnapshot older = archive.snapshot()) {
      HistoryAnswer first = runOver(archive, query, ending(END, of), LIMIT);
      assertEquals(Map.of(A, 10L, B, 5L), sums(first));
      archive(END + 20 * SECOND, new Flow(A, END, END, 1)); // not in the query's range
      merge(archive, 2);
      assertEquals(first.rows(), runOver(archive, query, ending(END, of), LIMIT).rows());
      assertEquals(2, answers.groups().known());
      FlowQuery rest =
          ListedGroups.of(QueryParser.parseQuery(QUERY))
              .get()
              .rest(Parameters.NONE.with("now", Value.ofTimestamp(END)));
      assertTrue(answers.groups().of(rest, older, END - 20 * SECOND).isPresent(), "the same rows");
      // Later rows are in a segment with the former ones.
      archive(END + 40 * SECOND, new Flow(A, day, day + 2 * SECOND, 100));
      merge(archive, 2);
      HistoryAnswer more = runOver(archive, query, ending(END, of), LIMIT);
      assertEquals(Map.of(A, 110L, B, 5L), sums(more));
      assertEquals(2, answers.groups().known(), "nothing is known any more");
      assertTrue(answers.groups().of(rest, older, END - 20 * SECOND).isEmpty(), "it lacks a row");
    }
  }

  /** Merges segments, down to this number. */
  private static void merge(Archives archive, int segments) throws Exception {
    Compactor compactor = new Compactor(archive.all().get(0), new CompactionOptions(100, 100));
    while (compactor.step(() -> false) != null) {
      // one after the other
    }
    try (ArchivesSnapshot now = archive.snapshot()) {
      assertEquals(segments, now.all().get(0).segments().size(), "else this shows nothing");
    }
  }

  @Test
  void whatAnotherWindowAskedForMeanwhileIsThereOnce() throws Exception {
    long hour = END - 2 * HOUR;
    archive(END, new Flow(A, hour, hour, 10), new Flow(B, hour, hour, 5));
    HistoryQuery query = query(QUERY, cache());
    GroupCache groups = new GroupCache(new AnswerMemory(1 << 20));
    ListedGroups shape = ListedGroups.of(QueryParser.parseQuery(QUERY)).get();
    try (Archives archive = opened();
        ArchivesSnapshot snapshot = archive.snapshot()) {
      ResultTable ofA =
          runOver(archive, query, ending(END, window(100, A, 1)), LIMIT).rows().orElseThrow();
      ResultTable ofB =
          runOver(archive, query, ending(END, window(100, B, 1)), LIMIT).rows().orElseThrow();
      Value a = ofA.value(0, 0);
      Value b = ofB.value(0, 0);
      List<Value> both = GroupCache.distinct(List.of(b, a));
      FlowQuery rest = shape.rest(Parameters.NONE.with("now", Value.ofTimestamp(END)));
      GroupCache.Answers kept = groups.begin(shape, rest, snapshot, END);
      // After the cache began and before it has an entry.
      assertEquals(List.of(b), kept.missing(List.of(b)));
      assertEquals(ofB, kept.rows(List.of(b), List.of(b), ofB));
      kept.add(List.of(a), ofA);
      List<Value> missing = kept.missing(both);
      assertEquals(List.of(b), missing);
      kept.add(List.of(b), ofB);
      ResultTable rows = kept.rows(both, missing, ofB);
      kept.add(missing, ofB);
      assertEquals(
          runOver(archive, query, ending(END, window(100, B, 1, A, 1)), LIMIT).rows().orElseThrow(),
          rows);
      assertEquals(2, rows.rowCount());
      assertEquals(rows, kept.rows(both, kept.missing(both), ofB.withRows(new int[0])));
    }
  }

  private static ResultTable hosts(int first, int count) {
    ResultTable.Builder table =
        new ResultTable.Builder()
            .column("src_addr", ValueKind.ADDRESS)
            .column("bytes", ValueKind.LONG)
            .column("hour", ValueKind.TIMESTAMP);
    for (int i = 0; i < count; i++) {
      IpAddress address = IpAddress.ofIpv4(first + i);
      table.row().set(0, address.hi(), address.lo()).set(1, i).set(2, END);
    }
    return table.build();
  }

  private static List<Value> keys(ResultTable rows) {
    return IntStream.range(0, rows.rowCount()).mapToObj(row -> rows.value(row, 0)).toList();
  }

  @Test
  void whatIsKeptIsBoundedWithTheAnswersOfAllAnalyses() throws Exception {
    archive(END);
    ListedGroups shape = ListedGroups.of(QueryParser.parseQuery(QUERY)).get();
    FlowQuery rest = shape.rest(Parameters.NONE.with("now", Value.ofTimestamp(END)));
    ResultTable rows = hosts(1, 1000);
    long size = rows.heapBytes() + 1000 * GroupCache.VALUE_BYTES;
    AnswerMemory memory = new AnswerMemory(3 * size + size / 2);
    List<RecentAnswers> all = new ArrayList<>();
    try (Archives archive = opened();
        ArchivesSnapshot snapshot = archive.snapshot()) {
      IntPredicate isKept = i -> all.get(i).groups().of(rest, snapshot, AS_OF).isPresent();
      Supplier<List<Integer>> kept =
          () -> IntStream.range(0, all.size()).filter(isKept).boxed().toList();
      IntConsumer keep =
          i -> all.get(i).groups().begin(shape, rest, snapshot, AS_OF).add(keys(rows), rows);
      for (int i = 0; i < 10; i++) {
        all.add(new RecentAnswers(memory));
        keep.accept(i);
        assertTrue(isKept.test(0), "asked for each time");
      }
      assertEquals(List.of(0, 8, 9), kept.get());
      // Answers that depend on :now alone count beside them.
      ResultTable two = hosts(1, (int) (2 * size / rows.heapBytes()) * 1000);
      HistoryAnswer answer =
          new HistoryAnswer(
              HistoryStatus.EXACT, AS_OF, 0, END, LongRanges.NONE, Optional.of(two), null);
      all.get(1).keep(END, answer, new AskedSegments(rest, snapshot, AS_OF));
      assertEquals(List.of(9), kept.get(), "that which was asked for last");
      all.get(1).clear();
      GroupCache.Answers more = all.get(9).groups().of(rest, snapshot, AS_OF).get();
      for (int i = 1; i < 4; i++) {
        assertTrue(isKept.test(9), "after " + i + " times as many");
        ResultTable others = hosts(1 + 1000 * i, 1000);
        more.add(keys(others), others);
      }
      assertEquals(List.of(), kept.get(), "it takes more than all may");
      for (int i = 2; i < 5; i++) {
        keep.accept(i);
      }
      assertEquals(List.of(2, 3, 4), kept.get(), "what is dropped counts no more");
      all.get(2).clear();
      assertEquals(List.of(3, 4), kept.get(), "nobody asks for it any more");
      keep.accept(5);
      assertEquals(List.of(3, 4, 5), kept.get());
    }
  }

  @Test
  void queriesOfOtherShapesAreAskedAnew() {
    assertTrue(ListedGroups.of(QueryParser.parseQuery(QUERY)).isPresent());
    for (String other :
        List.of(
            "SELECT src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN (:live.src_addr)"
                + " GROUP BY src_addr ORDER BY n DESC LIMIT 5",
            "SELECT src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN (:live.src_addr)"
                + " GROUP BY src_addr HAVING n > 1",
            "SELECT COUNT(*) AS n FROM flows WHERE src_addr IN (:live.src_addr)",
            "SELECT dst_addr, src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN (:live.src_addr)"
                + " GROUP BY dst_addr, src_addr",
            "SELECT src_addr, QUANTILES(bytes) AS q FROM flows WHERE src_addr IN (:live.src_addr)"
                + " GROUP BY src_addr",
            "SELECT COUNT(*) AS n FROM flows WHERE src_addr IN (:live.src_addr) GROUP BY src_addr",
            "SELECT dst_addr, COUNT(*) AS n FROM flows WHERE src_addr IN (:live.src_addr)"
                + " GROUP BY dst_addr",
            "SELECT src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN (:live.src_addr)"
                + " OR dst_port = 53 GROUP BY src_addr",
            "SELECT src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN (:live.src_addr)"
                + " AND dst_addr IN (:live.dst_addr) GROUP BY src_addr",
            "SELECT src_addr, COUNT(*) AS n FROM flows WHERE src_addr IN (:live.src_addr)"
                + " AND (dst_addr IN (:live.src_addr) OR dst_port = 1) GROUP BY src_addr")) {
      assertEquals(Optional.empty(), ListedGroups.of(QueryParser.parseQuery(other)), other);
    }
  }
}

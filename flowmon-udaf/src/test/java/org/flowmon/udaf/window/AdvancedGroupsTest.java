package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;

/** Results with most groups sent in advance, against tables that give all at the end. */
class AdvancedGroupsTest {
  private static final long SECOND = 1_000_000;
  private static final long START = 1_795_219_200_000_000L;
  private static final WindowSpec WINDOW = WindowSpec.tumbling(10 * SECOND, SECOND);
  private static final WindowSpec SLIDING =
      new WindowSpec(10 * SECOND, SECOND, FlowColumn.END_TIME, SECOND, 3600 * SECOND);
  private static final long END = START + 10 * SECOND;
  private static final int KEY_GROUPS = 12;
  private static final List<String> QUERIES =
      List.of(
          "SELECT src_addr, dst_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr, dst_addr",
          "SELECT src_addr, SUM(bytes) AS b, COUNT(*) AS n FROM flows GROUP BY src_addr"
              + " ORDER BY b DESC NULLS FIRST",
          "SELECT dst_port, MAX(bytes) AS m, MIN(bytes) AS l FROM flows GROUP BY dst_port"
              + " ORDER BY l, dst_port DESC",
          "SELECT src_addr, dst_port, SUM(bytes) / COUNT(*) AS r FROM flows"
              + " GROUP BY src_addr, dst_port ORDER BY r DESC");

  /** A task of the merge: tables by key group, and its messages. */
  private static final class Task {
    final WindowTables[] tables = new WindowTables[KEY_GROUPS];
    final WindowAdvances advances = new WindowAdvances();
    final List<byte[]> advance = new ArrayList<>();
    final List<byte[]> rest = new ArrayList<>();
    final List<int[]> superseded = new ArrayList<>();
    int sent;

    Task(FlowQuery query, GroupLimit limit) {
      GroupBudget budget = new GroupBudget(limit, WINDOW, KEY_GROUPS, 2 * KEY_GROUPS);
      for (int g = 0; g < KEY_GROUPS; g++) {
        tables[g] = new WindowTables(1, query, WINDOW, budget, advances);
      }
    }

    void advance(long watermark) {
      for (WindowTables of : tables) {
        of.closeUpTo(watermark, part -> fail("no window is over"));
        of.advance(
            watermark,
            part -> {
              sent += part.size();
              advance.add(part.toBytes());
            });
      }
    }

    void close() {
      for (WindowTables of : tables) {
        of.closeUpTo(
            END + SECOND,
            part -> {
              superseded.add(part.superseded());
              rest.add(part.toBytes());
            });
      }
    }
  }

  /** Tables of a window twice: those of tasks, which send in advance, and plain ones. */
  private static final class Run {
    private final Random random;
    private final FlowQuery query;
    private final GroupLimit limit;
    private final WindowTables[] plain = new WindowTables[2 * KEY_GROUPS];
    private final List<Task> tasks = new ArrayList<>();
    private final LowLevelQuery low;

    private Run(Random random, FlowQuery query, GroupLimit limit) {
      this.random = random;
      this.query = query;
      this.limit = limit;
      GroupBudget budget = new GroupBudget(limit, WINDOW, 2 * KEY_GROUPS, 2 * KEY_GROUPS);
      for (int g = 0; g < plain.length; g++) {
        plain[g] = new WindowTables(1, query, WINDOW, budget, new WindowAdvances());
      }
      tasks.add(new Task(query, limit));
      tasks.add(new Task(query, limit));
      low =
          new LowLevelQuery(
              1,
              query,
              WINDOW,
              64,
              2 * KEY_GROUPS,
              (keyGroup, bytes) -> {
                assertTrue(plain[keyGroup].merge(PartialGroups.open(bytes)));
                Task task = tasks.get(keyGroup / KEY_GROUPS);
                assertTrue(task.tables[keyGroup % KEY_GROUPS].merge(PartialGroups.open(bytes)));
              });
    }

    /** Without limit. */
    Run() {
      this(new Random(1), QueryParser.parse(QUERIES.get(0)), GroupLimit.NONE);
    }

    private void flows(int number, int hosts) {
      for (int from = 0; from < number; from += 500) {
        FlowBatchBuilder builder = new FlowBatchBuilder(500);
        for (int i = from; i < Math.min(number, from + 500); i++) {
          builder.beginRow();
          builder.set(FlowColumn.ARRIVAL, START + SECOND);
          builder.set(FlowColumn.END_TIME, START + random.nextInt(900_000));
          if (random.nextInt(30) > 0) {
            builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(random.nextInt(hosts)));
          }
          long host = random.nextInt(hosts);
          builder.setAddress(
              FlowColumn.DST_ADDR,
              host % 3 == 0 ? new IpAddress(0x2001_0db8_0000_0000L, -host) : IpAddress.ofIpv4(9));
          builder.set(FlowColumn.DST_PORT, random.nextInt(hosts));
          if (random.nextInt(9) > 0) {
            builder.set(FlowColumn.BYTES, random.nextInt(2000));
          }
          builder.endRow();
        }
        if (!builder.isEmpty()) {
          low.process(FlowBatch.open(builder.build(1, 0, 0, 0)));
        }
      }
      low.drainAll();
    }

    private WindowPart expected() {
      WindowPart[] all = new WindowPart[1];
      for (WindowTables tables : plain) {
        tables.closeUpTo(
            END + SECOND,
            part -> {
              if (all[0] == null) {
                all[0] = part;
              } else {
                all[0].merge(part);
              }
            });
      }
      return all[0].settled(limit.ofPane(WINDOW));
    }

    /** The result; messages of a task from before a restore no longer count. */
    private WindowPart actual(Task before) {
      AdvancedGroups groups = new AdvancedGroups(query);
      if (before != null) {
        before.advance.forEach(bytes -> groups.add(7, bytes));
      }
      for (int t = 0; t < tasks.size(); t++) {
        Task task = tasks.get(t);
        for (byte[] bytes : task.advance) {
          groups.add(t, bytes);
        }
        if (random.nextBoolean()) {
          groups.prepare(Runnable::run);
        }
        task.close();
        for (int i = 0; i < task.rest.size(); i++) {
          groups.addRest(t, task.advance.size(), task.superseded.get(i), task.rest.get(i));
        }
      }
      assertTrue(groups.isWhole());
      return groups.complete(List.of()).settled(limit.ofPane(WINDOW));
    }
  }

  @Test
  void theResultIsThatOfAllGroupsAtTheEnd() {
    int withRest = 0;
    int levels = 0;
    for (int seed = 1; seed <= 120; seed++) {
      Random random = new Random(seed);
      FlowQuery query = QueryParser.parse(QUERIES.get(seed % QUERIES.size()));
      assertTrue(WindowAdvances.isPossible(query, WINDOW));
      boolean isLimited = seed % 3 == 0;
      GroupLimit limit =
          isLimited ? new GroupLimit(50 + random.nextInt(3000), 1 << 20) : GroupLimit.NONE;
      Run test = new Run(random, query, limit);
      int hosts = 1 + random.nextInt(random.nextBoolean() ? 20 : 3000);
      test.flows(random.nextInt(6000), hosts);
      Task before = null;
      if (random.nextInt(3) == 0) {
        before = new Task(query, limit); // the task before its restore
        for (int g = 0; g < KEY_GROUPS; g++) {
          before.tables[g] =
              WindowTables.fromBytes(test.tasks.get(0).tables[g].toBytes(), 1, query, WINDOW);
        }
        before.advance(END + SECOND / 4);
      }
      // A task may not be asked before the window ends.
      for (Task task : random.nextInt(5) == 0 ? test.tasks.subList(0, 1) : test.tasks) {
        task.advance(END + SECOND / 4 + random.nextInt((int) SECOND / 3));
      }
      test.flows(1 + random.nextInt(random.nextBoolean() ? 50 : 5000), hosts);
      WindowPart expected = test.expected();
      WindowPart actual = test.actual(before);
      String at = "seed " + seed + ": " + query;
      assertEquals(expected.level(), actual.level(), at);
      assertEquals(expected.groups(), actual.groups(), at);
      assertEquals(expected.totals(), actual.totals(), at);
      assertEquals(expected.result(), actual.result(), at);
      assertEquals(expected.result(), WindowPart.open(actual.toBytes(), query).result(), at);
      withRest += test.tasks.get(0).superseded.stream().mapToInt(s -> s.length).sum() > 0 ? 1 : 0;
      levels += expected.level() > 0 ? 1 : 0;
    }
    assertTrue(withRest > 60 && levels > 5, withRest + " with changes, " + levels + " of some");
  }

  @Test
  void onlyWhatHasChangedIsSentAtTheEnd() {
    Run run = new Run();
    run.flows(5000, 400);
    Task task = run.tasks.get(0);
    task.advance(END + SECOND / 4 - 1);
    assertEquals(0, task.sent, "it is too early");
    task.advance(END + SECOND / 4);
    int sent = task.sent;
    assertTrue(sent > 1000, sent + " groups");
    task.advance(END + SECOND / 4 + 1);
    assertEquals(sent, task.sent, "once");
    run.flows(20, 400);
    assertTrue(task.advances.has(task.tables[0], END));
    task.close();
    assertFalse(task.advances.has(task.tables[0], END), "its table is in memory no longer");
    int groups = 0;
    for (byte[] bytes : task.rest) {
      groups +=
          AdvancedGroups.blocks(bytes, run.query).stream().mapToInt(PartialGroups::groups).sum();
    }
    assertTrue(groups > 0 && groups <= 20, groups + " groups");
  }

  @Test
  void numbersOfGroupsThatWereNotSentAreRefused() {
    Run run = new Run();
    run.flows(100, 20);
    Task task = run.tasks.get(0);
    task.advance(END + SECOND / 4);
    task.close();
    for (int number : new int[] {-1, task.sent}) {
      AdvancedGroups groups = new AdvancedGroups(run.query);
      task.advance.forEach(bytes -> groups.add(0, bytes));
      for (byte[] bytes : task.rest) {
        groups.addRest(0, task.advance.size(), new int[] {number}, bytes);
      }
      assertThrows(PartialFormatException.class, () -> groups.complete(List.of()));
    }
  }

  @Test
  void groupsAreWholeIfAllMessagesInAdvanceOfEachRestHaveCome() {
    Run run = new Run();
    run.flows(5000, 400);
    Task task = run.tasks.get(0);
    task.advance(END + SECOND / 4);
    task.close();
    AdvancedGroups groups = new AdvancedGroups(run.query);
    groups.add(7, task.advance.get(0)); // of a run without a rest: it does not count
    groups.addRest(1, 2, new int[0], task.rest.get(0));
    groups.add(1, task.advance.get(0));
    assertFalse(groups.isWhole());
    groups.add(1, task.advance.get(1));
    assertTrue(groups.isWhole());
  }

  /** Whether the low level closes a pane before the first result that it counts in. */
  private static boolean goesAhead(String sql, WindowSpec window) {
    LowLevelQuery low =
        new LowLevelQuery(1, QueryParser.parse(sql), window, 64, 1, (keyGroup, bytes) -> {});
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, START);
    builder.set(FlowColumn.END_TIME, START);
    builder.endRow();
    low.process(FlowBatch.open(builder.build(1, 0, 0, 0)));
    low.closePanesUpTo(START + window.slideMicros() + SECOND / 4);
    return !low.isDrained();
  }

  @Test
  void theLowLevelSendsAheadWhatIsCheapToSendTwice() {
    String sums = "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr";
    for (String sql :
        List.of(
            QUERIES.get(0),
            sums + " ORDER BY b DESC LIMIT 5",
            sums + " HAVING b > 5",
            "SELECT service, SUM(bytes) AS b FROM flows GROUP BY service",
            "SELECT SUM(bytes) AS b FROM flows")) {
      assertTrue(goesAhead(sql, WINDOW), sql);
    }
    for (String value :
        List.of("QUANTILE(QUANTILES(bytes), 0.5) AS q", "COUNT(DISTINCT dst_addr) AS n")) {
      String sql = "SELECT src_addr, " + value + " FROM flows GROUP BY src_addr";
      assertFalse(goesAhead(sql, WINDOW), sql);
    }
    assertFalse(goesAhead(QUERIES.get(0), SLIDING));
  }

  @Test
  void nothingIsDoneInAdvanceWhereItWouldNotHold() {
    for (String sql :
        List.of(
            "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr LIMIT 5",
            "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr ORDER BY b LIMIT 5",
            "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr HAVING b > 5",
            "SELECT src_addr, COUNT(DISTINCT dst_addr) AS b FROM flows GROUP BY src_addr",
            "SELECT service, SUM(bytes) AS b FROM flows GROUP BY service",
            "SELECT SUM(bytes) AS b FROM flows")) {
      assertFalse(WindowAdvances.isPossible(QueryParser.parse(sql), WINDOW), sql);
    }
    assertFalse(WindowAdvances.isPossible(QueryParser.parse(QUERIES.get(0)), SLIDING));
  }
}

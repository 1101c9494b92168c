package org.flowmon.udaf.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.TwoLevelsTest;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;

/** Queries that share tables of the low level. */
abstract class SharedTablesFixture {
  static final long MINUTE = 60_000_000L;

  static WindowSpec window(Random random) {
    long slide = (1 + random.nextInt(4)) * MINUTE;
    return new WindowSpec(
        slide * (1 + random.nextInt(3)),
        slide,
        random.nextInt(4) == 0 ? FlowColumn.ARRIVAL : FlowColumn.END_TIME,
        random.nextInt(30) * MINUTE / 20,
        MINUTE,
        false,
        false);
  }

  /** A query, its messages while it was present, and its windows after the merge. */
  static final class Live {
    final long id;
    final FlowQuery query;
    final WindowSpec window;
    final LowLevelMember member;
    final List<FlowBatch> given = new ArrayList<>();
    final Map<Integer, WindowTables> tables = new HashMap<>();
    final Map<Long, WindowPart> windows = new TreeMap<>();
    long partials;

    Live(long id, FlowQuery query, WindowSpec window, int slots, int keyGroups, LowLevel low) {
      this.id = id;
      this.query = query;
      this.window = window;
      this.member = low.add(id, query, window, slots, keyGroups, this::merge);
    }

    private void merge(int keyGroup, byte[] bytes) {
      PartialGroups groups = PartialGroups.open(bytes);
      assertEquals(keyGroup, groups.keyGroup());
      partials += groups.groups();
      assertTrue(
          tables.computeIfAbsent(keyGroup, k -> new WindowTables(id, query, window)).merge(groups));
    }

    void close(long watermark) {
      for (WindowTables table : tables.values()) {
        table.closeUpTo(
            watermark,
            part -> {
              WindowPart known = windows.putIfAbsent(part.windowEnd(), part);
              if (known != null) {
                known.merge(part);
              }
            });
      }
    }

    void check(String at) {
      close(Long.MAX_VALUE / 4);
      Map<Long, ResultTable> expected = TwoLevelsTest.expected(given, query, window);
      String of = at + ", query " + id + ": " + query + " " + window;
      assertEquals(expected.keySet(), windows.keySet(), of);
      windows.forEach(
          (end, part) -> assertEquals(expected.get(end), part.result(), of + ", window " + end));
      LowLevelCounts counts = member.counts();
      assertEquals(given.stream().mapToLong(FlowBatch::rows).sum(), counts.flows(), of);
      assertEquals(
          counts.selected(),
          counts.counted() + counts.late() + counts.ahead() + counts.behindWatermark(),
          of);
      assertEquals(partials, counts.partials(), of);
      LowLevelQuery alone = new LowLevelQuery(1, query, window, 64, 4, (keyGroup, bytes) -> {});
      given.forEach(alone::process);
      assertEquals(alone.counts().counted(), counts.counted(), of);
      assertEquals(alone.counts().late(), counts.late(), of);
      assertEquals(alone.counts().partlyLate(), counts.partlyLate(), of);
      assertEquals(alone.counts().ahead(), counts.ahead(), of);
    }
  }

  static int tables(FlowQuery query) {
    return LiveGroupings.of(query).tables();
  }

  static Live live(long id, String select, String keys, WindowSpec window, LowLevel low) {
    FlowQuery query =
        QueryParser.parse(
            "SELECT " + select + " FROM flows GROUP BY " + keys + " ORDER BY " + keys);
    return new Live(id, query, window, 1024, 16, low);
  }
}

package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.RandomFlows;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.text.QueryException;
import org.junit.jupiter.api.Test;

/**
 * Groups that several sites made of their flows answer other queries with the same filter and keys
 * as all flows do.
 */
class PublishedGroupsTest {
  private static final String PUBLISHED =
      "SELECT service, dst_port, COUNT(*) AS n, SUM(bytes) AS b, MIN(dst_addr) AS low,"
          + " MAX(bytes) AS most, DISTINCT_SAMPLE(src_addr, 16) AS d FROM flows"
          + " WHERE NOT outgoing GROUP BY service, dst_port";
  private static final List<String> QUERIES =
      List.of(
          PUBLISHED,
          "SELECT service, dst_port, SUM(bytes) AS b FROM flows WHERE NOT outgoing"
              + " GROUP BY service, dst_port HAVING b > 1000 ORDER BY b DESC LIMIT 7",
          "SELECT service, COUNT(DISTINCT dst_port) AS ports, MAX(bytes) AS most FROM flows"
              + " WHERE NOT outgoing GROUP BY service ORDER BY ports DESC",
          "SELECT dst_port, DISTINCT_SAMPLE(src_addr, 16) AS d, AVG(bytes) AS a, service FROM flows"
              + " WHERE NOT outgoing GROUP BY service, dst_port LIMIT 3 BY service");

  private static final int KEY_GROUPS = 16;
  private static final long END = 1L << 51;
  private static final WindowSpec WINDOW = WindowSpec.tumbling(END, 0);

  /** All groups of flows as a window's part; null if there are none. */
  private static byte[] states(FlowQuery query, List<FlowBatch> flows, int slots) {
    WindowTables tables = new WindowTables(1, query, WINDOW);
    LowLevelQuery low =
        new LowLevelQuery(
            1,
            query,
            WINDOW,
            slots,
            1,
            (keyGroup, bytes) -> assertTrue(tables.merge(PartialGroups.open(bytes))));
    flows.forEach(low::process);
    low.drainAll();
    List<WindowPart> parts = new ArrayList<>();
    tables.closeUpTo(END, parts::add);
    assertTrue(parts.size() <= 1);
    return parts.isEmpty() ? null : parts.get(0).toBytes();
  }

  @Test
  void groupsOfAllSitesAnswerWhatOneTableOfAllFlowsAnswers() {
    FlowQuery published = QueryParser.parse(PUBLISHED);
    for (int seed = 1; seed <= 12; seed++) {
      Random random = new Random(seed);
      List<FlowBatch> flows = new RandomFlows(seed).within(60_000_000L).batches(12, 400);
      for (String sql : QUERIES) {
        FlowQuery live = QueryParser.parse(sql);
        assertEquals(List.of(0), PublishedGroups.groupings(published, live), sql);
        WindowTables[] tables = new WindowTables[KEY_GROUPS];
        Arrays.setAll(tables, keyGroup -> new WindowTables(9, live, WINDOW));
        int sites = 1 + random.nextInt(4);
        List<List<FlowBatch>> bySite = new ArrayList<>();
        for (int site = 0; site < sites; site++) {
          bySite.add(new ArrayList<>());
        }
        flows.forEach(batch -> bySite.get(random.nextInt(sites)).add(batch));
        for (List<FlowBatch> ofSite : bySite) {
          byte[] states = states(published, ofSite, 2 << random.nextInt(5));
          if (states == null) {
            continue;
          }
          PublishedGroups groups = PublishedGroups.open(states, published);
          groups.send(
              9,
              live,
              0,
              0,
              END,
              END,
              KEY_GROUPS,
              (keyGroup, bytes) -> assertTrue(tables[keyGroup].merge(PartialGroups.open(bytes))));
        }
        List<WindowPart> parts = new ArrayList<>();
        for (WindowTables table : tables) {
          table.closeUpTo(END, parts::add);
        }
        WindowPart all = parts.get(0);
        parts.subList(1, parts.size()).forEach(all::merge);
        assertEquals(FlowQueries.run(flows, live), all.result(), "seed " + seed + ": " + sql);
      }
    }
  }

  private static List<Integer> groupings(String published, String live) {
    return PublishedGroups.groupings(QueryParser.parse(published), QueryParser.parse(live));
  }

  @Test
  void groupsOfOtherFlowsKeysOrAggregatesServeNobody() {
    String from = " FROM flows WHERE bytes > 5 GROUP BY src_addr, dst_port";
    String published = "SELECT src_addr, dst_port, SUM(bytes) AS b, QUANTILES(bytes) AS q" + from;
    assertEquals(List.of(0), groupings(published, "SELECT MEDIAN(QUANTILES(bytes)) AS m" + from));
    for (String other :
        List.of(
            "SELECT SUM(bytes) AS b" + from.replace("> 5", "> 6"),
            "SELECT SUM(bytes) AS b" + from.replace(" WHERE bytes > 5", ""),
            "SELECT SUM(bytes) AS b" + from.replace("src_addr", "dst_addr"),
            "SELECT SUM(bytes) AS b FROM flows WHERE bytes > 5 GROUP BY dst_port, src_addr",
            "SELECT SUM(bytes) AS b FROM flows WHERE bytes > 5 GROUP BY src_addr",
            "SELECT SUM(packets) AS b" + from,
            "SELECT MIN(bytes) AS b" + from,
            "SELECT COUNT(*) AS n" + from,
            "SELECT QUANTILES(bytes, 0.02) AS q" + from)) {
      assertEquals(List.of(), groupings(published, other), other);
    }
  }

  @Test
  void eachGroupingOfACountOfDifferentValuesIsServedByItself() {
    String live =
        "SELECT src_addr, COUNT(DISTINCT dst_addr) AS a, SUM(bytes) AS b, COUNT(DISTINCT dst_port)"
            + " AS p FROM flows GROUP BY src_addr";
    assertEquals(
        List.of(0),
        groupings(
            "SELECT src_addr, dst_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr, dst_addr",
            live));
    assertEquals(
        List.of(1),
        groupings(
            "SELECT src_addr, dst_port, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_port",
            live));
    assertEquals(
        List.of(),
        groupings("SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr", live));
  }

  @Test
  void whatCutsOrCountsGroupsIsNotPublished() {
    for (String sql :
        List.of(
            "SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr LIMIT 5",
            "SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr HAVING n > 1",
            "SELECT src_addr, COUNT(DISTINCT dst_addr) AS n FROM flows GROUP BY src_addr",
            "SELECT src_addr FROM flows")) {
      assertThrows(QueryException.class, () -> PublishedGroups.check(QueryParser.parse(sql)), sql);
    }
  }

  @Test
  void damagedStatesAreRefused() {
    FlowQuery published = QueryParser.parse(PUBLISHED);
    List<FlowBatch> flows = new RandomFlows(5).within(60_000_000L).batches(2, 50);
    byte[] bytes = states(published, flows, 64);
    Random random = new Random(6);
    for (int round = 0; round < 2000; round++) {
      byte[] damaged = bytes.clone();
      damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      assertThrows(
          PartialFormatException.class,
          () -> PublishedGroups.open(damaged, published),
          "seed 6, round " + round);
    }
    FlowQuery other = QueryParser.parse(PUBLISHED.replace("SUM(bytes)", "MIN(bytes)"));
    assertThrows(PartialFormatException.class, () -> PublishedGroups.open(bytes, other));
  }
}

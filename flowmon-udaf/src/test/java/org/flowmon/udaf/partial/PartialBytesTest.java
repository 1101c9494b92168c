package org.flowmon.udaf.partial;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.RandomFlows;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.group.GroupSample;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.pane.PaneKey;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.GroupBudget;
import org.flowmon.udaf.window.WindowAdvances;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** Bytes of partial groups, tables and parts: round trips and damaged bytes. */
public class PartialBytesTest {
  private static final FlowQuery QUERY =
      QueryParser.parse(
          "SELECT src_addr, service, SUM(bytes) AS b, MIN(dst_addr) AS m FROM flows GROUP BY"
              + " src_addr, service ORDER BY b DESC LIMIT 5");
  private static final FlowQuery STATES =
      QueryParser.parse(
          "SELECT dst_port, COUNT(bytes) AS n, COUNT(QUANTILES(bytes, 0.05)) AS c,"
              + " MEDIAN(QUANTILES(bytes, 0.05)) AS m, CARDINALITY(APPROX_COUNT_DISTINCT(src_addr))"
              + " AS d FROM flows GROUP BY dst_port");
  private static final WindowSpec WINDOW = WindowSpec.tumbling(1000, 0);

  private final GroupCollector groups = new GroupCollector(QUERY);
  private final byte[] partial;

  PartialBytesTest() {
    for (FlowBatch batch : new RandomFlows(5).batches(3, 400)) {
      int[] selection = new int[batch.rows()];
      for (int i = 0; i < selection.length; i++) {
        selection[i] = i;
      }
      groups.add(batch, 0, selection, selection.length);
    }
    partial = TablePartials.of(groups.table(), 9, 0, 77, 5000, 6000, 7000).get(0);
  }

  @Test
  void bytesGiveBackTheGroups() {
    PartialGroups opened = PartialGroups.open(partial);
    assertEquals(9, opened.queryId());
    assertEquals(77, opened.keyGroup());
    assertEquals(5000, opened.paneStart());
    assertEquals(6000, opened.fromWindowEnd());
    assertEquals(7000, opened.due());
    assertEquals(groups.table().size(), opened.groups());
    GroupTable again = new GroupTable(groups.table().layout());
    new PartialMerge(again.layout()).into(again, opened);
    assertEquals(groups.finish(), new GroupAnswer(again, QUERY).finish());
    new PartialMerge(again.layout()).into(again, opened);
    assertEquals(groups.table().size(), again.size());
  }

  @Test
  void wordsArePackedWhereTheyAreAsGroupByGroup() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT src_addr, dst_port, protocol, SUM(bytes) AS b, MIN(packets) AS m, COUNT(*) AS n"
                + " FROM flows GROUP BY src_addr, dst_port, protocol");
    PaneKey pane = new PaneKey(1, 2, 3);
    int most = 0;
    for (int seed = 0; seed < 40; seed++) {
      GroupTable table = new GroupTable(GroupLayout.of(query));
      Random random = new Random(seed);
      long[] nulls = new long[seed == 0 ? 70_000 : 1 + random.nextInt(3_000)];
      long[][] keys = new long[table.layout().keyWords()][nulls.length];
      long[][] states = new long[table.layout().stateWords()][nulls.length];
      for (long[][] columns : List.of(keys, states)) {
        for (long[] column : columns) {
          int bits = random.nextInt(65); // so that each encoding occurs
          long first = random.nextLong();
          Arrays.setAll(
              column, i -> bits == 0 ? first : first + (random.nextLong() >>> (64 - bits)));
        }
      }
      table.appendColumns(nulls, keys, states, nulls.length);
      List<byte[]> expected = TablePartials.ofRows(table, 7, 1, 5, pane);
      List<byte[]> packed = TablePartials.of(table, 7, 1, 5, 1, 2, 3);
      assertEquals(expected.size(), packed.size());
      for (int i = 0; i < packed.size(); i++) {
        assertArrayEquals(expected.get(i), packed.get(i), "seed " + seed);
      }
      most = Math.max(most, packed.size());
    }
    assertTrue(most > 1, "some do not fit one");
  }

  @Test
  void bytesOfVersion1AreGroupsOfTheOnlyGrouping() {
    byte[] old = before3(partial, 1);
    LittleEndian.putU16(old, PartialLayout.GROUPING_AT, 0xFFFF); // version 1 had no meaning there
    LittleEndian.putInt(old, PartialLayout.CRC_AT, Crc32c.around(old, PartialLayout.CRC_AT));
    PartialGroups opened = PartialGroups.open(old);
    assertEquals(0, opened.grouping());
    WindowTables tables = new WindowTables(9, QUERY, WINDOW);
    tables.merge(opened);
    List<WindowPart> parts = new ArrayList<>();
    tables.closeUpTo(6000, parts::add);
    assertEquals(1, parts.size());
    assertEquals(groups.finish(), parts.get(0).result());
    LittleEndian.putU16(old, PartialLayout.VERSION_AT, 5);
    PartialFormatException e =
        assertThrows(PartialFormatException.class, () -> PartialGroups.open(old));
    assertEquals("partial groups of version 5, this reads versions 1 \u2026 4", e.getMessage());
  }

  /** The bytes of older versions: without the tick from which the groups count. */
  private static byte[] before3(byte[] bytes, int version) {
    byte[] old = new byte[bytes.length - 8];
    System.arraycopy(bytes, 0, old, 0, 56);
    System.arraycopy(bytes, 64, old, 56, old.length - 56);
    LittleEndian.putU16(old, PartialLayout.VERSION_AT, version);
    LittleEndian.putInt(old, PartialLayout.LENGTH_AT, old.length);
    LittleEndian.putInt(old, PartialLayout.CRC_AT, Crc32c.around(old, PartialLayout.CRC_AT));
    return old;
  }

  @Test
  void openWindowsOfAnOlderStateHaveTheirFirstResultAtTheNextTick() {
    WindowSpec revised = new WindowSpec(1000, 1000, FlowColumn.END_TIME, 5000, 0, true, false);
    WindowTables tables = new WindowTables(9, QUERY, revised);
    tables.closeUpTo(6500, part -> {});
    // Their end had passed without a result, which was due at 11,000.
    byte[] state = tables.toBytes();
    WindowTables restored = WindowTables.fromBytes(state, 9, QUERY, revised);
    restored.merge(PartialGroups.open(before3(partial, 2)));
    List<WindowPart> parts = new ArrayList<>();
    restored.closeUpTo(6999, parts::add);
    assertEquals(0, parts.size());
    restored.closeUpTo(7000, parts::add);
    assertEquals(1, parts.size());
    assertEquals(groups.finish(), parts.get(0).result());
    WindowTables later = WindowTables.fromBytes(restored.toBytes(), 9, QUERY, revised);
    later.closeUpTo(11_000, parts::add);
    assertEquals(1, parts.size(), "nothing was added");
    assertTrue(later.isEmpty());
  }

  /** The bytes of a state in version 1: with so many words. */
  public static byte[] stateOf1(byte[] bytes, int words) {
    return stateOf(1, bytes, words);
  }

  private static byte[] stateOf(int version, byte[] bytes, int words) {
    int before = LittleEndian.getInt(bytes, 40);
    byte[] old = new byte[bytes.length - 8 * (before - words)];
    System.arraycopy(bytes, 0, old, 0, 48 + 8 * words);
    System.arraycopy(bytes, 48 + 8 * before, old, 48 + 8 * words, bytes.length - 48 - 8 * before);
    LittleEndian.putU16(old, 4, version);
    LittleEndian.putInt(old, 8, old.length);
    LittleEndian.putInt(old, 40, words);
    LittleEndian.putInt(old, 12, Crc32c.around(old, 12));
    return old;
  }

  @Test
  void aStateOfVersion1HasAllGroups() {
    WindowTables tables = new WindowTables(9, QUERY, WINDOW);
    tables.merge(PartialGroups.open(partial));
    WindowTables restored = WindowTables.fromBytes(stateOf1(tables.toBytes(), 0), 9, QUERY, WINDOW);
    List<WindowPart> parts = new ArrayList<>();
    restored.closeUpTo(6000, parts::add);
    assertEquals(groups.finish(), parts.get(0).result());
    WindowPart part = parts.get(0);
    byte[] old = stateOf1(part.toBytes(), 1 + groups.table().layout().stateWords());
    WindowPart opened = WindowPart.open(old, QUERY);
    assertEquals(part.result(), opened.result());
    assertEquals(part.totals(), opened.totals());
    assertEquals(groups.table().size(), opened.groups());
    assertEquals(0, opened.settled(GroupLimit.ofGroups(1 << 20)).level());
  }

  @Test
  void aPartOfVersion2SaysNothingOfBytes() {
    WindowTables tables = new WindowTables(9, QUERY, WINDOW);
    tables.merge(PartialGroups.open(partial));
    List<WindowPart> parts = new ArrayList<>();
    tables.closeUpTo(6000, parts::add);
    byte[] bytes = parts.get(0).toBytes();
    // The last word is the number of levels that follow: none without functions.
    int words = LittleEndian.getInt(bytes, 40);
    assertEquals(0, LittleEndian.getLong(bytes, 48 + 8 * (words - 1)));
    WindowPart opened = WindowPart.open(stateOf(2, bytes, words - 1), QUERY);
    assertEquals(parts.get(0).result(), opened.result());
    assertEquals(parts.get(0).groups(), opened.groups());
    assertEquals(0, opened.settled(new GroupLimit(1 << 20, 1)).level());
    assertTrue(opened.settled(GroupLimit.ofGroups(3)).level() > 0);
    assertThrows(
        PartialFormatException.class, () -> WindowPart.open(stateOf(2, bytes, words), QUERY));
    assertThrows(
        PartialFormatException.class, () -> WindowPart.open(stateOf(3, bytes, words - 1), QUERY));
  }

  @Test
  void groupsThatWereLeftOutAreInTheState() {
    GroupBudget budget =
        new GroupBudget(GroupLimit.ofGroups(groups.table().size() / 3), WINDOW, 1, 1);
    WindowTables tables = new WindowTables(9, QUERY, WINDOW, budget, new WindowAdvances());
    tables.merge(PartialGroups.open(partial));
    assertTrue(budget.level() > 0 && budget.dropped() > 0);
    assertEquals(groups.table().size(), tables.groups() + budget.dropped());
    byte[] state = tables.toBytes();
    GroupBudget again = new GroupBudget(GroupLimit.ofGroups(groups.table().size()), WINDOW, 1, 1);
    WindowTables restored =
        WindowTables.fromBytes(state, 9, QUERY, WINDOW, again, new WindowAdvances());
    assertEquals(budget.level(), again.level(), "a level only rises, whatever there is room for");
    assertEquals(tables.groups(), restored.groups());
    List<WindowPart> parts = new ArrayList<>();
    tables.closeUpTo(6000, parts::add);
    restored.closeUpTo(6000, parts::add);
    assertEquals(parts.get(0).result(), parts.get(1).result());
    assertEquals(parts.get(0).totals(), parts.get(1).totals());
    assertEquals(WindowPart.of(9, 6000, QUERY, groups.table()).totals(), parts.get(1).totals());
  }

  @Test
  void partsThatTookForCertainThatAllGroupsFitGiveNoneWhereTheyDoNot() {
    int all = groups.table().size();
    List<WindowPart> parts = new ArrayList<>();
    WindowTables tables = new WindowTables(9, QUERY, WINDOW);
    tables.merge(PartialGroups.open(partial));
    tables.closeUpTo(6000, parts::add);
    assertEquals(0, parts.get(0).settled(GroupLimit.ofGroups(all)).level());
    assertEquals(all, parts.get(0).settled(GroupLimit.ofGroups(all)).estimatedGroups());
    WindowPart none = parts.get(0).settled(GroupLimit.ofGroups(all - 1));
    assertEquals(GroupSample.NONE, none.level());
    assertEquals(0, none.result().rowCount());
    assertEquals(-1, none.estimatedGroups());
    assertEquals(parts.get(0).totals(), none.totals());
  }

  @Test
  void manyGroupsAreCutIntoSeveralArrays() {
    FlowQuery query =
        QueryParser.parse("SELECT arrival, COUNT(*) AS n FROM flows GROUP BY arrival");
    GroupCollector many = new GroupCollector(query);
    for (FlowBatch batch : new RandomFlows(2).batches(200, 2000)) {
      for (int from = 0; from < batch.rows(); from += 1000) {
        int[] selection = new int[Math.min(1000, batch.rows() - from)];
        for (int i = 0; i < selection.length; i++) {
          selection[i] = i;
        }
        many.add(batch, from, selection, selection.length);
      }
    }
    List<byte[]> arrays = TablePartials.of(many.table(), 1, 0, 0, 0, 1000, 1000);
    assertTrue(arrays.size() > 1, arrays.size() + " arrays of " + many.table().size() + " groups");
    GroupTable again = new GroupTable(many.table().layout());
    arrays.forEach(
        bytes -> new PartialMerge(again.layout()).into(again, PartialGroups.open(bytes)));
    assertEquals(many.finish(), new GroupAnswer(again, query).finish());
  }

  /** Groups with states of functions, beside sums. */
  private static GroupCollector withStates() {
    GroupCollector collector = new GroupCollector(STATES);
    for (FlowBatch batch : new RandomFlows(6).modest().batches(4, 300)) {
      int[] selection = new int[batch.rows()];
      for (int i = 0; i < selection.length; i++) {
        selection[i] = i;
      }
      collector.add(batch, 0, selection, selection.length);
    }
    return collector;
  }

  @Test
  void statesOfFunctionsTravelAsBytes() {
    GroupCollector collector = withStates();
    byte[] bytes = TablePartials.of(collector.table(), 9, 0, 0, 5000, 6000, 6000).get(0);
    assertEquals(4, LittleEndian.getU16(bytes, PartialLayout.VERSION_AT));
    assertEquals(3, LittleEndian.getU16(partial, PartialLayout.VERSION_AT), "no states, as before");
    GroupTable again = new GroupTable(collector.table().layout());
    new PartialMerge(again.layout()).into(again, PartialGroups.open(bytes));
    assertEquals(collector.finish(), new GroupAnswer(again, STATES).finish());
    new PartialMerge(again.layout()).into(again, PartialGroups.open(bytes));
    ResultTable twice = new GroupAnswer(again, STATES).finish();
    for (int row = 0; row < twice.rowCount(); row++) {
      assertEquals(twice.longValue(row, 1), twice.longValue(row, 2), "row " + row);
      assertEquals(2 * collector.finish().longValue(row, 1), twice.longValue(row, 1));
    }
    assertTrue(again.heapBytes() > collector.table().size() * 100L);
    again.clear();
    assertEquals(0, again.size());
    new PartialMerge(again.layout()).into(again, PartialGroups.open(bytes));
    assertEquals(collector.finish(), new GroupAnswer(again, STATES).finish());
  }

  @Test
  void forgedStatesNeverCrashAnythingElse() {
    byte[] bytes = TablePartials.of(withStates().table(), 9, 0, 0, 5000, 6000, 6000).get(0);
    int refused = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] forged = bytes.clone();
      for (int m = 1 + random.nextInt(4); m > 0; m--) {
        int place = random.nextInt(forged.length);
        forged[place] = (byte) (random.nextBoolean() ? random.nextInt(256) : 0xFF);
      }
      LittleEndian.putInt(
          forged, PartialLayout.CRC_AT, Crc32c.around(forged, PartialLayout.CRC_AT));
      try {
        GroupTable table = new GroupTable(GroupLayout.of(STATES));
        new PartialMerge(table.layout()).into(table, PartialGroups.open(forged));
        new GroupAnswer(table, STATES).finish();
      } catch (PartialFormatException expected) {
        refused++;
      } catch (RuntimeException | OutOfMemoryError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertTrue(refused > 1000, refused + " refused");
  }

  @Test
  void groupsOfAnotherQueryAreRefused() {
    FlowQuery other =
        QueryParser.parse(
            "SELECT src_addr, service, SUM(bytes) AS b FROM flows GROUP BY src_addr, service");
    GroupTable table = new GroupTable(GroupLayout.of(other));
    assertThrows(
        PartialFormatException.class,
        () -> new PartialMerge(table.layout()).into(table, PartialGroups.open(partial)));
    WindowTables tables = new WindowTables(8, QUERY, WINDOW);
    assertThrows(PartialFormatException.class, () -> tables.merge(PartialGroups.open(partial)));
  }

  @Test
  void everyFlippedByteAndEveryCutIsDetected() {
    WindowTables tables = new WindowTables(9, QUERY, WINDOW);
    tables.merge(PartialGroups.open(partial));
    byte[] state = tables.toBytes();
    byte[] part = WindowPart.of(9, 6000, QUERY, groups.table()).toBytes();
    for (byte[] bytes : List.of(partial, state, part, sampled())) {
      Random random = new Random(bytes.length);
      for (int i = 0; i < bytes.length; i++) {
        byte[] flipped = bytes.clone();
        flipped[i] ^= (byte) (1 << random.nextInt(8));
        assertThrows(PartialFormatException.class, () -> open(flipped), "byte " + i);
      }
      for (int length = 0; length < bytes.length; length += 1 + length / 50) {
        byte[] cut = java.util.Arrays.copyOf(bytes, length);
        assertThrows(PartialFormatException.class, () -> open(cut), "length " + length);
      }
    }
  }

  /** A state with dropped groups. */
  private byte[] sampled() {
    GroupBudget budget =
        new GroupBudget(GroupLimit.ofGroups(groups.table().size() / 3), WINDOW, 1, 1);
    WindowTables tables = new WindowTables(9, QUERY, WINDOW, budget, new WindowAdvances());
    tables.merge(PartialGroups.open(partial));
    return tables.toBytes();
  }

  @Test
  void forgedBytesWithAMatchingChecksumNeverCrashAnythingElse() {
    WindowTables tables = new WindowTables(9, QUERY, WINDOW);
    tables.merge(PartialGroups.open(partial));
    List<byte[]> all =
        List.of(
            partial,
            tables.toBytes(),
            WindowPart.of(9, 6000, QUERY, groups.table()).toBytes(),
            sampled());
    int[] crcAt = {PartialLayout.CRC_AT, 12, 12, 12};
    for (int seed = 0; seed < 30_000; seed++) {
      Random random = new Random(seed);
      int kind = random.nextInt(all.size());
      byte[] forged = all.get(kind).clone();
      for (int m = 1 + random.nextInt(4); m > 0; m--) {
        int place = random.nextInt(random.nextBoolean() ? 80 : forged.length);
        forged[place] =
            (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextBoolean() ? 0xFF : 0);
      }
      LittleEndian.putInt(forged, crcAt[kind], Crc32c.around(forged, crcAt[kind]));
      try {
        open(forged);
      } catch (PartialFormatException expected) {
        // the declared exception
      } catch (RuntimeException | OutOfMemoryError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  /** Opens the bytes by their first four, and uses their contents. */
  private static void open(byte[] bytes) {
    int magic = bytes.length < 4 ? 0 : LittleEndian.getInt(bytes, 0);
    if (magic == PartialLayout.MAGIC) {
      GroupTable table = new GroupTable(GroupLayout.of(QUERY));
      new PartialMerge(table.layout()).into(table, PartialGroups.open(bytes));
      new GroupAnswer(table, QUERY).finish();
    } else if (bytes.length > 3 && bytes[3] == 'T') {
      WindowTables.fromBytes(bytes, 9, QUERY, WINDOW).closeUpTo(1L << 50, part -> part.result());
    } else {
      WindowPart part = WindowPart.open(bytes, QUERY);
      part.result();
      part.totals();
      part.settled(GroupLimit.ofGroups(3)).result();
    }
  }
}

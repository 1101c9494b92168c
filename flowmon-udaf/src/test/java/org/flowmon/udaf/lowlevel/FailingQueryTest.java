package org.flowmon.udaf.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.FlowWindows;
import org.flowmon.udaf.RandomFlows;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.text.QueryException;
import org.junit.jupiter.api.Test;

/** Queries that fail go alone: those that share a table with them miss nothing. */
class FailingQueryTest extends SharedTablesFixture {
  @Test
  void aQueryWhoseArgumentFailsGoesAloneAndTheOthersMissNoFlow() {
    WindowSpec window = WindowSpec.tumbling(5 * MINUTE, MINUTE);
    LowLevel low = new LowLevel();
    Live bytes = live(1, "src_addr, SUM(bytes) AS b", "src_addr", window, low);
    Live fails =
        live(
            2,
            "src_addr, SUM(CASE WHEN service = 'dns' THEN bytes ELSE 0 END) AS b",
            "src_addr",
            window,
            low);
    Live packets = live(3, "src_addr, MAX(packets) AS p", "src_addr", window, low);
    Live byPort = live(4, "dst_port, COUNT(*) AS n", "dst_port", window, low);
    Live byText = live(5, "service, COUNT(*) AS n", "service", window, low);
    Live distinct = live(6, "src_addr, COUNT(DISTINCT service) AS n", "src_addr", window, low);
    List<FlowBatch> flows = new ArrayList<>();
    flows.addAll(new RandomFlows(6).modest().within(20 * MINUTE).batches(3, 900));
    FlowBatch whole = new RandomFlows(7).modest().within(20 * MINUTE).batch(3000);
    FlowBatch broken = broken(whole, 1500);
    flows.add(broken);
    flows.addAll(new RandomFlows(8).modest().within(20 * MINUTE).batches(3, 900));
    assertEquals(4, low.tables());
    for (FlowBatch batch : flows) {
      low.process(batch);
      for (Live live : List.of(bytes, packets, byPort)) {
        live.given.add(batch == broken ? whole : batch);
      }
    }
    assertEquals(2, low.tables());
    long sentBefore = fails.partials + byText.partials + distinct.partials;
    low.closePanesUpTo(Long.MAX_VALUE / 4);
    assertFalse(low.isDrained());
    assertTrue(low.drainSome(Integer.MAX_VALUE));
    for (Live live : List.of(fails, byText, distinct)) {
      assertNotNull(live.member.failure(), live.query.toString());
    }
    assertEquals(sentBefore, fails.partials + byText.partials + distinct.partials);
    for (Live live : List.of(bytes, packets, byPort)) {
      assertNull(live.member.failure(), live.query.toString());
      live.check("seeds 6 to 8");
    }
  }

  /** The flows; one has an unreadable service, as its batch was overwritten. */
  private static FlowBatch broken(FlowBatch from, int row) {
    int rows = from.rows();
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    for (int r = 0; r < rows; r++) {
      builder.appendRow(from, r);
    }
    byte[] bytes = builder.build(1, 0, rows, 0);
    FlowBatch batch = FlowBatch.open(bytes);
    // The offsets of the texts, one more than rows, lie before these.
    StringBuilder texts = new StringBuilder();
    for (int r = 0; r < 40; r++) {
      String text = from.text(FlowColumn.SERVICE, r);
      texts.append(text == null ? "" : text);
    }
    byte[] first = texts.toString().getBytes(StandardCharsets.UTF_8);
    for (int at = 4 * (rows + 1); at < bytes.length - first.length; at++) {
      if (Arrays.equals(bytes, at, at + first.length, first, 0, first.length)) {
        bytes[at - 4 * (rows + 1 - row) + 3] = 0x7F;
        return batch;
      }
    }
    throw new AssertionError("no texts in the batch");
  }

  @Test
  void aQueryWhoseArgumentFailsGoesAloneWhereFlowsAreDivided() {
    WindowSpec window =
        new WindowSpec(MINUTE, MINUTE, FlowColumn.END_TIME, MINUTE, MINUTE, false, true);
    LowLevel low = new LowLevel();
    Live bytes = live(1, "src_addr, SUM(bytes) AS b", "src_addr", window, low);
    Live fails =
        live(2, "src_addr, MAX(CASE service WHEN 'dns' THEN 1 END) AS m", "src_addr", window, low);
    FlowBatch whole = new RandomFlows(12).modest().within(20 * MINUTE).batch(2500);
    low.process(whole);
    low.process(broken(whole, 1300));
    low.drainAll();
    assertNotNull(fails.member.failure());
    assertNull(bytes.member.failure());
    bytes.close(Long.MAX_VALUE / 4);
    FlowWindows expected =
        FlowWindows.run(List.of(whole, whole), bytes.query, bytes.window, 1 << 14, 1);
    assertEquals(expected.windows().keySet(), bytes.windows.keySet());
    expected
        .windows()
        .forEach((end, part) -> assertEquals(part.result(), bytes.windows.get(end).result()));
    assertEquals(expected.counts().counted(), bytes.member.counts().counted());
    assertEquals(expected.counts().late(), bytes.member.counts().late());
    assertEquals(expected.counts().partlyLate(), bytes.member.counts().partlyLate());
  }

  @Test
  void aQueryWhoseGroupsCannotBeSentGoesAloneAndTheWatermarkIsNotHeld() {
    WindowSpec window = WindowSpec.tumbling(5 * MINUTE, MINUTE);
    LowLevel low = new LowLevel();
    String tooLong = "x".repeat(FlowBatch.MAX_TEXT_BYTES + 1);
    Live bytes = live(1, "src_addr, SUM(bytes) AS b", "src_addr", window, low);
    String key = "CASE WHEN outgoing THEN '" + tooLong + "' ELSE 'x' END";
    FlowQuery query =
        QueryParser.parse("SELECT " + key + " AS k, COUNT(*) AS n FROM flows GROUP BY k");
    Live fails = new Live(2, query, window, 1024, 16, low);
    Live packets = live(3, "src_addr, MAX(packets) AS p", "src_addr", window, low);
    List<FlowBatch> flows = new RandomFlows(9).within(20 * MINUTE).batches(5, 1500);
    for (FlowBatch batch : flows) {
      low.process(batch);
      bytes.given.add(batch);
      packets.given.add(batch);
    }
    assertNull(fails.member.failure());
    low.closePanesUpTo(Long.MAX_VALUE / 4);
    for (int some = 0; some < 1024; some += 100) {
      low.drainSome(100);
    }
    assertTrue(low.isDrained());
    assertTrue(
        String.valueOf(fails.member.failure()).contains("a text key of"),
        () -> String.valueOf(fails.member.failure()));
    assertEquals(1, low.tables());
    bytes.check("seed 9");
    packets.check("seed 9");
  }

  @Test
  void whatASinkThrowsIsThrownOnAndIsNoFailureOfAQuery() {
    WindowSpec window = WindowSpec.tumbling(5 * MINUTE, MINUTE);
    LowLevel low = new LowLevel();
    Live bytes = live(1, "src_addr, SUM(bytes) AS b", "src_addr", window, low);
    IllegalStateException gone = new IllegalStateException("the network is gone");
    LowLevelMember other =
        low.add(
            2,
            QueryParser.parse("SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr"),
            window,
            1024,
            16,
            (keyGroup, message) -> {
              throw gone;
            });
    low.process(new RandomFlows(10).batch(100));
    assertSame(gone, assertThrows(IllegalStateException.class, low::drainAll));
    assertNull(bytes.member.failure());
    assertNull(other.failure());
  }

  @Test
  void aQueryThatCannotBeEvaluatedIsRefusedAndTheOthersStay() {
    WindowSpec window = WindowSpec.tumbling(5 * MINUTE, MINUTE);
    LowLevel low = new LowLevel();
    Live bytes = live(1, "src_addr, SUM(bytes) AS b", "src_addr", window, low);
    FlowBatch batch = new RandomFlows(11).within(20 * MINUTE).batch(1000);
    low.process(batch);
    bytes.given.add(batch);
    FlowQuery unbound =
        QueryParser.parse("SELECT src_addr, SUM(bytes * :n) AS b FROM flows GROUP BY src_addr");
    assertThrows(
        QueryException.class, () -> low.add(2, unbound, window, 1024, 16, (k, message) -> {}));
    low.drainAll();
    bytes.check("seed 11");
  }
}

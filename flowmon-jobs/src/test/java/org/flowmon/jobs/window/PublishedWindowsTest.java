package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.merge.MergeRun;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** The final windows published by the last step of a site's job. */
class PublishedWindowsTest {
  private static final long SECOND = TestFlow.SECOND;

  private static final AnalysisConfig STATES =
      AnalysisConfig.parse(
          "p.yaml",
          """
          name: p
          live:
            query: SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr
            window: 2s
            lateness: 1s
          report: {logic: states}
          """);
  private static final LiveQuery LIVE = LiveQuery.of(STATES);

  private final List<WindowPart> parts = parts();

  /** Returns the windows of some flows, earliest first. */
  private static List<WindowPart> parts() {
    WindowTables tables = new WindowTables(LIVE.id(), LIVE.query(), LIVE.window());
    for (Partial partial :
        new MergeRun(List.of(STATES)).lowLevel(TestFlow.random(51, 1_000, 10, 5))) {
      assertTrue(tables.merge(PartialGroups.open(((Partial.Groups) partial).bytes())));
    }
    List<WindowPart> parts = new ArrayList<>();
    tables.closeUpTo(Long.MAX_VALUE, parts::add);
    assertTrue(parts.size() >= 5, parts.size() + " windows, seed 51");
    return parts;
  }

  private static Partial.Part part(byte[] bytes) {
    return new Partial.Part(LIVE.id(), bytes);
  }

  private static byte[] damaged(WindowPart part) {
    byte[] bytes = part.toBytes();
    bytes[bytes.length - 1] ^= 1;
    return bytes;
  }

  @Test
  void statesAreMadeOneWindowAtATime() {
    OpenWindows open = new OpenWindows(LIVE, new SimpleCounter());
    for (int i = 0; i < 4; i++) {
      byte[] bytes = i == 2 ? damaged(parts.get(i)) : parts.get(i).toBytes();
      assertTrue(open.add(part(bytes), Long.MIN_VALUE));
    }
    long through = parts.get(2).windowEnd() + SECOND;
    for (int i = 0; i < 2; i++) {
      PublishedWindow states = open.nextStates(through).orElseThrow();
      assertEquals(parts.get(i).windowEnd(), states.windowEnd());
      assertArrayEquals(parts.get(i).toBytes(), states.bytes());
    }
    // The third is not read before it is asked for.
    assertThrows(PartialFormatException.class, () -> open.nextStates(through));
    assertTrue(open.nextStates(through).isEmpty(), "the fourth is not final");
    assertEquals(Set.of(parts.get(3).windowEnd()), open.ends());
    assertEquals(
        parts.get(3).windowEnd(), open.nextStates(Long.MAX_VALUE).orElseThrow().windowEnd());
    assertEquals(List.of(parts.get(3).windowEnd()), toList(open.closedEarly()));
  }

  private static List<Long> toList(Iterable<Long> ends) {
    List<Long> all = new ArrayList<>();
    ends.forEach(all::add);
    return all;
  }

  private static OneInputStreamOperatorTestHarness<Partial, WindowResult> site(
      OperatorSubtaskState state) throws Exception {
    return PublishedFromTest.site(STATES, null, state);
  }

  /** Returns the number of publications in the last progress. */
  private static int publications(OneInputStreamOperatorTestHarness<Partial, WindowResult> site) {
    int last = -1;
    for (var record : site.getSideOutput(WindowOperator.STATES)) {
      if (StatesMessage.open(record.getValue().bytes()) instanceof StatesMessage.Progress said) {
        last = said.published().size();
      }
    }
    return last;
  }

  /** Returns the messages: ends of windows, then "through" the common time. */
  private static List<String> said(OneInputStreamOperatorTestHarness<Partial, WindowResult> site) {
    List<String> said = new ArrayList<>();
    var records = site.getSideOutput(WindowOperator.STATES);
    if (records == null) {
      return said;
    }
    for (var record : records) {
      StatesMessage message = StatesMessage.open(record.getValue().bytes());
      if (message instanceof StatesMessage.Part part) {
        said.add("window " + part.windowEnd());
      } else if (message instanceof StatesMessage.Progress progress) {
        said.add("through " + progress.through());
      }
    }
    records.clear();
    return said;
  }

  @Test
  void eachFinalWindowIsPublishedOnceBeforeItIsSaidThatAllAre() throws Exception {
    long mark = WatermarkTime.watermark(parts.get(1).windowEnd() + SECOND + 1000, 0);
    long through = WatermarkTime.completeThrough(mark);
    OperatorSubtaskState state;
    try (var site = site(null)) {
      for (WindowPart part : parts) {
        site.processElement(new StreamRecord<>(part(part.toBytes())));
      }
      site.processWatermark(mark);
      assertEquals(
          List.of(
              "through " + Long.MIN_VALUE,
              "window " + parts.get(0).windowEnd(),
              "window " + parts.get(1).windowEnd(),
              "through " + through),
          said(site));
      assertTrue(site.extractOutputValues().stream().allMatch(WindowResult::isAnnouncement));
      state = site.snapshot(1, 1);
    }
    try (var site = site(state)) {
      site.processWatermark(Watermark.MAX_WATERMARK.getTimestamp());
      List<String> expected = new ArrayList<>(List.of("through " + through));
      for (WindowPart part : parts.subList(2, parts.size())) {
        expected.add("window " + part.windowEnd());
      }
      assertEquals(expected, said(site), "from the state, at the end of input");
      state = site.snapshot(2, 2);
    }
    try (var site = site(state)) {
      site.processElement(new StreamRecord<>(part(parts.get(3).toBytes())));
      site.processWatermark(Watermark.MAX_WATERMARK.getTimestamp());
      assertEquals(List.of(), said(site), "it went out at the end of input before");
    }
  }

  @Test
  void anAnalysisWhoseWindowCannotBeReadPublishesNoMore() throws Exception {
    try (var site = site(null)) {
      for (int i = 0; i < 4; i++) {
        byte[] bytes = i == 2 ? damaged(parts.get(i)) : parts.get(i).toBytes();
        site.processElement(new StreamRecord<>(part(bytes)));
      }
      site.processWatermark(WatermarkTime.watermark(parts.get(1).windowEnd() + SECOND + 1000, 0));
      assertEquals(1, publications(site));
      site.processWatermark(WatermarkTime.watermark(parts.get(4).windowEnd(), 0));
      assertEquals(0, publications(site), "those who merge are told that it is no more");
      Set<String> windows = new TreeSet<>(said(site));
      windows.removeIf(one -> one.startsWith("through"));
      assertEquals(
          Set.of("window " + parts.get(0).windowEnd(), "window " + parts.get(1).windowEnd()),
          windows);
    }
  }
}

package org.flowmon.jobs.site.centre;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.SitePublisher;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;

/** Three sites a, b, c and their messages to a merging job. */
abstract class SaidBySites {
  static final long SECOND = TestFlow.SECOND;
  static final long START = TestFlow.START;
  static final int KEY_GROUPS = 4;
  static final long TIMEOUT = 1000;
  static final long AHEAD = 3600 * SECOND;
  // The broker's clock at the beginning, in milliseconds: the sites' messages are of times before.
  static final long CLOCK = (START + AHEAD) / 1000;

  static final String PUBLISHED_SELECT = "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS b";
  static final LiveQuery PUBLISHED = live("p", PUBLISHED_SELECT, "2s", "2s", "1s", "states");
  static final LiveQuery TOTAL =
      live("total", "SELECT src_addr, SUM(bytes) AS b", "4s", "2s", "1s", "live");

  final List<Partial> out = new ArrayList<>();
  final Map<String, Counter> counters = new HashMap<>();
  SiteStates states = states();
  final Map<String, Long> numbers = new HashMap<>();
  // The last attempt of each site.
  private final Map<String, Long> attempts = new HashMap<>();

  static LiveQuery live(
      String name, String select, String window, String slide, String lateness, String logic) {
    return LiveQuery.of(
        AnalysisConfig.parse(
            name + ".yaml",
            """
            name: %s
            live: {query: "%s FROM flows GROUP BY src_addr", window: %s, slide: %s, lateness: %s}
            report: {logic: %s}
            """
                .formatted(name, select, window, slide, lateness, logic)));
  }

  SiteStates states() {
    return states(1 << 28);
  }

  /** Returns states that keep at most this many bytes of incomplete windows. */
  SiteStates states(long partsBytes) {
    SiteStates made =
        new SiteStates(
            List.of("a", "b", "c"),
            TIMEOUT,
            AHEAD,
            partsBytes,
            KEY_GROUPS,
            out::add,
            new UnregisteredMetricsGroup() {
              @Override
              public Counter counter(String name) {
                return counters.computeIfAbsent(name, key -> new SimpleCounter());
              }
            });
    made.queries(List.of(TOTAL));
    return made;
  }

  /** Returns the states after a restart. */
  SiteStates restored() {
    return restored(states());
  }

  SiteStates restored(SiteStates empty) {
    states.sites().forEach(site -> empty.restore(MergedSite.read(site.toBytes())));
    empty.restore(states.times());
    return empty;
  }

  long count(String name) {
    assertTrue(counters.containsKey(name), () -> name + " in " + counters.keySet());
    return counters.get(name).getCount();
  }

  /** Returns a site's flows of one window, all of its groups. */
  static byte[] window(List<TestFlow> flows, long end) {
    WindowTables tables = new WindowTables(1, PUBLISHED.query(), PUBLISHED.window());
    LowLevelQuery low =
        new LowLevelQuery(
            1,
            PUBLISHED.query(),
            PUBLISHED.window(),
            64,
            1,
            (keyGroup, bytes) -> assertTrue(tables.merge(PartialGroups.open(bytes))));
    for (FlowBatch batch : TestFlow.batches(flows, 50, 1)) {
      low.process(batch);
    }
    low.drainAll();
    List<WindowPart> parts = new ArrayList<>();
    tables.closeUpTo(Long.MAX_VALUE, parts::add);
    return parts.stream().filter(part -> part.windowEnd() == end).findFirst().get().toBytes();
  }

  static List<TestFlow> flows(long end, int seed) {
    Random random = new Random(seed);
    List<TestFlow> flows = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      long time = end - 1 - random.nextInt((int) (2 * SECOND));
      flows.add(
          new TestFlow(
              time, time, IpAddress.ofIpv4(random.nextInt(20)), random.nextInt(1000), null));
    }
    return flows;
  }

  /** Returns the number of the first of some messages of an attempt. */
  long number(String site, long attempt, int count) {
    attempts.put(site, attempt);
    return numbers.merge(site + " " + attempt, (long) count, Long::sum) - count;
  }

  /** Sends a message this many milliseconds after the beginning, by the broker's clock. */
  boolean take(long millis, byte[] bytes) {
    return states.take(CLOCK + millis, bytes);
  }

  boolean progress(long time, String site, long through) {
    long attempt = attempts.getOrDefault(site, 1L);
    return take(
        time,
        new StatesMessage.Progress(
                attempt,
                number(site, attempt, 1),
                site,
                through,
                List.of(SitePublisher.published(PUBLISHED, Long.MIN_VALUE)))
            .toBytes());
  }

  List<byte[]> told(String site, long attempt, long end, byte[] bytes) {
    ArrivalCounts counts = new ArrivalCounts(40, 1, 2, 3);
    long number = numbers.getOrDefault(site + " " + attempt, 0L);
    var parts =
        StatesMessage.parts(attempt, number, site, Publication.of(PUBLISHED), end, counts, bytes);
    var unused = number(site, attempt, parts.size());
    return parts.stream().map(StatesMessage::toBytes).toList();
  }

  void say(long time, String site, long attempt, long end, byte[] bytes) {
    told(site, attempt, end, bytes).forEach(message -> take(time, message));
  }

  void begin() {
    for (String site : List.of("a", "b", "c")) {
      progress(0, site, Long.MIN_VALUE);
    }
  }

  Map<Long, Long> merged(long through) {
    Map<Long, WindowTables> tables = new TreeMap<>();
    for (Partial partial : out) {
      if (partial instanceof Partial.Groups groups) {
        tables
            .computeIfAbsent(
                (long) groups.keyGroup(),
                kg -> new WindowTables(TOTAL.id(), TOTAL.query(), TOTAL.window()))
            .merge(PartialGroups.open(groups.bytes()));
      }
    }
    Map<Long, Long> sums = new TreeMap<>();
    for (WindowTables table : tables.values()) {
      table.closeUpTo(
          through, part -> sums.merge(part.windowEnd(), part.totals().longValue(0, 0), Long::sum));
    }
    return sums;
  }

  static long sum(List<TestFlow> flows) {
    return flows.stream().mapToLong(TestFlow::bytes).sum();
  }

  List<String> missing() {
    List<String> all = new ArrayList<>();
    for (Partial partial : out) {
      if (partial instanceof Partial.Missing of) {
        assertEquals(TOTAL.id(), of.queryId());
        all.add(of.site() + " " + of.after() + " " + of.through());
      }
    }
    return all;
  }

  /** Says how far a site that publishes a query has come. */
  void progress(LiveQuery published, String site, long through) {
    take(
        0,
        new StatesMessage.Progress(
                1,
                number(site, 1, 1),
                site,
                through,
                List.of(SitePublisher.published(published, Long.MIN_VALUE)))
            .toBytes());
  }
}

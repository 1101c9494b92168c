package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.sink.kafka.KafkaStates;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.window.WindowOperator;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three jobs of sites publish states, and a job without flows merges them: compared with one job
 * over all flows, and with brute-force counts.
 */
class SitesJobTest {
  static final List<String> SITES = List.of("berlin", "graz", "vienna");

  private static final int PARTITIONS = 2;

  private static final long SECOND = TestFlow.SECOND;

  private static final String FROM = " FROM flows WHERE outgoing IS NOT TRUE GROUP BY src_addr";

  // 64 slots for some 300 groups: nearly every batch evicts.
  private static final List<AnalysisConfig> PUBLISHED =
      List.of(
          analysis(
              "by_source",
              "SELECT src_addr, COUNT(*) AS flows, SUM(bytes) AS bytes, MIN(bytes) AS least,"
                  + " MAX(bytes) AS most, QUANTILES(bytes, 0.05) AS q, DISTINCT_SAMPLE(bytes, 64)"
                  + " AS d, HEAVY_HITTERS(bytes, 1, 64) AS h"
                  + FROM,
              "2s",
              "2s",
              "states"),
          analysis(
              "by_source_and_bytes",
              "SELECT src_addr, bytes, COUNT(*) AS flows, MAX(bytes) AS most, MIN(bytes) AS least,"
                  + " DISTINCT_SAMPLE(bytes, 64) AS d"
                  + FROM
                  + ", bytes",
              "2s",
              "2s",
              "states"));

  private static final AnalysisConfig TUMBLING =
      TestAnalyses.talkers("tumbling", "2s", "2s", "2s", 64, 10);

  private static final AnalysisConfig SLIDING =
      TestAnalyses.talkers("sliding", "6s", "2s", "2s", 64, 10);

  private static final AnalysisConfig COARSE =
      TestAnalyses.talkers("coarse", "8s", "4s", "3s", 64, "HAVING SUM(bytes) > 1000000", 10);

  private static final List<AnalysisConfig> MERGED =
      List.of(
          TUMBLING,
          SLIDING,
          COARSE,
          analysis(
              "exact",
              "SELECT src_addr, MAX(bytes) AS most, MIN(bytes) AS least, COUNT(*) AS flows,"
                  + " COUNT(DISTINCT bytes) AS sizes, DISTINCT_SAMPLE(bytes, 64) AS d"
                  + FROM
                  + " ORDER BY sizes DESC LIMIT 20",
              "6s",
              "2s",
              "live"),
          analysis(
              "joined",
              "SELECT a.src_addr, a.flows, b.bytes FROM (SELECT src_addr, COUNT(*) AS flows"
                  + FROM
                  + ") AS a JOIN (SELECT src_addr, SUM(bytes) AS bytes"
                  + FROM
                  + ") AS b ON a.src_addr = b.src_addr ORDER BY flows DESC, src_addr LIMIT 5",
              "4s",
              "4s",
              "live"),
          analysis(
              "approximate",
              "SELECT src_addr, COUNT(*) AS flows, MEDIAN(QUANTILES(bytes, 0.05)) AS median,"
                  + " ESTIMATE(HEAVY_HITTERS(bytes, 1, 64), 1000) AS thousands,"
                  + " LOWER(thousands) AS low, UPPER(thousands) AS high"
                  + FROM,
              "6s",
              "2s",
              "live"));

  // In milliseconds: all windows of all flows are final by then.
  private static final long LAST_SAID = TestFlow.START / 1000 + 100_000;

  private static TestKafka kafka;

  @TempDir private static Path directory;

  @BeforeAll
  static void startKafka() throws Exception {
    kafka = new TestKafka(directory.resolve("kafka"));
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  private static AnalysisConfig analysis(
      String name, String query, String window, String slide, String logic) {
    return AnalysisConfig.parse(
        name + ".yaml",
        """
        name: %s
        live: {query: "%s", window: %s, slide: %s, lateness: 2s, slots: 64}
        report: {logic: %s}
        """
            .formatted(name, query, window, slide, logic));
  }

  private static JobConfig config(String topic, int parallelism, String more) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: %s, analyses_topic: none}
        job:
          role: analyses
          parallelism: %d
          max_parallelism: 16
          checkpoint_interval: 100ms
          checkpoint_directory: %s
          disorder_bound: 0s
          bounded: true
        %s
        """
            .formatted(
                kafka.bootstrap(),
                topic,
                parallelism,
                directory.resolve("checkpoints").toUri(),
                more));
  }

  /** Sends a site's flows to its topic, and publishes their states to another by its job. */
  private static void runSite(String run, String site, int parallelism, Way way) throws Exception {
    StreamExecutionEnvironment env = LocalFlink.environment(parallelism, LocalFlink.restarts(2));
    JobConfig config =
        config(
            run + "-flows-" + site,
            parallelism,
            "site: {name: %s, topic: %s-states-%s}".formatted(site, run, site));
    if (way == Way.BUILT) {
      FlowmonJob.build(env, config, PUBLISHED);
      env.execute(site);
      return;
    }
    FlowmonJob.configure(env, config);
    FailOnce.reset();
    env.getConfig().setAutoWatermarkInterval(1);
    DataStream<PositionedBatch> flows =
        FlowPipeline.flows(env, config)
            .map(way == Way.FAILS ? new FailOnce() : new Slowly())
            .returns(PositionedBatch.TYPE)
            .setParallelism(parallelism);
    SingleOutputStreamOperator<WindowResult> windows =
        WindowPipeline.windows(flows, config, PUBLISHED);
    KafkaStates.publish(windows.getSideOutput(WindowOperator.STATES), config.site());
    env.execute(site);
    assertEquals(way == Way.FAILS ? 1 : 0, FailOnce.failures(), "the case needs a failure");
  }

  /** The run of a site's job: as built, with a failure, or with a watermark for each batch. */
  private enum Way {
    BUILT,
    FAILS,
    SLOWLY
  }

  /** Creates a topic and waits until its partitions accept messages. */
  private static void create(String topic, int partitions) throws Exception {
    kafka.createTopic(topic, partitions);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
      Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
      for (int partition = 0; partition < partitions; partition++) {
        latest.put(new TopicPartition(topic, partition), OffsetSpec.latest());
      }
      admin.listOffsets(latest).all().get(); // asks the leaders, again until there are some
    }
  }

  private static void produce(String topic, List<TestFlow> flows) throws Exception {
    create(topic, PARTITIONS);
    FlowSender sender = new FlowSender(kafka, topic, PARTITIONS);
    // Repeated batches and invalid messages: a tenth of all.
    sender.withFaults = true;
    sender.send(flows);
    sender.end();
  }

  private static List<Said> said(String topic) {
    List<Said> all = new ArrayList<>();
    long time = TestFlow.START / 1000;
    StatesMessage.Progress last = null;
    long number = 0;
    List<byte[]> windows = new ArrayList<>(); // sent together with the next progress
    for (ConsumerRecord<byte[], byte[]> record : kafka.records(topic)) {
      assertTrue(record.value().length <= StatesMessage.MAX_BYTES);
      windows.add(record.value());
      StatesMessage message = StatesMessage.open(record.value());
      number = message.number();
      if (message instanceof StatesMessage.Progress progress) {
        // The end of the flows is an hour after them: it is not waited for.
        boolean isEnd = progress.through() > TestFlow.START + 600 * SECOND;
        time = isEnd ? time + 1 : Math.max(time, progress.through() / 1000);
        last = progress;
        for (byte[] window : windows) {
          all.add(new Said(time, window));
        }
        windows.clear();
      }
    }
    for (byte[] window : windows) {
      all.add(new Said(time, window));
    }
    // The site's next messages, each second: after the end of its input, more might come. A site
    // whose job read all at once has sent nothing between the first flow and the end.
    for (long then = time + 1000; then <= LAST_SAID; then += 1000) {
      all.add(
          new Said(
              then,
              new StatesMessage.Progress(
                      last.attempt(), ++number, last.site(), 1000 * then, last.published())
                  .toBytes()));
    }
    return all;
  }

  /** Sends messages to one topic, in the order of their times, with these as their timestamps. */
  private static void mirror(List<Said> messages, String topic) throws Exception {
    create(topic, 1);
    messages.sort(Comparator.comparingLong(Said::time));
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      for (Said said : messages) {
        producer.send(new ProducerRecord<>(topic, 0, said.time(), null, said.bytes())).get();
      }
    }
  }

  /** Returns the results of the merging job, by analysis and end. */
  private static Map<String, SortedMap<Long, WindowResult>> merge(
      String topic, int parallelism, String timeout) throws Exception {
    JobConfig config =
        config(
            "none",
            parallelism,
            "merge: {sites: %s, topic: %s, timeout: %s}".formatted(SITES, topic, timeout));
    StreamExecutionEnvironment env = LocalFlink.environment(parallelism, LocalFlink.restarts(2));
    FlowmonJob.configure(env, config);
    return collect(
        SitesPipeline.mergedWindows(
                SitesPipeline.states(env, config, config.merge()), config, config.merge(), MERGED)
            .executeAndCollect(),
        true);
  }

  private static Map<String, SortedMap<Long, WindowResult>> one(String topic) throws Exception {
    JobConfig config = config(topic, 2, "");
    StreamExecutionEnvironment env = LocalFlink.environment(2, LocalFlink.restarts(2));
    FlowmonJob.configure(env, config);
    return collect(
        WindowPipeline.windows(FlowPipeline.flows(env, config), config, MERGED).executeAndCollect(),
        false);
  }

  /** Returns the last result of each window; without revisions the only one. */
  private static Map<String, SortedMap<Long, WindowResult>> collect(
      CloseableIterator<WindowResult> windows, boolean once) throws Exception {
    Map<String, SortedMap<Long, WindowResult>> results = new TreeMap<>();
    try (windows) {
      while (windows.hasNext()) {
        WindowResult result = windows.next();
        if (!result.isAnnouncement()) {
          WindowResult before =
              results
                  .computeIfAbsent(result.analysis(), name -> new TreeMap<>())
                  .put(result.windowEnd(), result);
          assertTrue(before == null || (!once && before.update() < result.update()));
          assertTrue(!once || result.isFinal(), "before sites can have said all of a window");
        }
      }
    }
    return results;
  }

  private static String text(WindowResult result) {
    ResultTable rows = result.rows();
    StringBuilder text =
        new StringBuilder(
            "groups "
                + result.groups()
                + " level "
                + result.groupLevel()
                + " missing "
                + result.missingSites());
    for (int r = 0; r < rows.rowCount(); r++) {
      text.append('\n');
      for (int c = 0; c < rows.columnCount(); c++) {
        text.append(' ').append(rows.value(r, c));
      }
    }
    return text.toString();
  }

  private static Map<Long, String> texts(SortedMap<Long, WindowResult> results) {
    Map<Long, String> texts = new TreeMap<>();
    results.forEach((end, result) -> texts.put(end, text(result)));
    return texts;
  }

  private static Map<Long, String> described(SortedMap<Long, WindowResult> results) {
    Map<Long, String> texts = new TreeMap<>();
    results.forEach((end, result) -> texts.put(end, BruteForce.describe(result)));
    return texts;
  }

  private static List<TestFlow> ofSite(List<TestFlow> flows, int site) {
    return IntStream.range(0, flows.size())
        .filter(i -> i % SITES.size() == site)
        .mapToObj(flows::get)
        .toList();
  }

  @Test
  void threeSitesAndAMergingJobGiveWhatOneJobGivesAmongDamagedMessages() throws Exception {
    String run = "equal";
    List<TestFlow> flows = TestFlow.random(41, 30_000, 40, 300);
    produce(run + "-all", flows);
    List<Said> all = new ArrayList<>();
    for (int s = 0; s < SITES.size(); s++) {
      String site = SITES.get(s);
      produce(run + "-flows-" + site, ofSite(flows, s));
      runSite(run, site, 1 + s % 2, s == 1 ? Way.FAILS : Way.BUILT);
      if (s == 0) {
        runSite(run, site, 2, Way.BUILT); // from its beginning, as a job without its checkpoints
      }
      all.addAll(said(run + "-states-" + site));
    }
    mirror(HostileStates.amongDamaged(all, new Random(41)), run + "-states");
    Map<String, SortedMap<Long, WindowResult>> expected = one(run + "-all");
    for (int parallelism : new int[] {1, 2}) {
      String at = "seed 41, parallelism " + parallelism;
      Map<String, SortedMap<Long, WindowResult>> merged = merge(run + "-states", parallelism, "1h");
      for (String exact : List.of("tumbling", "sliding", "coarse", "exact", "joined")) {
        assertTrue(expected.containsKey(exact), at + ", " + exact);
        assertTrue(merged.containsKey(exact), at + ", " + exact + " in " + merged.keySet());
        assertEquals(texts(expected.get(exact)), texts(merged.get(exact)), at + ", " + exact);
      }
      AnalysisConfig.Live live = SLIDING.live();
      assertEquals(
          BruteForce.windows(
              flows, live.windowMicros(), live.slideMicros(), live.latenessMicros(), 10),
          described(merged.get("sliding")),
          at);
      checkBounds(flows, merged.get("approximate"), at);
    }
  }

  /** Checks medians within 5% of all ranks, and heavy hitters within their stated bounds. */
  private static void checkBounds(
      List<TestFlow> flows, SortedMap<Long, WindowResult> results, String at) {
    long width = 6 * SECOND;
    long slide = 2 * SECOND;
    assertTrue(results.size() > 15, at);
    results.forEach(
        (end, result) -> {
          Map<IpAddress, List<Long>> bytes = new HashMap<>();
          for (TestFlow flow : flows) {
            long pane = Math.floorDiv(flow.time(), slide) * slide;
            boolean inTime = flow.arrival() <= pane + slide + 2 * SECOND;
            if (!Boolean.TRUE.equals(flow.outgoing())
                && pane < end
                && pane >= end - width
                && inTime) {
              bytes.computeIfAbsent(flow.source(), s -> new ArrayList<>()).add(flow.bytes());
            }
          }
          ResultTable rows = result.rows();
          assertEquals(bytes.size(), rows.rowCount(), at + ", window " + end);
          for (int row = 0; row < rows.rowCount(); row++) {
            List<Long> sorted = bytes.get(rows.address(row, 0));
            Collections.sort(sorted);
            int n = sorted.size();
            String of = at + ", window " + end + ", " + rows.address(row, 0);
            assertEquals(n, rows.longValue(row, 1), of);
            long median = rows.longValue(row, 2);
            long below = sorted.stream().filter(b -> b < median).count();
            long upTo = sorted.stream().filter(b -> b <= median).count();
            int rank = (n + 1) / 2;
            assertTrue(upTo > below, of + ": " + median + " is none of the values");
            assertTrue(below - 0.05 * n < rank && rank <= upTo + 0.05 * n, of);
            long thousands = sorted.stream().filter(b -> b == 1000).count();
            assertTrue(
                rows.longValue(row, 4) <= thousands && thousands <= rows.longValue(row, 5), of);
          }
        });
  }

  @Test
  void aSiteThatFallsSilentIsLeftOutSaidSoAndWaitedForWhenItSpeaksAgain() throws Exception {
    String run = "silent";
    List<TestFlow> flows = TestFlow.random(42, 30_000, 60, 200);
    List<Said> all = new ArrayList<>();
    long falls = TestFlow.START + 15 * SECOND;
    long speaks = TestFlow.START + 40 * SECOND;
    for (int s = 0; s < SITES.size(); s++) {
      String site = SITES.get(s);
      produce(run + "-flows-" + site, ofSite(flows, s));
      runSite(run, site, 1, Way.SLOWLY);
      for (Said one : said(run + "-states-" + site)) {
        boolean isLate = s == 1 && one.time() * 1000 >= falls && one.time() * 1000 < speaks;
        // Messages of the silent time are sent as soon as possible.
        all.add(isLate ? new Said(speaks / 1000, one.bytes()) : one);
      }
    }
    mirror(all, run + "-states");
    Map<String, SortedMap<Long, WindowResult>> merged = merge(run + "-states", 2, "5s");
    SortedMap<Long, WindowResult> tumbling = merged.get("tumbling");
    AnalysisConfig.Live live = TUMBLING.live();
    Map<Long, String> whole =
        BruteForce.windows(
            flows, live.windowMicros(), live.slideMicros(), live.latenessMicros(), 10);
    List<TestFlow> others = new ArrayList<>(ofSite(flows, 0));
    others.addAll(ofSite(flows, 2));
    Map<Long, String> without =
        BruteForce.windows(
            others, live.windowMicros(), live.slideMicros(), live.latenessMicros(), 10);
    assertEquals(whole.keySet(), tumbling.keySet());
    TreeSet<Long> lacking = new TreeSet<>();
    tumbling.forEach(
        (end, result) -> {
          boolean lacks = !result.missingSites().isEmpty();
          assertEquals(lacks ? List.of("graz") : List.of(), result.missingSites());
          assertEquals((lacks ? without : whole).get(end), BruteForce.describe(result), "seed 42");
          if (lacks) {
            lacking.add(end);
          }
        });
    // Final 2 s after their ends; five seconds of silence are waited for.
    assertTrue(lacking.size() >= 8 && lacking.size() <= 13, lacking.toString());
    assertTrue(lacking.first() + 2 * SECOND > falls && lacking.last() < speaks);
    // A sliding window contains late flows of panes that it shares with later ones.
    merged
        .get("sliding")
        .forEach(
            (end, result) ->
                assertEquals(
                    lacking.contains(end), !result.missingSites().isEmpty(), "sliding " + end));
  }

  @Test
  void amongForgedMessagesEachResultIsRightOrSaysThatASiteIsMissing() throws Exception {
    String run = "forged";
    List<TestFlow> flows = TestFlow.random(44, 9_000, 60, 100);
    List<Said> all = new ArrayList<>();
    for (int s = 0; s < SITES.size(); s++) {
      String site = SITES.get(s);
      produce(run + "-flows-" + site, ofSite(flows, s));
      runSite(run, site, 1, Way.SLOWLY);
      all.addAll(said(run + "-states-" + site));
    }
    mirror(HostileStates.amongForged(all, new Random(44)), run + "-states");
    Map<String, SortedMap<Long, WindowResult>> merged = merge(run + "-states", 2, "1h");
    for (AnalysisConfig analysis : List.of(TUMBLING, SLIDING)) {
      AnalysisConfig.Live live = analysis.live();
      Map<Long, String> expected =
          BruteForce.windows(
              flows, live.windowMicros(), live.slideMicros(), live.latenessMicros(), 10);
      SortedMap<Long, WindowResult> results = merged.get(analysis.name());
      // A forged message may add one more window, in which a site is missing then.
      assertTrue(results.keySet().containsAll(expected.keySet()), analysis.name());
      int lacking = 0;
      for (Map.Entry<Long, WindowResult> result : results.entrySet()) {
        lacking += result.getValue().missingSites().isEmpty() ? 0 : 1;
        if (result.getValue().missingSites().isEmpty()) {
          assertEquals(
              expected.get(result.getKey()),
              BruteForce.describe(result.getValue()),
              analysis.name() + ", seed 44");
        }
      }
      assertTrue(lacking > 0 && lacking < results.size(), analysis.name() + ": " + lacking);
    }
  }

  @Test
  void whatIsPublishedForNobodyIsCountedAndSitesThatDoNotPublishAreMissing() throws Exception {
    String run = "unmatched";
    List<TestFlow> flows = TestFlow.random(43, 3_000, 10, 50);
    List<Said> all = new ArrayList<>();
    for (int s = 0; s < 2; s++) {
      String site = SITES.get(s);
      produce(run + "-flows-" + site, ofSite(flows, s));
      runSite(run, site, 1, Way.SLOWLY);
      all.addAll(said(run + "-states-" + site));
    }
    all.add(new Said(TestFlow.START / 1000, "not a message".getBytes(StandardCharsets.UTF_8)));
    mirror(all, run + "-states");
    Map<String, SortedMap<Long, WindowResult>> merged = merge(run + "-states", 1, "1h");
    assertTrue(merged.get("tumbling").size() >= 5);
    for (WindowResult result : merged.get("tumbling").values()) {
      assertEquals(List.of("vienna"), result.missingSites(), "vienna has never spoken");
    }
  }
}

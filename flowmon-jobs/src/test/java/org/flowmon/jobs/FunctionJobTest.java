package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.Heartbeat;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.publish.BatchCollectingSink;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Median, 95th and 99th percentile of bytes of each source, live in the job, over a day of real
 * connections: within their bounds of the sorted flows' values, at every parallelism, and equal to
 * history. Skipped without the data, {@code FLOWMON_DATA} or {@code ../shared/data}.
 */
class FunctionJobTest {
  private static final String TOPIC = "connections";
  private static final int PARTITIONS = 3;
  private static final int ROWS = 50;
  private static final long MINUTE = 60_000_000L;
  private static final String HOURS = "QUANTILES(bytes, 0.05, 'medium')";
  private static final double[] SHARES = {0.5, 0.95, 0.99};
  private static final String SELECT =
      "SELECT src_addr, COUNT(*) AS flows, MEDIAN(Q) AS median, LOWER(median) AS median_low,"
          + " UPPER(median) AS median_high, QUANTILE(Q, 0.95) AS p95, LOWER(p95) AS p95_low,"
          + " UPPER(p95) AS p95_high, QUANTILE(Q, 0.99) AS p99, LOWER(p99) AS p99_low, UPPER(p99)"
          + " AS p99_high FROM flows";

  @TempDir private Path directory;

  private record Flow(long end, IpAddress source, Long bytes) {}

  private static Path data() {
    return RealData.path("zeek/rita-missing-host/2024-04-19");
  }

  /** The connections of a day, in the order of their ends. */
  private static List<Flow> flows() throws IOException {
    List<Flow> flows = new ArrayList<>();
    List<Path> files;
    try (Stream<Path> all = Files.list(data())) {
      files =
          all.filter(file -> file.getFileName().toString().startsWith("conn")).sorted().toList();
    }
    for (Path file : files) {
      try (BatchCollectingSink sink =
          new BatchCollectingSink(
              1000,
              batch -> {
                for (int row = 0; row < batch.rows(); row++) {
                  add(batch, row, flows);
                }
              })) {
        var unused = FlowFiles.open(file).read(sink);
      }
    }
    flows.sort(Comparator.comparingLong(Flow::end));
    return flows;
  }

  private static void add(FlowBatch batch, int row, List<Flow> flows) {
    if (!batch.isNull(FlowColumn.END_TIME, row) && !batch.isNull(FlowColumn.SRC_ADDR, row)) {
      Long bytes =
          batch.isNull(FlowColumn.BYTES, row) ? null : batch.getLong(FlowColumn.BYTES, row);
      flows.add(
          new Flow(
              batch.getLong(FlowColumn.END_TIME, row),
              batch.getAddress(FlowColumn.SRC_ADDR, row),
              bytes));
    }
  }

  private static void append(FlowBatchBuilder builder, Flow flow) {
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, flow.end);
    builder.set(FlowColumn.END_TIME, flow.end);
    builder.setAddress(FlowColumn.SRC_ADDR, flow.source);
    if (flow.bytes != null) {
      builder.set(FlowColumn.BYTES, flow.bytes);
    }
    builder.endRow();
  }

  private static List<byte[]> batches(List<Flow> flows, long[] sequence, long[] cumulative) {
    List<byte[]> batches = new ArrayList<>();
    for (int from = 0; from < flows.size(); from += ROWS) {
      List<Flow> part = flows.subList(from, Math.min(flows.size(), from + ROWS));
      FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
      part.forEach(flow -> append(builder, flow));
      int partition = batches.size() % PARTITIONS;
      cumulative[partition] += part.size();
      batches.add(builder.build(100 + partition, sequence[partition]++, cumulative[partition], 0));
    }
    return batches;
  }

  private static List<byte[]> produce(TestKafka kafka, List<Flow> flows) throws Exception {
    long[] sequence = new long[PARTITIONS];
    long[] cumulative = new long[PARTITIONS];
    List<byte[]> batches = batches(flows, sequence, cumulative);
    kafka.createTopic(TOPIC, PARTITIONS);
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      for (int b = 0; b < batches.size(); b++) {
        producer.send(new ProducerRecord<>(TOPIC, b % PARTITIONS, null, batches.get(b))).get();
      }
      long clock = flows.get(flows.size() - 1).end + 3 * 60 * MINUTE;
      for (int partition = 0; partition < PARTITIONS; partition++) {
        byte[] beat =
            Heartbeat.of(100 + partition, sequence[partition]++, cumulative[partition], 0, clock);
        producer.send(new ProducerRecord<>(TOPIC, partition, null, beat)).get();
      }
    }
    return batches;
  }

  private static String select(String quantiles) {
    return SELECT.replace("Q)", quantiles + ")").replace("Q,", quantiles + ",");
  }

  /** Returns the analysis of the functions' page, over minutes. */
  private static AnalysisConfig ofThePage() throws IOException {
    String page = Files.readString(RealData.root().resolve("docs/aggregates.md"));
    int begin = page.indexOf("```yaml\n") + 8;
    return AnalysisConfig.parse("sizes.yaml", page.substring(begin, page.indexOf("```", begin)));
  }

  /** Returns an analysis over hours, with few slots and summaries in the scratchpads. */
  private static AnalysisConfig ofHours() {
    return AnalysisConfig.parse(
        "hours.yaml",
        """
        name: hours
        live:
          query: %s GROUP BY src_addr
          window: 1h
          lateness: 0s
          slots: 16
        report:
          logic: live
        """
            .formatted(select(HOURS)));
  }

  @Test
  void percentilesOfEachSourceAreWithinTheirBoundsLiveAndFromHistory() throws Exception {
    List<Flow> flows = flows();
    assertTrue(flows.size() > 10_000, flows.size() + " flows");
    AnalysisConfig minutes = ofThePage();
    AnalysisConfig hours = ofHours();
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"))) {
      List<FlowBatch> batches = produce(kafka, flows).stream().map(FlowBatch::open).toList();
      for (int parallelism : new int[] {1, 2, 4}) {
        boolean fails = parallelism == 2;
        Map<String, Map<Long, ResultTable>> results =
            run(kafka, parallelism, fails, List.of(minutes, hours));
        String run = parallelism + " tasks" + (fails ? ", one of which fails once" : "");
        check(flows, results.get("sizes"), MINUTE, 0.01, run);
        check(flows, results.get("hours"), 60 * MINUTE, 0.05, run);
      }
      long end = Math.floorDiv(flows.get(flows.size() / 2).end, 60 * MINUTE) * 60 * MINUTE;
      String hour =
          select(HOURS)
              + " WHERE end_time >= TIMESTAMP '%s' AND end_time < TIMESTAMP '%s' GROUP BY src_addr"
                  .formatted(time(end - 60 * MINUTE), time(end));
      ResultTable history = FlowQueries.run(batches, QueryParser.parse(hour));
      List<Flow> ofHour =
          flows.stream().filter(f -> f.end >= end - 60 * MINUTE && f.end < end).toList();
      check(ofHour, Map.of(end, history), 60 * MINUTE, 0.05, "history");
      fewPartialStatesCross(batches, flows);
    }
  }

  private static String time(long micros) {
    return Instant.ofEpochSecond(micros / 1_000_000).toString();
  }

  /** Checks that a few states per source and hour cross to the merge, and not flows. */
  private static void fewPartialStatesCross(List<FlowBatch> batches, List<Flow> flows) {
    LowLevelQuery low =
        new LowLevelQuery(
            1,
            QueryParser.parse(select("QUANTILES(bytes)") + " GROUP BY src_addr"),
            WindowSpec.tumbling(60 * MINUTE, 0),
            LowLevelQuery.DEFAULT_SLOTS,
            16,
            (keyGroup, bytes) -> {});
    for (FlowBatch batch : batches) {
      low.process(batch);
      low.closePanesUpTo(batch.getLong(FlowColumn.ARRIVAL, batch.rows() - 1));
      low.drainSome(LowLevelQuery.DEFAULT_SLOTS);
    }
    low.drainAll();
    LowLevelCounts counts = low.counts();
    assertEquals(flows.size(), counts.counted());
    long groups =
        flows.stream().map(f -> f.end / (60 * MINUTE) + " " + f.source).distinct().count();
    // A scratchpad of 'lite' has 63 values.
    assertTrue(counts.partials() <= groups + flows.size() / 63, groups + " groups, " + counts);
    assertTrue(2 * counts.partials() < flows.size(), groups + " groups, " + counts);
  }

  private Map<String, Map<Long, ResultTable>> run(
      TestKafka kafka, int parallelism, boolean fails, List<AnalysisConfig> analyses)
      throws Exception {
    StreamExecutionEnvironment env = LocalFlink.environment(parallelism, LocalFlink.restarts(2));
    JobConfig config =
        JobConfig.parse(
            "test.yaml",
            """
            kafka: {bootstrap: '%s', topic: %s}
            job:
              role: analyses
              parallelism: %d
              max_parallelism: 16
              checkpoint_interval: 100ms
              checkpoint_directory: %s
              disorder_bound: 0s
              bounded: true
            """
                .formatted(
                    kafka.bootstrap(),
                    TOPIC,
                    parallelism,
                    directory.resolve("checkpoints").toUri()));
    FlowmonJob.configure(env, config);
    Map<String, Map<Long, ResultTable>> results = new HashMap<>();
    DataStream<PositionedBatch> batches = FlowPipeline.flows(env, config);
    if (fails) {
      FailOnce.reset();
      batches =
          batches.map(new FailOnce()).returns(PositionedBatch.TYPE).setParallelism(parallelism);
    }
    try (CloseableIterator<WindowResult> windows =
        WindowPipeline.windows(batches, config, analyses).executeAndCollect()) {
      while (windows.hasNext()) {
        WindowResult result = windows.next();
        if (!result.isAnnouncement()) {
          results
              .computeIfAbsent(result.analysis(), name -> new TreeMap<>())
              .put(result.windowEnd(), result.rows());
        }
      }
    }
    assertEquals(fails ? 1 : 0, fails ? FailOnce.failures() : 0, "the case needs a failure");
    return results;
  }

  private static void check(
      List<Flow> flows, Map<Long, ResultTable> windows, long width, double epsilon, String run) {
    Map<Long, Map<IpAddress, List<Long>>> bytes = new TreeMap<>();
    Map<Long, Map<IpAddress, Long>> counts = new TreeMap<>();
    for (Flow flow : flows) {
      long end = (Math.floorDiv(flow.end, width) + 1) * width;
      List<Long> all =
          bytes
              .computeIfAbsent(end, e -> new HashMap<>())
              .computeIfAbsent(flow.source, source -> new ArrayList<>());
      if (flow.bytes != null) {
        all.add(flow.bytes);
      }
      counts.computeIfAbsent(end, e -> new HashMap<>()).merge(flow.source, 1L, Long::sum);
    }
    assertEquals(bytes.keySet(), windows.keySet(), run);
    for (Map.Entry<Long, ResultTable> window : windows.entrySet()) {
      ResultTable rows = window.getValue();
      assertEquals(counts.get(window.getKey()).size(), rows.rowCount(), run);
      for (int row = 0; row < rows.rowCount(); row++) {
        IpAddress source = rows.address(row, 0);
        String at = run + ", window " + window.getKey() + ", " + source;
        assertEquals(counts.get(window.getKey()).get(source), rows.longValue(row, 1), at);
        List<Long> sorted = bytes.get(window.getKey()).get(source);
        Collections.sort(sorted);
        checkShares(sorted, rows, row, epsilon, at);
      }
    }
  }

  private static void checkShares(
      List<Long> sorted, ResultTable rows, int row, double epsilon, String at) {
    int n = sorted.size();
    for (int s = 0; s < SHARES.length; s++) {
      int column = 2 + 3 * s;
      if (n == 0) {
        assertTrue(rows.isNull(row, column), at);
        continue;
      }
      int rank = (int) Math.max(1, Math.ceil(SHARES[s] * n));
      long value = rows.longValue(row, column);
      long below = sorted.stream().filter(b -> b < value).count();
      long upTo = sorted.stream().filter(b -> b <= value).count();
      assertTrue(rows.longValue(row, column + 1) <= sorted.get(rank - 1), at);
      assertTrue(rows.longValue(row, column + 2) >= sorted.get(rank - 1), at);
      assertTrue(upTo > below, at + ": " + value + " is none of the values");
      assertTrue(below - epsilon * n < rank && rank <= upTo + epsilon * n, at);
    }
  }
}

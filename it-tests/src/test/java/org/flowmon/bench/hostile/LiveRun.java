package org.flowmon.bench.hostile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.bench.collect.TopicFlows;
import org.flowmon.bench.live.FlowWriter;
import org.flowmon.bench.live.LiveCluster;
import org.flowmon.bench.live.ReportLog;
import org.flowmon.bench.machine.ProcessMemory;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.quarantine.QuarantineMessage;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;

/**
 * One run of a {@link LiveCase} as a program: fills a topic, runs the job over it, and prints the
 * {@link Outcome} as JSON.
 */
final class LiveRun {
  private static final int PARTITIONS = 4;
  private static final long GOOD_STREAM = 1;
  private static final long ATTACK_STREAM = 2;

  /** The analysis that sees the attack. */
  private static final String ATTACKED = "attacked";

  /** The analysis that does not see it. */
  private static final String OTHER = "other";

  private final LiveAttack attack;
  private final long rate;
  private final long millis;
  private final long endMillis;
  private final long seed;
  private final long[] behind = new long[1]; // flows of messages that follow good batches
  private long number; // of the attack's next flow

  private LiveRun(String[] arguments) {
    this.attack = LiveAttack.valueOf(arguments[0]);
    this.rate = Long.parseLong(arguments[1]);
    this.millis = Long.parseLong(arguments[2]);
    this.endMillis = Long.parseLong(arguments[3]);
    this.seed = Long.parseLong(arguments[4]);
  }

  public static void main(String[] arguments) {
    ServicesLog.quiet();
    int code = 1;
    try {
      Outcome outcome = new LiveRun(arguments).run();
      System.out.println(new ObjectMapper().writeValueAsString(outcome));
      System.out.flush();
      code = 0;
    } catch (IOException | RuntimeException e) {
      System.err.println("  job: " + e);
    } finally {
      System.exit(code); // despite threads that Flink has left
    }
  }

  private Outcome run() throws IOException {
    int cores = Runtime.getRuntime().availableProcessors();
    try (LiveCluster cluster = LiveCluster.start(cores, PARTITIONS, "hostile");
        ReportLog reports = new ReportLog(cluster.bootstrap())) {
      long good = fill(cluster);
      Path archive = cluster.folder().resolve("archive");
      LiveCluster.Took took = cluster.run(config(cluster, archive, cores), analyses());
      Map<String, List<String>> rows = new TreeMap<>();
      List<ReportLog.Window> windows = reports.next(row -> keep(row, rows));
      SortedMap<String, String> other = new TreeMap<>();
      rows.forEach(
          (end, ofWindow) -> {
            Collections.sort(ofWindow);
            other.put(end, String.join(" ", ofWindow));
          });
      return outcome(good, took, stored(archive), quarantined(cluster), windows, other);
    }
  }

  /** Writes good flows, each followed by the attack's flows of the same time. */
  private long fill(LiveCluster cluster) {
    Instant end = Instant.ofEpochMilli(endMillis);
    HistoryGenerator generator =
        new HistoryGenerator(
            new TrafficModel(seed, TrafficOptions.defaults()),
            end.minusMillis(millis),
            end,
            rate * millis / 1000,
            rate);
    try (FlowWriter good = cluster.writer(GOOD_STREAM);
        FlowWriter attacker = cluster.writer(ATTACK_STREAM);
        FlowWriter ahead = cluster.writer(ATTACK_STREAM + 1)) {
      attack.follow(good, behind, seed);
      var unused =
          generator.generate(
              GOOD_STREAM,
              batch -> {
                // Messages are sent when their flows have arrived.
                List.of(good, attacker, ahead).forEach(one -> one.sendAt(sentMillis(batch)));
                good.add(batch);
                attack(attacker, batch, -attack.skew);
                if (attack.skew > 0) {
                  attack(ahead, batch, attack.skew);
                }
              });
      good.flush();
      return good.flows();
    }
  }

  private static long sentMillis(FlowBatch batch) {
    return batch.maxArrival() / 1000 + 1;
  }

  /** Writes the attack's flows for a good batch, by a clock that is ahead. */
  private void attack(FlowWriter writer, FlowBatch beside, int aheadSeconds) {
    long flows = Math.round(beside.rows() * attack.share);
    long span = beside.maxArrival() - beside.minArrival();
    FlowBatchBuilder builder = new FlowBatchBuilder(FlowWriter.BATCH_ROWS);
    for (long i = 0; i < flows; i++) {
      long arrival = beside.minArrival() + span * i / flows + aheadSeconds * 1_000_000L;
      builder.beginRow();
      attack.flow(builder, arrival, attack.late, number++);
      if (builder.isFull() || i == flows - 1) {
        writer.add(FlowBatch.open(builder.build(0, 0, 0, 0)));
        builder.clear();
      }
    }
    writer.flush();
  }

  /** The defaults, except for addresses and a bounded end. */
  private static JobConfig config(LiveCluster cluster, Path archive, int cores) {
    return JobConfig.parse(
        "bench",
        String.join(
            "\n",
            "kafka: {bootstrap: '" + cluster.bootstrap() + "', topic: " + LiveCluster.TOPIC + "}",
            "archive: {directory: '" + archive + "'}",
            "job: {bounded: true, parallelism: " + cores + "}"));
  }

  private static List<AnalysisConfig> analyses() {
    return List.of(analysis(ATTACKED, ""), analysis(OTHER, "WHERE observation_domain = 0 "));
  }

  private static AnalysisConfig analysis(String name, String filter) {
    return AnalysisConfig.parse(
        name + ".yaml",
        String.join(
            "\n",
            "name: " + name,
            "live:",
            "  query: SELECT src_addr, SUM(bytes) AS bytes, COUNT(*) AS flows FROM flows "
                + filter
                + "GROUP BY src_addr ORDER BY bytes DESC, src_addr LIMIT 100",
            "  window: 5s",
            "  time: end_time",
            "  lateness: 1s",
            "  revisions: false",
            "report: {logic: live}",
            "sinks: [kafka]"));
  }

  private static void keep(JsonNode row, Map<String, List<String>> rows) {
    if (row.path("analysis").asText().equals(OTHER)) {
      rows.computeIfAbsent(row.path("window_end").asText(), any -> new ArrayList<>())
          .add(row.path("columns").toString());
    }
  }

  /** Rows of the archive: good ones, and others. */
  private static long[] stored(Path directory) throws IOException {
    long[] rows = new long[2];
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      ResultTable table =
          ArchiveQuery.run(
                  snapshot,
                  QueryParser.parse(
                      "SELECT COALESCE(observation_domain, 1) AS d, COUNT(*) AS n FROM flows GROUP"
                          + " BY d"),
                  QueryOptions.DEFAULTS)
              .table();
      for (int row = 0; row < table.rowCount(); row++) {
        rows[table.longValue(row, 0) == 0 ? 0 : 1] += table.longValue(row, 1);
      }
    }
    return rows;
  }

  private static long quarantined(LiveCluster cluster) {
    long[] messages = new long[1];
    TopicFlows.records(cluster.bootstrap(), QuarantineMessage.TOPIC, record -> messages[0]++);
    return messages[0];
  }

  private Outcome outcome(
      long good,
      LiveCluster.Took took,
      long[] stored,
      long quarantined,
      List<ReportLog.Window> windows,
      SortedMap<String, String> other)
      throws IOException {
    long attackFlows = number + behind[0];
    long repeated = attack == LiveAttack.DUPLICATES ? behind[0] - stored[1] : 0;
    long refused = quarantined * FlowWriter.BATCH_ROWS;
    Map<String, Long> counted = new TreeMap<>();
    counted.put("quarantined messages", quarantined);
    counted.put("repeated flows", repeated);
    for (String analysis : List.of(ATTACKED, OTHER)) {
      List<ReportLog.Window> all = ReportLog.of(windows, analysis);
      counted.put(analysis + ": flows", all.stream().mapToLong(ReportLog.Window::flows).sum());
      counted.put(
          analysis + ": late, ahead or lost",
          all.stream().mapToLong(ReportLog.Window::missing).sum());
    }
    return new Outcome(
        good,
        stored[0],
        attackFlows,
        stored[1],
        Outcome.nonZero(counted),
        good + attackFlows - stored[0] - stored[1] - refused - repeated,
        (stored[0] + stored[1]) / took.seconds(),
        ProcessMemory.now().most(),
        other,
        List.of());
  }
}

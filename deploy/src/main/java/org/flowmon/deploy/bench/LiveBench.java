package org.flowmon.deploy.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.deploy.bench.output.BenchResult;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.deploy.embedded.EmbeddedKafka;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.JobConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench live}: flows a second of the job, from a topic that is full when it starts
 * to the last window's top k, with and without archive. The broker is a process of its own on the
 * same machine and shares its cores; its CPU is not in {@code job_cpu_us_per_flow}. The time is
 * from the job's submission to its end, its start included.
 */
@Command(
    name = "live",
    mixinStandardHelpOptions = true,
    description =
        "Flows a second and CPU per flow from a filled topic to top k, with and without archive.")
public final class LiveBench implements Callable<Integer> {
  private static final String TOPIC = "flows";

  @Option(
      names = "--flows",
      defaultValue = "20000000",
      description = "Flows in the topic, a multiple of 1000; default ${DEFAULT-VALUE}.")
  private long flows;

  @Option(
      names = "--partitions",
      defaultValue = "4",
      description = "Partitions of the topic; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(names = "--parallelism", description = "Parallelism of the job; default: the cores.")
  private int parallelism = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Rounds after one to warm up; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(names = "--seed", defaultValue = "1", description = "Seed of the flows.")
  private long seed;

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (flows < 1 || flows % FilledTopic.BATCH_ROWS != 0 || rounds < 1 || partitions < 1) {
      throw new UsageException(
          "--flows is a multiple of 1000, --rounds and --partitions at least 1");
    }
    Path folder = Files.createTempDirectory("flowmon-bench-live-");
    BenchResult result = new BenchResult("live");
    try (BrokerProcess broker = BrokerProcess.start(folder.resolve("kafka"));
        EmbeddedFlink flink = EmbeddedFlink.start(folder.resolve("flink"), parallelism)) {
      EmbeddedKafka.createTopic(broker.bootstrap(), TOPIC, partitions, Map.of());
      System.err.printf("filling topic %s with %,d flows (seed %d)%n", TOPIC, flows, seed);
      long bytes = FilledTopic.fill(broker.bootstrap(), TOPIC, partitions, flows, seed);
      result.row(measure("analyses", broker, flink, folder, bytes));
      result.row(measure("all", broker, flink, folder, bytes));
    } finally {
      delete(folder);
    }
    result.print(json);
    return 0;
  }

  private Map<String, Object> measure(
      String role, BrokerProcess broker, EmbeddedFlink flink, Path folder, long bytes)
      throws IOException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    List<Double> perSecond = new ArrayList<>();
    List<Double> cpu = new ArrayList<>();
    List<Double> brokerCpu = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) { // the first warms up
      Path archive = folder.resolve("archive-" + round);
      long jobBefore = system.getProcessCpuTime();
      Duration brokerBefore = broker.cpu();
      long start = System.nanoTime();
      run(role, broker, flink, archive);
      double seconds = (System.nanoTime() - start) / 1e9;
      System.err.printf("role %s, round %d: %,.0f flows/s%n", role, round, flows / seconds);
      if (round > 0) {
        perSecond.add(flows / seconds);
        cpu.add((system.getProcessCpuTime() - jobBefore) / 1e3 / flows);
        brokerCpu.add(broker.cpu().minus(brokerBefore).toNanos() / 1e3 / flows);
      }
      checkArchive(role, archive);
      delete(archive);
    }
    perSecond.sort(Comparator.naturalOrder());
    cpu.sort(Comparator.naturalOrder());
    brokerCpu.sort(Comparator.naturalOrder());
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("archive", role.equals("all") ? "with" : "without");
    row.put("flows", flows);
    row.put("parallelism", (long) parallelism);
    row.put("flows_per_second_best", perSecond.get(rounds - 1));
    row.put("flows_per_second_median", perSecond.get(rounds / 2));
    row.put("job_cpu_us_per_flow_median", cpu.get(rounds / 2));
    row.put("broker_cpu_us_per_flow_median", brokerCpu.get(rounds / 2));
    row.put("bytes_per_flow", bytes / (double) flows);
    return row;
  }

  private void run(String role, BrokerProcess broker, EmbeddedFlink flink, Path archive) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(parallelism);
    JobConfig config =
        JobConfig.parse(
            "bench",
            String.join(
                "\n",
                "kafka: {bootstrap: '" + broker.bootstrap() + "', topic: " + TOPIC + "}",
                role.equals("all") ? "archive: {directory: '" + archive + "'}" : "",
                "job: {role: " + role + ", bounded: true, parallelism: " + parallelism + "}"));
    FlowmonJob.build(env, config, AnalysisConfig.bundled());
    flink.awaitEnd(flink.submit(env, "bench live " + role), Duration.ofMinutes(10));
  }

  /** A fast job that archives less is no result. */
  private void checkArchive(String role, Path directory) throws IOException {
    if (!role.equals("all")) {
      return;
    }
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      if (snapshot.rows() != flows) {
        throw new IllegalStateException(
            "the archive holds " + snapshot.rows() + " of " + flows + " flows");
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (var paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}

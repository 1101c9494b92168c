package org.flowmon.bench.live;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.flowmon.bench.collect.KafkaProcesses;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.embedded.EmbeddedKafka;

/**
 * The base of a live path: a broker as a separate process on the same machine, with which it shares
 * cores, and a Flink cluster in this process. The job's CPU is that of this process.
 */
public final class LiveCluster implements AutoCloseable {
  /** The topic of flows. */
  public static final String TOPIC = "flows";

  /** The jobs' {@code disorder_bound}: writers' arrivals ascend, only partitions interleave. */
  static final Duration DISORDER = Duration.ofMillis(100);

  private static final Duration LIMIT = Duration.ofHours(2);

  private final int parallelism;
  private final int partitions;
  private final BenchFolder folder;
  private final KafkaProcesses broker;
  private final EmbeddedFlink flink;

  private LiveCluster(
      int parallelism,
      int partitions,
      BenchFolder folder,
      KafkaProcesses broker,
      EmbeddedFlink flink) {
    this.parallelism = parallelism;
    this.partitions = partitions;
    this.folder = folder;
    this.broker = broker;
    this.flink = flink;
  }

  /**
   * The settings of a job's run.
   *
   * @param role as in the job's configuration
   * @param archive that it writes to or asks
   * @param bounded whether it ends with the topic's current content
   * @param checkpoints the time between two checkpoints
   */
  record Job(
      String role,
      Optional<Path> archive,
      List<AnalysisConfig> analyses,
      boolean bounded,
      Duration checkpoints) {

    private static final Duration CHECKPOINTS = Duration.ofSeconds(10);

    /** Returns a bounded job without archive. */
    static Job analyses(List<AnalysisConfig> analyses) {
      return analyses(Optional.empty(), analyses);
    }

    /** Returns a bounded job that archives nothing, and asks an archive if there is one. */
    static Job analyses(Optional<Path> archive, List<AnalysisConfig> analyses) {
      return new Job("analyses", archive, analyses, true, CHECKPOINTS);
    }

    /** Returns a bounded job that archives, too. */
    static Job all(Path archive, List<AnalysisConfig> analyses) {
      return new Job("all", Optional.of(archive), analyses, true, CHECKPOINTS);
    }

    /** Returns a bounded job that only archives. */
    static Job archive(Path archive) {
      return new Job("archive", Optional.of(archive), List.of(), true, CHECKPOINTS);
    }

    /** Returns a job that runs until it is cancelled. */
    static Job endless(
        Optional<Path> archive, List<AnalysisConfig> analyses, Duration checkpoints) {
      String role = archive.isPresent() ? "all" : "analyses";
      return new Job(role, archive, analyses, false, checkpoints);
    }
  }

  /**
   * The cost of a job from its submission to its end, including its start.
   *
   * @param jobCpu seconds of this process
   * @param brokerCpu seconds of the broker
   */
  public record Took(double seconds, double jobCpu, double brokerCpu) {}

  /** Starts broker and cluster with an empty topic of flows; the run closes them. */
  static LiveCluster start(Run run) throws IOException {
    return run.open(start(run.cores("parallelism"), run.integer("partitions"), "experiment"));
  }

  /**
   * Starts broker and cluster with an empty topic of flows.
   *
   * @param partitions of the topic of flows
   */
  public static LiveCluster start(int parallelism, int partitions, String name) throws IOException {
    BenchFolder folder = BenchFolder.of("live-" + name);
    try {
      KafkaProcesses broker = KafkaProcesses.start(folder.path().resolve("kafka"), 1, Map.of());
      try {
        EmbeddedFlink flink = EmbeddedFlink.start(folder.path().resolve("flink"), parallelism);
        EmbeddedKafka.createTopic(broker.bootstrap(), TOPIC, partitions, Map.of());
        return new LiveCluster(parallelism, partitions, folder, broker, flink);
      } catch (RuntimeException e) {
        broker.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  public String bootstrap() {
    return broker.bootstrap();
  }

  EmbeddedFlink flink() {
    return flink;
  }

  /** The folder of the benchmark's data, deleted at the end. */
  public Path folder() {
    return folder.path();
  }

  /**
   * Returns a writer to the topic of flows.
   *
   * @param stream a number that no other writer has
   */
  public FlowWriter writer(long stream) {
    return new FlowWriter(bootstrap(), TOPIC, partitions, stream);
  }

  /** Submits a job, which runs on by itself. */
  JobID submit(Job job) {
    return submit(config(job), job.analyses());
  }

  private JobID submit(JobConfig config, List<AnalysisConfig> analyses) {
    // A failed job is no measurement, and restarts would only hide the reason.
    Configuration once = new Configuration();
    once.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, once);
    FlowmonJob.build(env, config, analyses);
    return flink.submit(env, "bench live");
  }

  private JobConfig config(Job job) {
    return JobConfig.parse(
        "bench",
        String.join(
            "\n",
            "kafka: {bootstrap: '" + bootstrap() + "', topic: " + TOPIC + "}",
            job.archive().map(path -> "archive: {directory: '" + path + "'}").orElse(""),
            "job:",
            "  role: " + job.role(),
            "  bounded: " + job.bounded(),
            "  parallelism: " + parallelism,
            "  checkpoint_interval: " + job.checkpoints().toMillis() + "ms",
            "  disorder_bound: " + DISORDER.toMillis() + "ms"));
  }

  /** Runs a bounded job to its end. */
  Took run(Job job) {
    return run(config(job), job.analyses());
  }

  /** Runs a bounded job with its own settings to its end. */
  public Took run(JobConfig config, List<AnalysisConfig> analyses) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpu = system.getProcessCpuTime();
    Duration ofBroker = broker.cpu();
    long start = System.nanoTime();
    flink.awaitEnd(submit(config, analyses), LIMIT);
    return new Took(
        (System.nanoTime() - start) / 1e9,
        (system.getProcessCpuTime() - cpu) / 1e9,
        broker.cpu().minus(ofBroker).toNanos() / 1e9);
  }

  /** Deletes the content of the topic of flows, as retention would. */
  void forgetFlows() {
    try (Admin admin =
        Admin.create(
            Map.<String, Object>of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap()))) {
      Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
      for (int p = 0; p < partitions; p++) {
        ends.put(new TopicPartition(TOPIC, p), OffsetSpec.latest());
      }
      Map<TopicPartition, RecordsToDelete> before = new HashMap<>();
      admin
          .listOffsets(ends)
          .all()
          .get()
          .forEach(
              (partition, end) ->
                  before.put(partition, RecordsToDelete.beforeOffset(end.offset())));
      admin.deleteRecords(before).all().get();
    } catch (ExecutionException e) {
      throw new CommandException("the broker did not delete flows: " + e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted while flows were deleted");
    }
  }

  @Override
  public void close() throws IOException {
    try {
      flink.close();
    } finally {
      try {
        broker.close();
      } finally {
        folder.close();
      }
    }
  }
}

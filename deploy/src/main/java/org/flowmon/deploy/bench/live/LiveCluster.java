package org.flowmon.deploy.bench.live;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.flowmon.deploy.bench.output.BenchFolder;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.deploy.embedded.EmbeddedKafka;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.JobConfig;

/**
 * What a live path runs on: a broker as a process of its own on the same machine, whose cores it
 * shares, and a Flink cluster in this one. The job's CPU is that of this process.
 */
final class LiveCluster implements AutoCloseable {
  /** The topic of flows. */
  static final String TOPIC = "flows";

  /** The jobs' {@code disorder_bound}: writers' arrivals ascend, only partitions interleave. */
  static final Duration DISORDER = Duration.ofMillis(100);

  private static final Duration LIMIT = Duration.ofHours(2);

  private final LiveOptions options;
  private final BenchFolder folder;
  private final BrokerProcess broker;
  private final EmbeddedFlink flink;

  private LiveCluster(
      LiveOptions options, BenchFolder folder, BrokerProcess broker, EmbeddedFlink flink) {
    this.options = options;
    this.folder = folder;
    this.broker = broker;
    this.flink = flink;
  }

  /**
   * How a job runs.
   *
   * @param role as in the job's configuration
   * @param archive null for a job without one
   * @param bounded whether it ends with what the topic holds
   * @param checkpoints between two of them
   */
  record Job(
      String role,
      Path archive,
      List<AnalysisConfig> analyses,
      boolean bounded,
      Duration checkpoints) {

    /** A bounded one that archives nothing. */
    static Job analyses(Path archive, List<AnalysisConfig> analyses) {
      return new Job("analyses", archive, analyses, true, Duration.ofSeconds(10));
    }

    /** A bounded one that archives, too. */
    static Job all(Path archive, List<AnalysisConfig> analyses) {
      return new Job("all", archive, analyses, true, Duration.ofSeconds(10));
    }
  }

  /**
   * What a job took from its submission to its end, its start included.
   *
   * @param jobCpu seconds of this process
   * @param brokerCpu seconds of the broker
   */
  record Took(double seconds, double jobCpu, double brokerCpu) {}

  /** Starts both; the topic of flows is empty. */
  static LiveCluster start(LiveOptions options, String name) throws IOException {
    BenchFolder folder = BenchFolder.of("live-" + name, null);
    try {
      BrokerProcess broker = BrokerProcess.start(folder.path().resolve("kafka"));
      try {
        EmbeddedFlink flink =
            EmbeddedFlink.start(folder.path().resolve("flink"), options.parallelism());
        EmbeddedKafka.createTopic(broker.bootstrap(), TOPIC, options.partitions(), Map.of());
        return new LiveCluster(options, folder, broker, flink);
      } catch (RuntimeException e) {
        broker.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  String bootstrap() {
    return broker.bootstrap();
  }

  EmbeddedFlink flink() {
    return flink;
  }

  /** Where the benchmark's data are; deleted at the end. */
  Path folder() {
    return folder.path();
  }

  /**
   * A writer to the topic of flows.
   *
   * @param stream no other writer has this number
   */
  FlowWriter writer(long stream) {
    return new FlowWriter(bootstrap(), TOPIC, options.partitions(), stream);
  }

  /** Submits a job, which runs on by itself. */
  JobID submit(Job job) {
    // A job that fails is no measurement, and its restarts would only hide why.
    Configuration once = new Configuration();
    once.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(options.parallelism(), once);
    JobConfig config =
        JobConfig.parse(
            "bench",
            String.join(
                "\n",
                "kafka: {bootstrap: '" + bootstrap() + "', topic: " + TOPIC + "}",
                job.archive() == null ? "" : "archive: {directory: '" + job.archive() + "'}",
                "job:",
                "  role: " + job.role(),
                "  bounded: " + job.bounded(),
                "  parallelism: " + options.parallelism(),
                "  checkpoint_interval: " + job.checkpoints().toMillis() + "ms",
                "  disorder_bound: " + DISORDER.toMillis() + "ms"));
    FlowmonJob.build(env, config, job.analyses());
    return flink.submit(env, "bench live");
  }

  /** Runs a bounded job to its end. */
  Took run(Job job) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpu = system.getProcessCpuTime();
    Duration ofBroker = broker.cpu();
    long start = System.nanoTime();
    flink.awaitEnd(submit(job), LIMIT);
    return new Took(
        (System.nanoTime() - start) / 1e9,
        (system.getProcessCpuTime() - cpu) / 1e9,
        broker.cpu().minus(ofBroker).toNanos() / 1e9);
  }

  /** Lets the topic of flows forget all it holds, as time would. */
  void forgetFlows() {
    try (Admin admin =
        Admin.create(
            Map.<String, Object>of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap()))) {
      Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
      for (int p = 0; p < options.partitions(); p++) {
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

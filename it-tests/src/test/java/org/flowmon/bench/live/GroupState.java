package org.flowmon.bench.live;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.AbstractCheckpointStats;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;

/**
 * The memory of an open window of many groups. Every analysis holds all groups at once: every flow
 * has its own source prefix, pair of addresses and target, and all are in one window, which stays
 * open.
 */
public final class GroupState implements Experiment {
  private static final long STREAM = 5;
  private static final long MINUTE = 60_000_000;
  private static final long START = 1_768_478_400_000_000L; // 2026-01-15T12:00:00Z
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final double MIB = 1 << 20;
  private static final long MUST_MILLIS = 2000;

  @Override
  public void run(Run run) throws Exception {
    LiveCluster cluster = LiveCluster.start(run);
    fill(run, cluster);
    double before = heapAfterCollection();
    JobID job =
        cluster.submit(
            LiveCluster.Job.endless(
                Optional.empty(), LiveAnalyses.of(LiveAnalyses.NAMES, 60), Duration.ofSeconds(1)));
    awaitRead(run, cluster);
    run.progress("all flows are in the state");
    List<CompletedCheckpointStats> measured = completed(run, cluster, job);
    double held = heapAfterCollection() - before;
    cluster.flink().cancel(job);
    cluster.flink().awaitEnd(job, Duration.ofMinutes(2));
    show(run, measured, held);
  }

  private static void fill(Run run, LiveCluster cluster) {
    int groups = run.integer("groups");
    long total = (long) groups * run.integer("repeats");
    run.progress("filling the topic with %,d flows of %,d groups", total, groups);
    FlowBatchBuilder builder = new FlowBatchBuilder(FlowWriter.BATCH_ROWS);
    try (FlowWriter writer = cluster.writer(STREAM)) {
      for (long i = 0; i < total; i++) {
        flow(builder, (int) (i % groups), START + i * MINUTE / total);
        if (builder.isFull() || i == total - 1) {
          writer.add(FlowBatch.open(builder.build(STREAM, 0, 0, 0)));
          builder.clear();
        }
      }
      writer.flush();
    }
  }

  /** Adds an incoming flow, begun by its source, of the groups of this number. */
  private static void flow(FlowBatchBuilder builder, int group, long time) {
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, time);
    builder.set(FlowColumn.END_TIME, time);
    builder.setIpv4(FlowColumn.SRC_ADDR, 0xF000_0000 | group << 8);
    builder.setIpv4(FlowColumn.DST_ADDR, 0x0A00_0000 | group);
    builder.set(FlowColumn.SRC_PORT, 50_000);
    builder.set(FlowColumn.DST_PORT, group & 0xFFFF);
    builder.set(FlowColumn.PROTOCOL, 6);
    builder.set(FlowColumn.TCP_FLAGS, 2);
    builder.set(FlowColumn.BYTES, 40 + group % 1000);
    builder.set(FlowColumn.PACKETS, 1);
    builder.set(FlowColumn.OUTGOING, 0);
    builder.endRow();
  }

  private static double heapAfterCollection() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least / MIB;
  }

  /** Waits until a checkpoint has committed the whole topic to Kafka. */
  private static void awaitRead(Run run, LiveCluster cluster) throws Exception {
    long limit = System.nanoTime() + LIMIT.toNanos();
    try (Admin admin =
        Admin.create(
            Map.<String, Object>of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap()))) {
      Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
      for (int p = 0; p < run.integer("partitions"); p++) {
        latest.put(new TopicPartition(LiveCluster.TOPIC, p), OffsetSpec.latest());
      }
      Map<TopicPartition, Long> ends = new HashMap<>();
      admin.listOffsets(latest).all().get().forEach((p, end) -> ends.put(p, end.offset()));
      Map<TopicPartition, Long> read = new HashMap<>();
      while (!read.equals(ends)) {
        Run.require(System.nanoTime() < limit, "after %s of %s was read %s", LIMIT, ends, read);
        Thread.sleep(200);
        admin
            .listConsumerGroupOffsets("flowmon")
            .partitionsToOffsetAndMetadata()
            .get()
            .forEach((p, at) -> read.put(p, at.offset()));
      }
    } catch (ExecutionException e) {
      throw new CommandException("the broker did not say what was read: " + e.getCause());
    }
  }

  /** Checkpoints that began after all was read. */
  private static List<CompletedCheckpointStats> completed(Run run, LiveCluster cluster, JobID job)
      throws Exception {
    int wanted = run.integer("checkpoints");
    long from = System.currentTimeMillis();
    long limit = System.nanoTime() + LIMIT.toNanos();
    List<CompletedCheckpointStats> found = new ArrayList<>();
    while (found.size() < wanted) {
      Run.require(System.nanoTime() < limit, "fewer than %d checkpoints within %s", wanted, LIMIT);
      Thread.sleep(200);
      found.clear();
      for (AbstractCheckpointStats one : checkpoints(cluster, job)) {
        if (one instanceof CompletedCheckpointStats done && done.getTriggerTimestamp() >= from) {
          found.add(done);
        }
      }
    }
    return found;
  }

  private static List<AbstractCheckpointStats> checkpoints(LiveCluster cluster, JobID job)
      throws InterruptedException {
    try {
      return cluster
          .flink()
          .cluster()
          .getExecutionGraph(job)
          .get()
          .getCheckpointStatsSnapshot()
          .getHistory()
          .getCheckpoints();
    } catch (ExecutionException e) {
      throw new CommandException("the job has no checkpoints: " + e.getCause());
    }
  }

  private static void show(Run run, List<CompletedCheckpointStats> measured, double held) {
    Samples millis =
        Samples.of(measured.stream().map(one -> (double) one.getEndToEndDuration()).toList());
    long bytes =
        measured.stream().mapToLong(CompletedCheckpointStats::getStateSize).max().orElseThrow();
    double peak = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      peak += pool.getType() == MemoryType.HEAP ? pool.getPeakUsage().getUsed() / MIB : 0;
    }
    int slots = run.cores("parallelism");
    run.add(
        new Row()
            .put("groups_of_each", run.number("groups"))
            .put("slots", slots)
            .put("heap_held_mib_per_slot", held / slots)
            .put("heap_most_mib", peak)
            .put("heap_limit_mib", Runtime.getRuntime().maxMemory() / MIB)
            .put("checkpoint_median_ms", millis.median())
            .put("checkpoint_most_ms", millis.most())
            .put("checkpoint_mib", bytes / MIB)
            .put("must_reach_ms", MUST_MILLIS));
  }
}

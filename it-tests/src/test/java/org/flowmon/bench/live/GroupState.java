package org.flowmon.bench.live;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.AbstractCheckpointStats;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench live state}: the memory of an open window of many groups. Every analysis
 * holds all groups at once: every flow has its own source prefix, pair of addresses and target, and
 * all are in one window, which stays open.
 */
@Command(
    name = "state",
    mixinStandardHelpOptions = true,
    description = {
      "Heap and checkpoints while each of the five analyses holds so many different groups of one"
          + " open window.",
      "portscans holds them three times, for its three counts of different targets."
    })
public final class GroupState implements Callable<Integer> {
  private static final long STREAM = 5;
  private static final long GROUPS = 100_000;
  private static final int MAX_GROUPS = 1 << 20; // prefixes of /24 within 240.0.0.0/4
  private static final long MINUTE = 60_000_000;
  private static final long START = 1_768_478_400_000_000L; // 2026-01-15T12:00:00Z
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final double MIB = 1 << 20;

  @Mixin private LiveOptions options;

  @Option(
      names = "--groups",
      description = "Different groups of the window, for each analysis; default 100000.")
  private Long groups;

  @Option(
      names = "--repeats",
      defaultValue = "10",
      description = "Flows of each group; default ${DEFAULT-VALUE}.")
  private int repeats;

  @Option(
      names = "--checkpoints",
      defaultValue = "5",
      description = "Checkpoints of the full state that are measured; default ${DEFAULT-VALUE}.")
  private int checkpoints;

  @Override
  public Integer call() throws IOException {
    options.check();
    long count = groups != null ? groups : options.quick() ? GROUPS / 50 : GROUPS;
    if (count < 1 || count > MAX_GROUPS || repeats < 1 || checkpoints < 1) {
      throw new UsageException(
          "--groups are 1 … " + MAX_GROUPS + ", --repeats and --checkpoints at least 1");
    }
    try (LiveCluster cluster = LiveCluster.start(options, "state")) {
      fill(cluster, (int) count);
      double before = heapAfterCollection();
      JobID job =
          cluster.submit(
              new LiveCluster.Job(
                  "analyses",
                  null,
                  LiveAnalyses.of(LiveAnalyses.NAMES, 60),
                  false,
                  Duration.ofSeconds(1)));
      awaitRead(cluster);
      options.progress("all flows are in the state");
      List<CompletedCheckpointStats> measured = completed(cluster, job);
      double held = heapAfterCollection() - before;
      cluster.flink().cancel(job);
      cluster.flink().awaitEnd(job, Duration.ofMinutes(2));
      show(count, measured, held);
    }
    return 0;
  }

  private void fill(LiveCluster cluster, int count) {
    options.progress(
        "filling the topic with %,d flows of %,d groups", (long) count * repeats, count);
    FlowBatchBuilder builder = new FlowBatchBuilder(FlowWriter.BATCH_ROWS);
    long total = (long) count * repeats;
    try (FlowWriter writer = cluster.writer(STREAM)) {
      for (long i = 0; i < total; i++) {
        flow(builder, (int) (i % count), START + i * MINUTE / total);
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
  private void awaitRead(LiveCluster cluster) {
    long limit = System.nanoTime() + LIMIT.toNanos();
    try (Admin admin =
        Admin.create(
            Map.<String, Object>of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap()))) {
      Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
      for (int p = 0; p < options.partitions(); p++) {
        latest.put(new TopicPartition(LiveCluster.TOPIC, p), OffsetSpec.latest());
      }
      Map<TopicPartition, Long> ends = new HashMap<>();
      admin.listOffsets(latest).all().get().forEach((p, end) -> ends.put(p, end.offset()));
      while (true) {
        Map<TopicPartition, Long> read = new HashMap<>();
        admin
            .listConsumerGroupOffsets("flowmon")
            .partitionsToOffsetAndMetadata()
            .get()
            .forEach((p, at) -> read.put(p, at.offset()));
        if (read.equals(ends)) {
          return;
        }
        if (System.nanoTime() > limit) {
          throw new CommandException("after " + LIMIT + " of " + ends + " was read " + read);
        }
        Thread.sleep(200);
      }
    } catch (ExecutionException e) {
      throw new CommandException("the broker did not say what was read: " + e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted while flows were read");
    }
  }

  /** Checkpoints that began after all was read. */
  private List<CompletedCheckpointStats> completed(LiveCluster cluster, JobID job) {
    long from = System.currentTimeMillis();
    long limit = System.nanoTime() + LIMIT.toNanos();
    try {
      while (System.nanoTime() < limit) {
        CheckpointStatsSnapshot stats =
            cluster.flink().cluster().getExecutionGraph(job).get().getCheckpointStatsSnapshot();
        List<CompletedCheckpointStats> found = new ArrayList<>();
        for (AbstractCheckpointStats one : stats.getHistory().getCheckpoints()) {
          if (one instanceof CompletedCheckpointStats done && done.getTriggerTimestamp() >= from) {
            found.add(done);
          }
        }
        if (found.size() >= checkpoints) {
          return found;
        }
        Thread.sleep(200);
      }
    } catch (ExecutionException e) {
      throw new CommandException("the job has no checkpoints: " + e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted while checkpoints were made");
    }
    throw new CommandException("fewer than " + checkpoints + " checkpoints within " + LIMIT);
  }

  private void show(long count, List<CompletedCheckpointStats> measured, double held)
      throws IOException {
    double[] millis =
        measured.stream()
            .mapToDouble(CompletedCheckpointStats::getEndToEndDuration)
            .sorted()
            .toArray();
    long bytes =
        measured.stream().mapToLong(CompletedCheckpointStats::getStateSize).max().getAsLong();
    double peak = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      peak += pool.getType() == MemoryType.HEAP ? pool.getPeakUsage().getUsed() / MIB : 0;
    }
    BenchResult table =
        new BenchResult("live state: full state of the five analyses, one open window");
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("groups_of_each", count);
    row.put("slots", (long) options.parallelism());
    row.put("heap_held_mib_per_slot", held / options.parallelism());
    row.put("heap_most_mib", peak);
    row.put("heap_limit_mib", Runtime.getRuntime().maxMemory() / MIB);
    row.put("checkpoint_median_ms", millis[(millis.length - 1) / 2]);
    row.put("checkpoint_most_ms", millis[millis.length - 1]);
    row.put("checkpoint_mib", bytes / MIB);
    row.put("must_reach_ms", 2000L);
    table.row(row);
    options.show("state", List.of(table));
  }
}

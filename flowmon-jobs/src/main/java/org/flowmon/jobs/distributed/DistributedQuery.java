package org.flowmon.jobs.distributed;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.NestedAnswer;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.query.plan.SegmentChoice;
import org.flowmon.archive.segment.VisibleSegment;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.scan.ArchiveSource;
import org.flowmon.jobs.scan.ArchiveSplit;
import org.flowmon.udaf.MergedGroups;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.text.QueryException;

/**
 * Answers queries over archives as batch jobs of Flink, one for each query over flows.
 *
 * <pre>
 *   segments (of each archive) ──► merge (by key group) ──► the caller: ORDER BY, LIMIT, items
 * </pre>
 *
 * <p>A task of {@code segments} takes split after split and makes partial groups of it as a local
 * query does; a task of {@code merge} has all groups of its keys, and leaves out those that HAVING
 * or LIMIT do. Answers equal those of {@link org.flowmon.archive.query.ArchiveQuery} over the same
 * snapshots, approximate ones within their bounds. The files of the archives must be in the same
 * place for all processes.
 */
public final class DistributedQuery {
  private static final TypeInformation<Tuple2<Integer, byte[]>> PART =
      Types.TUPLE(Types.INT, Types.PRIMITIVE_ARRAY(Types.BYTE));
  private static final int RESTARTS = 2;
  private static final Duration RESTART_DELAY = Duration.ofSeconds(1);
  private static final int MAX_CAUSES = 100;
  private static final Duration POLL = Duration.ofMillis(20);

  private final StreamExecutionEnvironment env;
  private final int parallelism;
  private final long leastRows;

  /** Queries by this environment with so many tasks at once. */
  public DistributedQuery(StreamExecutionEnvironment env, int parallelism) {
    this(env, parallelism, 1 << 18);
  }

  /** Of a split, at least {@code leastRows} rows. */
  DistributedQuery(StreamExecutionEnvironment env, int parallelism, long leastRows) {
    this.env = env;
    this.parallelism = parallelism;
    this.leastRows = leastRows;
    env.setRuntimeMode(RuntimeExecutionMode.BATCH);
    // A task that dies is run again; what fails each time ends the job, whatever the cluster's way.
    Configuration restarts = new Configuration();
    restarts.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    restarts.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, RESTARTS);
    restarts.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, RESTART_DELAY);
    env.configure(restarts);
    env.setParallelism(parallelism);
  }

  /**
   * Runs a query without parameters and without joined files, over snapshots that stay open.
   *
   * @throws QueryException if it, or a query in it, is of rows without groups
   * @throws IOException with the reason if a job fails
   */
  public QueryAnswer run(List<ArchiveSnapshot> snapshots, Query query, QueryOptions options)
      throws IOException {
    query.requireBound();
    Deadline deadline = options.deadline();
    try (GroupMemory memory = new GroupMemory(options.groupMemory(), deadline::check)) {
      return NestedAnswer.of(
          query, flows -> ofFlows(snapshots, flows, options, deadline, memory), deadline, memory);
    }
  }

  private QueryAnswer ofFlows(
      List<ArchiveSnapshot> snapshots,
      FlowQuery query,
      QueryOptions options,
      Deadline deadline,
      GroupMemory memory)
      throws IOException {
    if (!query.isAggregated()) {
      throw new QueryException(
          "a cluster answers queries with groups; ask for single rows without it: " + query);
    }
    QueriedArchives archives = new QueriedArchives(snapshots, options.verifyChecksums());
    SegmentChoice choice = archives.choose(Constraints.of(query.where()));
    List<byte[]> rows = new ArrayList<>();
    ReadCounts read = ReadCounts.NONE;
    if (!choice.segments().isEmpty()) {
      for (Tuple2<Integer, byte[]> part : answered(archives, choice, query, options, deadline)) {
        if (part.f0 == ReadCounts.PLACE) {
          read = read.plus(ReadCounts.fromBytes(part.f1));
        } else {
          rows.add(part.f1);
        }
      }
    }
    deadline.bytesRead(read.bytes());
    GroupAnswer.WithBounds answer = MergedGroups.answer(query, rows, memory);
    return new QueryAnswer(answer.rows(), stats(archives, choice, read, deadline), answer.bounds());
  }

  private static QueryStats stats(
      QueriedArchives archives, SegmentChoice choice, ReadCounts read, Deadline deadline) {
    List<String> warnings = new ArrayList<>(choice.warnings());
    warnings.addAll(read.warnings());
    return new QueryStats(
        archives.number(),
        archives.reach().historyFrom(),
        archives.reach().historyThrough(),
        archives.segments(),
        read.opened(),
        choice.byDirectory(),
        choice.uncovered(),
        0,
        0,
        0,
        read.read(),
        read.byIndex(),
        read.byRollup(),
        read.cells(),
        archives.rows(),
        read.rowsExamined(),
        read.rowsMatched(),
        deadline.bytes(),
        List.of(),
        warnings,
        deadline.elapsedNanos());
  }

  private List<Tuple2<Integer, byte[]>> answered(
      QueriedArchives archives,
      SegmentChoice choice,
      FlowQuery query,
      QueryOptions options,
      Deadline deadline)
      throws IOException {
    DataStream<Tuple2<Integer, byte[]>> merged =
        parts(archives, choice, query, options)
            .partitionCustom((key, tasks) -> Math.max(0, key), part -> part.f0)
            .transform("merge", PART, new GroupMerge(locations(archives), query.toString()));
    CloseableIterator<Tuple2<Integer, byte[]>> results;
    try {
      results = merged.executeAndCollect("flowmon query");
    } catch (Exception e) {
      throw new IOException("the cluster did not take the query: " + reason(e), e);
    }
    FutureTask<List<Tuple2<Integer, byte[]>>> all =
        new FutureTask<>(
            () -> {
              List<Tuple2<Integer, byte[]>> some = new ArrayList<>();
              results.forEachRemaining(some::add);
              return some;
            });
    Thread collector = new Thread(all, "collect-query");
    collector.setDaemon(true);
    collector.start();
    try {
      return await(all, deadline);
    } finally {
      collector.interrupt();
      close(results);
    }
  }

  private DataStream<Tuple2<Integer, byte[]>> parts(
      QueriedArchives archives, SegmentChoice choice, FlowQuery query, QueryOptions options) {
    List<DataStream<Tuple2<Integer, byte[]>>> sources = new ArrayList<>();
    for (ArchiveSnapshot snapshot : archives.snapshots()) {
      List<VisibleSegment> visible =
          archives.chosenOf(snapshot, choice).stream().map(snapshot::visible).toList();
      GroupScan scan =
          new GroupScan(
              snapshot.location(), query.toString(), parallelism, options.verifyChecksums());
      ArchiveSource<Tuple2<Integer, byte[]>> source =
          new ArchiveSource<>(scan, ArchiveSplit.pack(visible, parallelism, leastRows));
      sources.add(env.fromSource(source, WatermarkStrategy.noWatermarks(), "segments", PART));
    }
    DataStream<Tuple2<Integer, byte[]>> first = sources.get(0);
    for (DataStream<Tuple2<Integer, byte[]>> other : sources.subList(1, sources.size())) {
      first = first.union(other);
    }
    return first;
  }

  private static List<ArchiveLocation> locations(QueriedArchives archives) {
    return archives.snapshots().stream().map(ArchiveSnapshot::location).toList();
  }

  private static <T> T await(FutureTask<T> task, Deadline deadline) throws IOException {
    while (true) {
      deadline.check();
      try {
        return task.get(POLL.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        // not yet
      } catch (ExecutionException e) {
        throw new IOException("the cluster's job failed: " + reason(e), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
    }
  }

  /** Cancels the job if it runs. */
  private static void close(CloseableIterator<?> results) throws IOException {
    try {
      results.close();
    } catch (Exception e) {
      throw new IOException("the cluster's job could not be cancelled: " + reason(e), e);
    }
  }

  /** What the first of the causes says: those around it are Flink's. */
  private static String reason(Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; depth < MAX_CAUSES && at.getCause() != null; depth++) {
      at = at.getCause();
    }
    return String.valueOf(at.getMessage()).lines().findFirst().orElse("").strip();
  }
}

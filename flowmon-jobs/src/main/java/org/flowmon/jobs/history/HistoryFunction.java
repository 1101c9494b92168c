package org.flowmon.jobs.history;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.Definitions;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.text.QueryException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the history from the archive to each window's result without holding up the stream. The
 * analysis's history query runs with {@code :now} bound to the window's end and each {@code
 * :live.COLUMN} to the list of that column's values, over the arrivals up to as-of = window end −
 * delay. A lookup that is late, refused or failed is a status of the answer, never an exception.
 *
 * <p>Answers leave in the order in which they are ready, so that a slow analysis does not hold up
 * the others. Every report carries its window and replaces by revision, so nothing depends on the
 * order. (Flink still keeps answers between watermarks: no result passes a watermark, and the time
 * limit bounds that wait; see {@link HistoryOperator}.) Windows in flight are part of a checkpoint
 * and are looked up again after a restart.
 *
 * <p>Load has three bounds: {@code history.concurrency} lookups of an analysis in a task, {@link
 * LookupPool} in a TaskManager, and {@link #CAPACITY} windows in flight in a task, with the
 * watermarks between them, times the job's parallelism. At the last bound the task waits, and with
 * it the task of all windows if it is the same. A lookup without a free thread retries until its
 * time limit; a lookup without an answer by then is not repeated later.
 *
 * <p>Metrics in group {@code flowmon}, by analysis: {@code exact}, {@code partial}, {@code
 * refused}, {@code timeout}, {@code failed} lookups; {@code last_wait_ms} and {@code last_run_ms}
 * of the last one; {@code waited_ms} and {@code ran_ms} of all so far.
 */
public final class HistoryFunction extends RichAsyncFunction<WindowResult, WindowHistory> {
  /** Windows that wait for their history in one task, for each unit of the job's parallelism. */
  public static final int CAPACITY = 128;

  /** The pace of windows. */
  public enum Pace {
    /** Real time: a lookup waits for the archive. */
    LIVE,
    /**
     * As fast as windows are read: a lookup does not wait for the archive, and lookups of a task
     * run one after the other, since the time limits of waiting lookups run too.
     */
    REPLAY
  }

  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(HistoryFunction.class);
  // Flink's own time limit only catches lookups that missed theirs.
  private static final Duration SLACK = Duration.ofSeconds(10);

  private final ArchiveLocation location;
  private final Definitions definitions;
  private final Duration delay;
  private final FlowTopic topic;
  private final Duration disorder;
  private final Pace pace;
  private transient Archive archive;
  private transient LookupPool pool;
  private transient Map<String, Analysis> byName;
  private transient HistoryOperator operator;
  private transient RunningLookups lookups;

  /** The query of one analysis, or its error. */
  private record Analysis(
      AnalysisConfig config,
      HistoryQuery query,
      LookAhead ahead, // null if nothing can be looked up ahead
      String error,
      Semaphore permits,
      Measures measures) {
    Map<HistoryStatus, AtomicLong> answers() {
      return measures.answers();
    }
  }

  /** The settings behind cached answers that tasks of a process share. */
  private record Answers(
      String location, FlowTopic topic, Duration delay, Duration disorder, AnalysisConfig config) {}

  /** The metrics of a name, for all analyses of that name: Flink cannot remove a metric. */
  private record Measures(
      Map<HistoryStatus, AtomicLong> answers,
      AtomicLong lastWaitMillis,
      AtomicLong lastRunMillis,
      AtomicLong waitedNanos,
      AtomicLong ranNanos) {
    Measures() {
      this(
          new EnumMap<>(HistoryStatus.class),
          new AtomicLong(),
          new AtomicLong(),
          new AtomicLong(),
          new AtomicLong());
    }

    void took(long waited, long ran) {
      lastWaitMillis.set(waited / 1_000_000);
      lastRunMillis.set(ran / 1_000_000);
      waitedNanos.addAndGet(waited);
      ranNanos.addAndGet(ran);
    }
  }

  HistoryFunction(
      ArchiveLocation location,
      List<AnalysisConfig> analyses,
      Duration delay,
      FlowTopic topic,
      Duration disorder,
      Pace pace) {
    this.location = location;
    this.definitions = new Definitions(analyses);
    this.delay = delay;
    this.topic = topic;
    this.disorder = disorder;
    this.pace = pace;
  }

  /**
   * Adds the operator to the job.
   *
   * @param location null if none is configured: then every lookup fails and says so
   * @param delay of analyses that set none: two checkpoint intervals, as the archive is one behind
   * @param topic whose flows the archive holds
   * @param disorder how far an arrival may lie behind the largest of its partition
   * @throws QueryException if a history query is invalid
   */
  public static SingleOutputStreamOperator<WindowHistory> apply(
      DataStream<WindowResult> windows,
      ArchiveLocation location,
      List<AnalysisConfig> analyses,
      Duration delay,
      FlowTopic topic,
      Duration disorder) {
    return apply(windows, location, analyses, delay, topic, disorder, Pace.LIVE);
  }

  /**
   * Adds the operator to the job, at a pace of windows.
   *
   * @param pace how fast windows come
   */
  public static SingleOutputStreamOperator<WindowHistory> apply(
      DataStream<WindowResult> windows,
      ArchiveLocation location,
      List<AnalysisConfig> analyses,
      Duration delay,
      FlowTopic topic,
      Duration disorder,
      Pace pace) {
    for (AnalysisConfig analysis : analyses) {
      if (analysis.history() != null) {
        var unused =
            new HistoryQuery(analysis, delay, topic, disorder, null); // an error is thrown here
      }
    }
    return windows.transform(
        "history",
        WindowHistory.TYPE,
        new HistoryOperator.Factory(
            new HistoryFunction(location, analyses, delay, topic, disorder, pace),
            AnalysisConfig.History.MAX_TIMEOUT.plus(SLACK).toMillis(),
            pace == Pace.LIVE ? capacity(windows.getExecutionEnvironment().getParallelism()) : 1));
  }

  private static int capacity(int parallelism) {
    return CAPACITY * Math.max(1, Math.min(parallelism, 1 << 10));
  }

  /** Sets the operator around this function, before it is opened. */
  void tell(HistoryOperator around) {
    operator = around;
  }

  @Override
  public void open(OpenContext context) throws Exception {
    if (location != null) {
      archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS);
      FetchMetrics.register(getRuntimeContext().getMetricGroup().addGroup("flowmon"), archive);
    }
    lookups = new RunningLookups();
    pool = LookupPool.acquire();
    byName = new HashMap<>();
    for (AnalysisConfig analysis : definitions.started()) {
      if (analysis.history() != null) {
        byName.put(analysis.name(), open(analysis, null));
      }
    }
  }

  /**
   * Returns the analysis of a window, opened if it is new or changed; null if it has no history.
   */
  private Analysis of(WindowResult window) {
    AnalysisConfig config = definitions.of(window.analysis(), window.definition());
    if (config == null || config.history() == null) {
      return null;
    }
    Analysis before = byName.get(config.name());
    if (before != null && before.config().equals(config)) {
      return before;
    }
    if (before != null && pool != null) {
      pool.forgetAnswers(key(before.config()));
    }
    Analysis opened = open(config, before);
    byName.put(config.name(), opened);
    return opened;
  }

  private Analysis open(AnalysisConfig config, Analysis before) {
    Measures measures = before == null ? measures(config.name()) : before.measures();
    Semaphore permits = new Semaphore(config.history().concurrency());
    if (archive == null) {
      String error = "the job's configuration has no archive.directory";
      return new Analysis(config, null, null, error, permits, measures);
    }
    try {
      // Windows of an analysis come to any of the tasks, and the answer of one serves all.
      boolean isKept = pace == Pace.LIVE || config.history().refresh() != null;
      RecentAnswers answers = isKept ? pool.answers(key(config)) : null;
      HistoryQuery query = new HistoryQuery(config, delay, topic, disorder, answers);
      LookAhead ahead =
          pace == Pace.LIVE && query.canBeAhead()
              ? new LookAhead(archive, query, pool, permits, config.live().slideMicros(), lookups)
              : null;
      return new Analysis(config, query, ahead, null, permits, measures);
    } catch (QueryException e) {
      LOG.error("analysis {}: history.query: {}", config.name(), e.getMessage());
      String error = "history.query: " + e.getMessage();
      return new Analysis(config, null, null, error, permits, measures);
    }
  }

  private Answers key(AnalysisConfig config) {
    return new Answers(location == null ? "" : location.toString(), topic, delay, disorder, config);
  }

  private Measures measures(String name) {
    Measures measures = new Measures();
    MetricGroup group =
        getRuntimeContext().getMetricGroup().addGroup("flowmon").addGroup("analysis", name);
    for (HistoryStatus status : HistoryStatus.values()) {
      AtomicLong count = new AtomicLong();
      measures.answers().put(status, count);
      group.gauge(status.text(), (Gauge<Long>) count::get);
    }
    group.gauge("last_wait_ms", (Gauge<Long>) measures.lastWaitMillis()::get);
    group.gauge("last_run_ms", (Gauge<Long>) measures.lastRunMillis()::get);
    group.gauge("waited_ms", (Gauge<Long>) () -> measures.waitedNanos().get() / 1_000_000);
    group.gauge("ran_ms", (Gauge<Long>) () -> measures.ranNanos().get() / 1_000_000);
    return measures;
  }

  @Override
  public void asyncInvoke(WindowResult window, ResultFuture<WindowHistory> result) {
    if (window.isAnnouncement()) {
      forget(window);
      result.complete(List.of(new WindowHistory(window, HistoryAnswer.NONE)));
      return;
    }
    Analysis analysis = of(window);
    if (analysis == null || window.rows().rowCount() == 0) {
      result.complete(List.of(new WindowHistory(window, HistoryAnswer.NONE)));
      return;
    }
    if (analysis.query() == null) {
      HistoryAnswer none =
          HistoryAnswer.without(HistoryStatus.FAILED, HistoryAnswer.UNKNOWN, analysis.error());
      result.complete(List.of(new WindowHistory(window, none)));
      return;
    }
    lookUp(window, analysis, result);
    if (analysis.ahead() != null) {
      // After the window's own lookup, which goes first.
      analysis.ahead().after(window.windowEnd());
    }
  }

  /** Drops the cached answers of a removed analysis. */
  private void forget(WindowResult announcement) {
    boolean isGone = announcement.definition().isEmpty();
    Analysis before = isGone ? byName.get(announcement.analysis()) : null;
    if (before != null) {
      pool.forgetAnswers(key(before.config()));
    }
  }

  private void lookUp(WindowResult window, Analysis analysis, ResultFuture<WindowHistory> result) {
    operator.awaits(result);
    new HistoryLookup(
            archive,
            analysis.query(),
            pool,
            analysis.permits(),
            window,
            lookups,
            pace == Pace.LIVE && analysis.query().canBeReached(window),
            (answer, waited, ran) -> {
              if (!lookups.isClosed()) {
                analysis.answers().get(answer.status()).incrementAndGet();
                analysis.measures().took(waited, ran);
                complete(window, answer, result);
              }
            })
        .start();
  }

  @Override
  public void timeout(WindowResult window, ResultFuture<WindowHistory> result) {
    HistoryAnswer answer =
        HistoryAnswer.without(
            HistoryStatus.TIMEOUT, HistoryAnswer.UNKNOWN, "the lookup was given up");
    complete(window, answer, result);
  }

  private void complete(
      WindowResult window, HistoryAnswer answer, ResultFuture<WindowHistory> result) {
    operator.complete(result, new WindowHistory(window, answer));
  }

  @Override
  public void close() {
    if (lookups != null) {
      lookups.close();
    }
    if (pool != null) {
      pool.close();
    }
    if (archive != null) {
      archive.close();
    }
  }
}

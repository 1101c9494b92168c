package org.flowmon.jobs.history;

import java.io.Serializable;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.datastream.AsyncDataStream.OutputMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperator;
import org.apache.flink.streaming.api.operators.async.AsyncWaitOperatorFactory;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.retryable.AsyncRetryStrategies;
import org.apache.flink.util.IOUtils;
import org.flowmon.archive.Archives;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.Definitions;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.enrich.SharedEnrichment;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.parser.SeenCall;
import org.flowmon.udaf.text.QueryException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the archive's history to each window's result without holding up the stream. The history
 * query runs with {@code :now} bound to the window's end and each {@code :live.COLUMN} to the list
 * of that column's values, over the arrivals up to as-of = window end − delay; {@link SeenLookup}
 * asks for addresses. A late, refused or failed lookup is a status of the answer, never an
 * exception.
 *
 * <p>Answers leave as they are ready, so a slow analysis holds up no other; a report has its window
 * and replaces by revision, so order does not matter. No result passes a watermark, and the time
 * limit bounds that wait. Windows in flight are part of a checkpoint and looked up again after a
 * restart.
 *
 * <p>Flink's queue takes watermarks, some hundred a second, as it takes windows: a lookup of
 * seconds would fill it and block the task of all windows, in the same thread. So successive
 * watermarks after a waiting window become the last one: none could leave before that window.
 *
 * <p>Bounds of load: {@code history.concurrency} lookups of an analysis in a task, {@link
 * LookupPool} in a TaskManager, and {@link #CAPACITY} windows in flight in a task, with the
 * watermarks between, times the parallelism. At the last the task waits, and the task of all
 * windows if it is the same. A lookup without a free thread retries until its limit; one without an
 * answer by then is not repeated. Metrics in group {@code flowmon}: those of {@link LookupMetrics}.
 */
public final class HistoryOperator extends AsyncWaitOperator<WindowResult, WindowHistory> {
  /** Windows that wait for history in one task, for each unit of the job's parallelism. */
  public static final int CAPACITY = 128;

  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(HistoryOperator.class);
  // Flink's own time limit only catches lookups that missed theirs.
  private static final Duration SLACK = Duration.ofSeconds(10);

  /** The pace of windows. */
  public enum Pace {
    LIVE,
    /**
     * As fast as windows are read: no lookup waits for the archive, and a task's run one by one,
     * since the time limits of waiting lookups run too.
     */
    REPLAY
  }

  /**
   * The archives that are asked, and for whom.
   *
   * @param archives read as one; if none is configured, every lookup fails and says so
   * @param delay the default: two checkpoint intervals, as the archive is one behind
   * @param disorder how far an arrival may lie behind the largest of its partition
   * @param enrichment the files that queries join
   * @param calls what an analysis's report asks of addresses
   */
  public record Settings(
      List<ArchiveLocation> archives,
      List<AnalysisConfig> analyses,
      Duration delay,
      FlowTopic topic,
      Duration disorder,
      Pace pace,
      EnrichmentConfig enrichment,
      SeenLookup.Calls calls)
      implements Serializable {
    public Settings {
      archives = List.copyOf(archives);
      analyses = List.copyOf(analyses);
    }

    /** Reports ask nothing of addresses. */
    public Settings(
        List<ArchiveLocation> archives,
        List<AnalysisConfig> analyses,
        Duration delay,
        FlowTopic topic,
        Duration disorder,
        Pace pace,
        EnrichmentConfig enrichment) {
      this(archives, analyses, delay, topic, disorder, pace, enrichment, analysis -> List.of());
    }

    /** Without files that queries join. */
    public Settings(
        List<ArchiveLocation> archives,
        List<AnalysisConfig> analyses,
        Duration delay,
        FlowTopic topic,
        Duration disorder,
        Pace pace) {
      this(archives, analyses, delay, topic, disorder, pace, EnrichmentConfig.NONE);
    }

    public Settings with(SeenLookup.Calls others) {
      return new Settings(archives, analyses, delay, topic, disorder, pace, enrichment, others);
    }

    /** Empty if the analysis asks nothing; {@link QueryException} if its query is invalid. */
    Optional<HistoryQuery> query(
        AnalysisConfig analysis, Optional<RecentAnswers> cache, Enrichment tables) {
      List<SeenCall> asked = calls.apply(analysis);
      return analysis.history() == null && asked.isEmpty()
          ? Optional.empty()
          : Optional.of(new HistoryQuery(analysis, asked, delay, topic, disorder, cache, tables));
    }

    /** The tasks of a process share the cached answers of an analysis with equal settings. */
    Object cacheKey(AnalysisConfig analysis) {
      return List.of(archives.toString(), topic, delay, disorder, analysis);
    }
  }

  private final transient Settings settings;
  private final transient Definitions definitions;
  private final transient MailboxExecutor mailbox;
  private final transient RunningLookups lookups = new RunningLookups();
  private final transient Map<String, Opened> byName = new HashMap<>();
  private final transient Map<String, AnalysisConfig> askingNothing = new HashMap<>();
  private final transient Map<String, LookupMetrics> lookupMetrics = new HashMap<>();
  // Pending answers; all fields here belong to the task's thread.
  private final transient Set<ResultFuture<WindowHistory>> waiting = new HashSet<>();
  private transient LookupPool pool;
  private transient SharedEnrichment enrichment;
  private transient Archives archives;
  private transient @Nullable Watermark held;

  /** An analysis with lookups; {@code error}: why they are empty; {@code ahead} may be. */
  private record Opened(
      AnalysisConfig config,
      LookupMetrics metrics,
      Optional<AnalysisLookups> lookups,
      Optional<LookAhead> ahead,
      String error) {}

  /** Adds the operator; throws {@link QueryException} if a history query is invalid. */
  public static SingleOutputStreamOperator<WindowHistory> apply(
      DataStream<WindowResult> windows, Settings settings) {
    for (AnalysisConfig analysis : settings.analyses()) {
      var unused =
          settings.query(analysis, Optional.empty(), Enrichment.NONE); // an error is thrown here
    }
    int parallelism = Math.min(windows.getExecutionEnvironment().getParallelism(), 1 << 10);
    int capacity = settings.pace() == Pace.LIVE ? CAPACITY * Math.max(1, parallelism) : 1;
    long timeout = AnalysisConfig.History.MAX_TIMEOUT.plus(SLACK).toMillis();
    return windows.transform(
        "history", WindowHistory.TYPE, new Factory(settings, timeout, capacity));
  }

  /** Creates the operator. */
  static final class Factory extends AsyncWaitOperatorFactory<WindowResult, WindowHistory> {
    private static final long serialVersionUID = 1L;
    private final Settings settings;
    private final long timeoutMillis;
    private final int capacity;

    /** {@code capacity}: the most windows that wait, with the watermarks between them. */
    Factory(Settings settings, long timeoutMillis, int capacity) {
      super(new Requests(), timeoutMillis, capacity, OutputMode.UNORDERED);
      this.settings = settings;
      this.timeoutMillis = timeoutMillis;
      this.capacity = capacity;
    }

    @Override
    // The interface leaves T to the caller, who asks for our own type.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public <T extends StreamOperator<WindowHistory>> T createStreamOperator(
        StreamOperatorParameters<WindowHistory> parameters) {
      return (T)
          new HistoryOperator(
              parameters, settings, new Requests(), timeoutMillis, capacity, getMailboxExecutor());
    }

    @Override
    @SuppressWarnings("rawtypes") // as Flink declares it
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
      return HistoryOperator.class;
    }
  }

  /** Flink's way into the operator. */
  private static final class Requests implements AsyncFunction<WindowResult, WindowHistory> {
    private static final long serialVersionUID = 1L;

    // Set by the operator's constructor, before a window comes.
    @SuppressWarnings("NullAway.Init")
    private transient HistoryOperator operator;

    @Override
    public void asyncInvoke(WindowResult window, ResultFuture<WindowHistory> result) {
      operator.answer(window, result);
    }

    @Override
    public void timeout(WindowResult window, ResultFuture<WindowHistory> result) {
      operator.complete(
          result,
          new WindowHistory(
              window,
              HistoryAnswer.without(
                  HistoryStatus.TIMEOUT, HistoryAnswer.UNKNOWN, "the lookup was given up")));
    }
  }

  @SuppressWarnings("unchecked") // NO_RETRY_STRATEGY has no type
  private HistoryOperator(
      StreamOperatorParameters<WindowHistory> parameters,
      Settings settings,
      Requests requests,
      long timeoutMillis,
      int capacity,
      MailboxExecutor mailbox) {
    super(
        parameters,
        requests,
        timeoutMillis,
        capacity,
        OutputMode.UNORDERED,
        AsyncRetryStrategies.NO_RETRY_STRATEGY,
        parameters.getProcessingTimeService(),
        mailbox);
    this.settings = settings;
    this.definitions = new Definitions(settings.analyses());
    this.mailbox = mailbox;
    requests.operator = this;
  }

  @Override
  public void open() throws Exception {
    archives = Archives.openOrCreate(settings.archives());
    LookupMetrics.registerFetches(flowmonMetrics(), archives);
    pool = LookupPool.acquire();
    enrichment = SharedEnrichment.acquire(settings.enrichment());
    for (AnalysisConfig analysis : definitions.started()) {
      var unused = opened(analysis);
    }
    super.open(); // asks for the windows of the checkpoint
  }

  private MetricGroup flowmonMetrics() {
    return getMetricGroup().addGroup("flowmon");
  }

  private Optional<Opened> of(WindowResult window) {
    AnalysisConfig config = definitions.of(window.analysis(), window.definition());
    if (config == null) {
      return Optional.empty();
    }
    Opened before = byName.get(config.name());
    if (before != null && before.config().equals(config)) {
      return Optional.of(before);
    } else if (config.equals(askingNothing.get(config.name()))) {
      return Optional.empty();
    }
    if (before != null) {
      pool.forgetAnswers(settings.cacheKey(before.config()));
    }
    return opened(config);
  }

  private Optional<Opened> opened(AnalysisConfig config) {
    Optional<Opened> opened = open(config);
    byName.remove(config.name());
    askingNothing.remove(config.name());
    if (opened.isPresent()) {
      byName.put(config.name(), opened.get());
    } else {
      askingNothing.put(config.name(), config);
    }
    return opened;
  }

  private Optional<Opened> open(AnalysisConfig config) {
    try {
      if (settings.query(config, Optional.empty(), Enrichment.NONE).isEmpty()) {
        return Optional.empty();
      } else if (archives.all().isEmpty()) {
        return failed(config, "the job's configuration has no archive.directory");
      }
      // Windows of an analysis come to any of the tasks, and the answer of one serves all.
      boolean isLive = settings.pace() == Pace.LIVE;
      AnalysisConfig.History history = HistoryQuery.config(config);
      Optional<RecentAnswers> cache =
          isLive || history.refresh() != null
              ? Optional.of(pool.answers(settings.cacheKey(config)))
              : Optional.empty();
      HistoryQuery query = settings.query(config, cache, enrichment).orElseThrow();
      Semaphore permits = new Semaphore(history.concurrency());
      AnalysisLookups all = new AnalysisLookups(archives, query, pool, permits, lookups);
      Optional<LookAhead> ahead =
          isLive && query.canBeAhead()
              ? Optional.of(new LookAhead(all, config.live().slideMicros()))
              : Optional.empty();
      return Optional.of(new Opened(config, metrics(config), Optional.of(all), ahead, ""));
    } catch (QueryException e) {
      LOG.error("analysis {}: history.query: {}", config.name(), e.getMessage());
      return failed(config, "history.query: " + e.getMessage());
    } catch (RuntimeException e) { // a logic may be anybody's
      LOG.error("analysis {}: what its report asks of history is not known", config.name(), e);
      return failed(config, "the report's logic failed: " + e);
    }
  }

  private Optional<Opened> failed(AnalysisConfig config, String error) {
    return Optional.of(
        new Opened(config, metrics(config), Optional.empty(), Optional.empty(), error));
  }

  private LookupMetrics metrics(AnalysisConfig config) {
    return lookupMetrics.computeIfAbsent(
        config.name(), name -> new LookupMetrics(flowmonMetrics().addGroup("analysis", name)));
  }

  private void answer(WindowResult window, ResultFuture<WindowHistory> result) {
    if (window.isAnnouncement()) {
      forget(window);
      result.complete(List.of(new WindowHistory(window, HistoryAnswer.NONE)));
      return;
    }
    Optional<Opened> history = of(window);
    if (history.isEmpty() || window.rows().rowCount() == 0) {
      result.complete(List.of(new WindowHistory(window, HistoryAnswer.NONE)));
      return;
    }
    Opened analysis = history.get();
    if (analysis.lookups().isEmpty()) {
      HistoryAnswer failed =
          HistoryAnswer.without(HistoryStatus.FAILED, HistoryAnswer.UNKNOWN, analysis.error());
      result.complete(List.of(new WindowHistory(window, failed)));
      return;
    }
    waiting.add(result);
    AnalysisLookups all = analysis.lookups().get();
    boolean isPatient = settings.pace() == Pace.LIVE && all.query().canBeReached(window);
    new HistoryLookup(
            all,
            window,
            isPatient,
            (answer, waited, ran) -> {
              if (!lookups.isClosed()) {
                analysis.metrics().count(answer.status(), waited, ran);
                complete(result, new WindowHistory(window, answer));
              }
            })
        .start();
    // After the window's own lookup, which goes first.
    analysis.ahead().ifPresent(ahead -> ahead.after(window.windowEnd()));
  }

  private void forget(WindowResult announcement) {
    boolean isGone = "".equals(announcement.definition());
    Opened before = isGone ? byName.get(announcement.analysis()) : null;
    if (before != null) {
      pool.forgetAnswers(settings.cacheKey(before.config()));
    }
  }

  /** On any thread; after the task's end the window is in the last checkpoint, or cancelled. */
  private void complete(ResultFuture<WindowHistory> result, WindowHistory answer) {
    try {
      result.complete(List.of(answer));
      // After the mail with the answer.
      mailbox.execute(() -> answered(result), "answered");
    } catch (RejectedExecutionException e) {
      LOG.debug("analysis {}: the task ended before a history", answer.window().analysis(), e);
    }
  }

  private void answered(ResultFuture<WindowHistory> result) throws Exception {
    if (waiting.remove(result) && waiting.isEmpty()) {
      passHeld();
    }
  }

  private void passHeld() throws Exception {
    if (held != null) {
      Watermark mark = held;
      held = null;
      super.processWatermark(mark);
    }
  }

  @Override
  public void processElement(StreamRecord<WindowResult> window) throws Exception {
    passHeld();
    super.processElement(window);
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    held = mark;
    if (waiting.isEmpty()) {
      passHeld();
    }
  }

  @Override
  public void endInput() throws Exception {
    passHeld();
    super.endInput();
  }

  @Override
  public void close() throws Exception {
    IOUtils.closeAll(super::close, lookups::close, pool, archives, enrichment);
  }
}

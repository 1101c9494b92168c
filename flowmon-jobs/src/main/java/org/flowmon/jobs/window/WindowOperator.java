package org.flowmon.jobs.window;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.enrich.SharedEnrichment;
import org.flowmon.jobs.lowlevel.AnalysisSetState;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.merge.LiveQueries;
import org.flowmon.jobs.merge.StoppedQueries;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.site.StatesRecord;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.jobs.window.ResultMakers.Making;
import org.flowmon.udaf.pane.WindowSpec;
import org.jspecify.annotations.Nullable;

/**
 * The last step of the merge, one task: merges the parts of each window. When the watermark of all
 * merging tasks has passed its end, all parts are here and its result goes out. If flows may be
 * late it is revised when more have come, at most once a slide, last after end and lateness.
 * Results of a watermark go out by analysis: first those with a LIMIT or HAVING, by name, then
 * those with few groups; each in the order of ends. While those with many groups are made, this
 * task goes on with histories and reports of the others.
 *
 * <p>A window without groups has a result without rows if a flow arrived or is known to be lost,
 * else none. Parts after the last result (a source broke the disorder bound, then the job was
 * restored) are left out and counted; their arrival counts go to a later result. The end of input
 * closes open windows; a job restored from a drained savepoint reports those that did not go out
 * then. A failed analysis gives no more results, even after a restore: its open windows lack flows.
 *
 * <p>An analysis that comes while the job runs begins with the first window with all flows; parts
 * of earlier ones are left out and counted. One with only a changed report goes on, reported the
 * new way. If a query is over the results of others, each over flows has its parts and windows
 * here; the whole is answered from their results ({@link JoinedWindows}).
 */
public final class WindowOperator extends AbstractStreamOperator<WindowResult>
    implements OneInputStreamOperator<Partial, WindowResult> {
  private static final long serialVersionUID = 1L;

  public static final OutputTag<StatesRecord> STATES = new OutputTag<>("states", StatesRecord.TYPE);

  private final AnalysisSet analyses;
  private final @Nullable String site; // null if no states are published
  private final @Nullable Duration disorder;
  private transient @Nullable PublishedWindows published; // null if no states are
  private transient SharedEnrichment enrichment;
  private transient LiveQueries queries;
  private transient AnalysisSetState analysesState;
  private transient Map<Long, WholeWindows> whole;
  private transient ListState<long[]> wholeState;
  private transient Map<Long, OpenWindows> windows;
  private transient Counter notWhole;
  private transient WindowsCheckpoint state;
  private transient Counter results;
  private transient Counter revisions;
  private transient Counter finalResults;
  private transient ReductionMetrics reductions;
  private transient Counter unknownQuery;
  private transient Counter behindWatermark;
  private transient StoppedQueries stopped;
  private transient long closedThrough;
  private transient boolean announced;
  private transient ResultMakers makers;

  public WindowOperator(AnalysisSet analyses) {
    this(analyses, null, null);
  }

  /**
   * Publishes states of {@code site} to {@link #STATES}; null: none, and analyses that publish give
   * rows as others do.
   *
   * @param disorder how far an arrival may lie behind the largest of its partition, if a job
   *     without a checkpoint begins amid the flows: windows are then whole from the first that
   *     began later; null: it begins with the first
   */
  public WindowOperator(AnalysisSet analyses, @Nullable String site, @Nullable Duration disorder) {
    this.analyses = new AnalysisSet(analyses);
    this.site = site;
    this.disorder = disorder;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    MetricGroup metrics = getMetricGroup().addGroup("flowmon");
    results = metrics.counter("window_results");
    revisions = metrics.counter("revised_results", new ThreadSafeSimpleCounter());
    makers =
        new ResultMakers(
            Runtime.getRuntime().availableProcessors(),
            getContainingTask()
                .getMailboxExecutorFactory()
                .createExecutor(getOperatorConfig().getChainIndex()));
    finalResults = metrics.counter("final_results");
    reductions = new ReductionMetrics(metrics);
    unknownQuery = metrics.counter("unknown_query_messages");
    behindWatermark = metrics.counter("behind_watermark_parts");
    stopped = new StoppedQueries("windows");
    metrics.gauge("stopped_analyses", stopped::analyses);
    state = new WindowsCheckpoint(context.getOperatorStateStore());
    closedThrough = state.closedThrough();
    notWhole = metrics.counter("not_whole_windows");
    restoreQueries(context);
    published =
        site == null
            ? null
            : new PublishedWindows(
                site,
                disorder,
                closedThrough,
                queries,
                whole,
                stopped,
                notWhole,
                this::send,
                metrics);
    state.restore(windows, this::restore);
    for (long id : stopped.ids()) {
      LOG.warn(
          "analysis {} had been stopped by an error and stays so, as flows of its windows are"
              + " missing; another definition of it, or a start without this state, runs anew",
          open(id).live().analysis().name());
    }
  }

  private void restoreQueries(StateInitializationContext context) throws Exception {
    analysesState = new AnalysisSetState(context.getOperatorStateStore());
    wholeState =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>("whole-from", LongPrimitiveArraySerializer.INSTANCE));
    Optional<Map<String, Long>> before = analysesState.restore(analyses);
    boolean hasNoState = before.isEmpty();
    enrichment = SharedEnrichment.acquire(analyses.enrichment());
    queries = new LiveQueries(analyses, enrichment);
    windows = new TreeMap<>();
    whole = new HashMap<>();
    Map<Long, Long> wholeFrom = new HashMap<>();
    for (long[] queryAndFirst : wholeState.get()) {
      wholeFrom.put(queryAndFirst[0], queryAndFirst[1]);
    }
    queries
        .byId()
        .forEach(
            (id, live) -> {
              windows.put(id, new OpenWindows(live, revisions));
              Long from = hasNoState ? Long.valueOf(Long.MIN_VALUE) : wholeFrom.get(id);
              whole.put(
                  id,
                  from == null
                      ? WholeWindows.pending(queries.version(live))
                      : WholeWindows.from(from));
            });
    before.orElse(Map.of()).forEach(this::warnIfReplaced);
  }

  private void warnIfReplaced(String analysis, long idBefore) {
    if (!queries.byId().containsKey(idBefore)) {
      LOG.warn(
          "analysis {} is not in this job as it was in the state: its open windows have no report;"
              + " with another live query or another default of a function it begins anew with the"
              + " first whole window",
          analysis);
    }
  }

  private OpenWindows open(long queryId) {
    return Objects.requireNonNull(windows.get(queryId), "a query without windows");
  }

  private WholeWindows whole(long queryId) {
    return Objects.requireNonNull(whole.get(queryId), "a query without windows");
  }

  private boolean publishes(List<LiveQuery> all) {
    return published != null && all.get(0).analysis().publishesStates();
  }

  /** Later operators do not keep changes. */
  private void announceChanges() {
    if (!announced) {
      announced = true;
      queries.set().changes().forEach(this::announce);
    }
  }

  private void announce(AnalysisChange change) {
    String text = change.text() == null ? "" : change.text();
    output.collect(
        new StreamRecord<>(
            WindowResult.announcement(change.name(), text, change.version(), closedThrough)));
  }

  private void define(AnalysisChange change) {
    Optional<Set<Long>> gone = queries.apply(change);
    if (gone.isEmpty()) {
      return;
    }
    announceChanges();
    announce(change);
    for (long id : gone.get()) {
      windows.remove(id);
      whole.remove(id);
      stopped.remove(id);
    }
    for (LiveQuery live : queries.of(change.name())) {
      OpenWindows open = windows.get(live.id());
      if (open == null || stopped.remove(live.id())) {
        windows.put(live.id(), new OpenWindows(live, revisions));
        whole.put(live.id(), WholeWindows.pending(change.version()));
      }
    }
  }

  /** Parts left out after the result of their window had gone out. */
  public long behindWatermark() {
    return behindWatermark.getCount();
  }

  @Override
  public void processElement(StreamRecord<Partial> element) {
    announceChanges();
    add(element.getValue());
  }

  private void restore(Partial message) {
    if (message instanceof Partial.Counts counts) {
      withQuery(counts.queryId(), open -> open.restore(counts, closedThrough));
    } else {
      add(message);
    }
  }

  private void add(Partial message) {
    if (message instanceof Partial.OfWindow groups) {
      withQuery(groups.queryId(), open -> count(open.add(groups, closedThrough)));
    } else if (message instanceof Partial.Counts counts) {
      withQuery(counts.queryId(), open -> open.add(counts, closedThrough));
    } else if (message instanceof Partial.Stopped of) {
      withQuery(
          of.queryId(),
          open -> {
            if (queries.isOf(of)) {
              stopped.add(open.live());
            }
          });
    } else if (message instanceof Partial.Definition definition) {
      define(definition.change());
    } else if (message instanceof Partial.Missing missing) {
      withQuery(missing.queryId(), open -> open.add(missing));
    } else if (message instanceof Partial.Started started) {
      withQuery(started.queryId(), open -> whole(started.queryId()).add(started));
    } else {
      throw new IllegalStateException("groups do not come here: the merge keeps them");
    }
  }

  private void count(boolean taken) {
    if (!taken) {
      behindWatermark.inc();
    }
  }

  /** If the work fails the query is stopped, and no other with it. */
  private void withQuery(long queryId, Consumer<OpenWindows> work) {
    OpenWindows open = windows.get(queryId);
    if (open == null) {
      unknownQuery.inc();
      return;
    }
    if (!stopped.contains(queryId)) {
      try {
        work.accept(open);
      } catch (RuntimeException e) {
        stopped.add(open.live(), e);
      }
    }
    if (stopped.contains(queryId)) {
      open.clear();
      for (LiveQuery beside : queries.besides(queryId)) {
        if (stopped.add(beside)) {
          open(beside.id()).clear();
        }
      }
    }
  }

  private void closeAll(long completeThrough, ToIntFunction<OpenWindows> due)
      throws InterruptedException {
    List<List<LiveQuery>> all = new ArrayList<>(queries.byName().values());
    all.removeIf(of -> publishes(of) || stopped.contains(of.get(0).id()));
    // Results with all groups take longest, and the others need not wait for them.
    Map<Long, Long> bytes = new HashMap<>(); // of analyses with due results
    for (List<LiveQuery> of : all) {
      if (large(of).anyMatch(open -> due.applyAsInt(open) > 0)) {
        bytes.put(of.get(0).id(), large(of).mapToLong(OpenWindows::bytes).sum());
      }
    }
    all.sort(
        Comparator.comparing((List<LiveQuery> of) -> bytes.getOrDefault(of.get(0).id(), 0L))
            .thenComparing(of -> of.get(0).analysis().name()));
    List<Making> makings = new ArrayList<>();
    for (List<LiveQuery> of : all) {
      Making making = new Making(results -> close(of, completeThrough, results));
      makings.add(making);
      // Many windows' results should not be in memory at once: this thread sends one by one.
      if (bytes.containsKey(of.get(0).id())
          && large(of).allMatch(open -> due.applyAsInt(open) <= 1)) {
        makers.help(making);
      }
    }
    for (int i = 0; i < all.size(); i++) {
      // A failure of later operators is no failure of the analysis.
      Optional<RuntimeException> failure = makings.get(i).give(this::send);
      if (failure.isPresent()) {
        withQuery(
            all.get(i).get(0).id(),
            open -> {
              throw failure.get();
            });
      }
    }
  }

  private void publishAll(long completeThrough) {
    if (published == null) {
      return;
    }
    for (List<LiveQuery> of : new TreeMap<>(queries.byName()).values()) {
      if (publishes(of)) {
        long id = of.get(0).id(); // none is over the results of others
        List<PublishedWindow> next = new ArrayList<>();
        do {
          next.clear();
          withQuery(id, open -> open.nextStates(completeThrough).ifPresent(next::add));
          next.forEach(published::publish); // a failure of later operators is none of the analysis
        } while (!next.isEmpty());
      }
    }
  }

  private void close(List<LiveQuery> of, long completeThrough, Consumer<WindowResult> results) {
    ClosingWindows own = open(of.get(0).id());
    if (of.get(0).isLeaf()) {
      own = new JoinedWindows(of.stream().map(live -> open(live.id())).toList(), revisions);
    }
    if (completeThrough == Long.MAX_VALUE) {
      own.closeAtEnd(result -> results.accept(atEnd(result)));
    } else {
      own.closeUpTo(completeThrough, results);
    }
  }

  /**
   * A flow of the window did not arrive long before it: if the end comes before any watermark of
   * its time, there was input nevertheless.
   */
  private WindowResult atEnd(WindowResult result) {
    long arrived = result.windowStart() - WindowSpec.DEFAULT_AHEAD_MICROS;
    return result.atEndOfInput(Math.max(closedThrough, arrived));
  }

  private Stream<OpenWindows> large(List<LiveQuery> of) {
    return of.stream().filter(live -> live.query().keepsAllGroups()).map(live -> open(live.id()));
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    announceChanges();
    long completeThrough = WatermarkTime.completeThrough(mark.getTimestamp());
    if (published != null) {
      published.begin(completeThrough);
    }
    ToIntFunction<OpenWindows> due = open -> open.due(completeThrough);
    close(completeThrough, due);
    for (OpenWindows open : windows.values()) {
      open.prepare(completeThrough, makers::prepare);
    }
    super.processWatermark(mark);
  }

  private void close(long completeThrough, ToIntFunction<OpenWindows> due)
      throws InterruptedException {
    closeAll(completeThrough, due);
    publishAll(completeThrough);
    if (completeThrough != Long.MAX_VALUE) {
      closedThrough = Math.max(closedThrough, completeThrough);
      if (published != null) {
        published.reached(closedThrough);
      }
    }
  }

  private void send(StatesRecord states) {
    output.collect(STATES, new StreamRecord<>(states));
  }

  private void send(WindowResult result) {
    String analysis = result.analysis();
    boolean isWhole =
        queries.of(analysis).stream()
            .allMatch(live -> whole(live.id()).isWhole(result.windowStart()));
    if (isWhole) {
      results.inc();
      finalResults.inc(result.isFinal() ? 1 : 0);
      reductions.add(result, own(queries.of(analysis)));
      StreamRecord<WindowResult> sent =
          new StreamRecord<>(
              result.withDefinition(queries.set().text(analysis)),
              Math.floorDiv(result.windowEnd(), 1000));
      output.collect(sent);
    } else {
      notWhole.inc();
    }
  }

  /** The length in which flows become groups: of several queries the shortest. */
  private static long own(List<LiveQuery> all) {
    return all.stream()
        .mapToLong(live -> WindowLengths.own(live.query(), live.window().widthMicros()))
        .min()
        .orElseThrow();
  }

  @Override
  public void close() throws Exception {
    if (makers != null) {
      makers.close();
    }
    if (enrichment != null) {
      enrichment.close();
    }
    super.close();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    analysesState.update(queries.set(), queries.ids());
    List<long[]> wholeFrom = new ArrayList<>();
    whole.forEach(
        (id, of) -> {
          if (of.isKnown()) {
            wholeFrom.add(new long[] {id, of.first()});
          }
        });
    wholeState.update(wholeFrom);
    List<Partial> ofStopped = new ArrayList<>();
    for (long id : stopped.ids()) {
      ofStopped.add(new Partial.Stopped(0, id, queries.version(open(id).live())));
    }
    state.update(closedThrough, windows, ofStopped);
  }
}

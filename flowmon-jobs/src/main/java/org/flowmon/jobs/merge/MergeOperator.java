package org.flowmon.jobs.merge;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.enrich.SharedEnrichment;
import org.flowmon.jobs.lowlevel.AnalysisSetState;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.window.GroupBudget;
import org.flowmon.udaf.window.WindowAdvances;
import org.flowmon.udaf.window.WindowPart;

/**
 * The high level: merges all analyses' partial groups by key group, and sends each result's groups.
 * One that comes once goes in parts of some thousand groups of several key groups; one that may be
 * revised by key group, again with each revision. If it needs all groups, those present before it
 * is due go in advance, at the end only the changed ones.
 *
 * <p>The tables are its own: a state backend would serialize, or copy, a whole table for each
 * message. For checkpoints it gets {@link KeyGroupSnapshot}s by key group, which it serializes
 * while the task goes on and the next watermark removes.
 *
 * <p>The state includes the windows that the watermark has closed: a late message opens none again,
 * not even after a restart. The end of input closes the open windows and none of the future; {@code
 * WindowOperator} knows which. An analysis whose groups cannot be merged is stopped, no other with
 * it.
 */
public final class MergeOperator extends AbstractStreamOperator<Partial>
    implements OneInputStreamOperator<Partial, Partial> {
  private static final long serialVersionUID = 1L;

  /** A part with this many groups is sent without those of other key groups. */
  private static final int PART_GROUPS = 8192;

  private final AnalysisSet analyses;
  private transient SharedEnrichment enrichment;
  private transient LiveQueries queries;
  private transient AnalysisSetState analysesState;
  private transient KeyGroupRange range;
  private transient KeyGroupState[] keyGroups;
  private transient KeyGroupSnapshots snapshots;
  private transient Counter messages;
  private transient Counter behindWatermark;
  private transient Counter groupsBehindWatermark;
  private transient Counter unknownQuery;
  private transient StoppedQueries stopped;
  // By query: what its key groups here share.
  private transient Map<Long, KeyGroupState.Shared> shared;
  private transient PartialMerge.Scratch scratch;
  private transient long droppedBefore;
  private transient volatile long dropped;
  private transient volatile long stateBytes;
  // Tells this run of the task from others, whose messages in advance do not count here.
  private transient long run;
  private transient long advancedThrough;

  public MergeOperator(AnalysisSet analyses) {
    this.analyses = new AnalysisSet(analyses);
  }

  /** Raw keyed state holds the states of versions before {@link KeyGroupSnapshot}. */
  @Override
  protected boolean isUsingCustomRawKeyedState() {
    return true;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    analysesState = new AnalysisSetState(context.getOperatorStateStore());
    var unused = analysesState.restore(analyses);
    enrichment = SharedEnrichment.acquire(analyses.enrichment());
    queries = new LiveQueries(analyses, enrichment);
    stopped = new StoppedQueries("merge");
    int maxParallelism = getRuntimeContext().getTaskInfo().getMaxNumberOfParallelSubtasks();
    range =
        KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
            maxParallelism,
            getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks(),
            getRuntimeContext().getTaskInfo().getIndexOfThisSubtask());
    shared = new HashMap<>();
    scratch = new PartialMerge.Scratch();
    run = UUID.randomUUID().getMostSignificantBits();
    advancedThrough = Long.MIN_VALUE;
    keyGroups = new KeyGroupState[range.getNumberOfKeyGroups()];
    for (int i = 0; i < keyGroups.length; i++) {
      keyGroups[i] = new KeyGroupState();
    }
    Set<Long> unknown = new HashSet<>();
    snapshots = new KeyGroupSnapshots(this, context, range, maxParallelism);
    snapshots.restore(
        context,
        (keyGroup, bytes) -> of(keyGroup).read(bytes, queries.byId(), this::shared, unknown::add));
    if (!unknown.isEmpty()) {
      LOG.warn(
          "The state holds open windows of {} analyses that are not running, or not with this"
              + " definition, any more; they are left out",
          unknown.size());
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    MetricGroup metrics = getMetricGroup().addGroup("flowmon");
    messages = metrics.counter("partial_messages");
    behindWatermark = metrics.counter("behind_watermark_messages");
    groupsBehindWatermark = metrics.counter("behind_watermark_groups");
    unknownQuery = metrics.counter("unknown_query_messages");
    metrics.gauge("stopped_analyses", this::stoppedAnalyses);
    metrics.gauge("groups", this::groups);
    metrics.gauge("dropped_groups", () -> dropped);
    metrics.gauge("state_bytes", () -> stateBytes);
  }

  /** The messages left out after the watermark had passed all of their windows. */
  long behindWatermark() {
    return behindWatermark.getCount();
  }

  /** The stopped analyses that are not removed. */
  int stoppedAnalyses() {
    return stopped.analyses();
  }

  private long groups() {
    long groups = 0;
    for (KeyGroupState keyGroup : keyGroups) {
      groups += keyGroup.groups();
    }
    return groups;
  }

  private KeyGroupState of(int keyGroup) {
    return keyGroups[keyGroup - range.getStartKeyGroup()];
  }

  @Override
  public void processElement(StreamRecord<Partial> element) {
    if (element.getValue() instanceof Partial.Groups message) {
      messages.inc();
      merge(message);
      return;
    }
    if (element.getValue() instanceof Partial.Definition message) {
      define(element, message.change());
      return;
    }
    if (element.getValue() instanceof Partial.Stopped message) {
      if (!queries.isOf(message)) {
        return; // its analysis was changed since
      }
      queries.besides(message.queryId()).forEach(this::leave);
    }
    output.collect(element);
  }

  private KeyGroupState.Shared shared(LiveQuery live) {
    return shared.computeIfAbsent(
        live.id(),
        id ->
            new KeyGroupState.Shared(
                new GroupBudget(
                    live.analysis().live().limit(),
                    live.window(),
                    range.getNumberOfKeyGroups(),
                    getRuntimeContext().getTaskInfo().getMaxNumberOfParallelSubtasks()),
                new WindowAdvances(),
                scratch));
  }

  /** Each low-level task sends a change for each key group: the first one counts. */
  private void define(StreamRecord<Partial> element, AnalysisChange change) {
    Optional<Set<Long>> gone = queries.apply(change);
    if (gone.isEmpty()) {
      return;
    }
    for (long id : gone.get()) {
      forget(id);
      var unused = stopped.remove(id);
    }
    // A stopped analysis that is sent again runs anew.
    for (LiveQuery live : queries.of(change.name())) {
      if (stopped.remove(live.id())) {
        forget(live.id());
      }
      KeyGroupState.Shared known = shared.get(live.id());
      if (known != null) {
        known.budget().limit(live.analysis().live().limit());
      }
    }
    output.collect(element);
  }

  private void merge(Partial.Groups message) {
    PartialGroups groups = PartialGroups.open(message.bytes());
    Optional<LiveQuery> known = queries.get(groups.queryId());
    if (known.isEmpty()) {
      unknownQuery.inc();
      return;
    }
    LiveQuery live = known.get();
    if (!stopped.contains(live.id())) {
      try {
        if (!of(message.keyGroup()).of(live, this::shared).merge(groups)) {
          behindWatermark.inc();
          groupsBehindWatermark.inc(groups.groups());
        }
      } catch (RuntimeException e) {
        stop(live, e);
      }
    }
  }

  /** Its windows would lack groups, so none of them goes out. */
  private void stop(LiveQuery live, RuntimeException cause) {
    stopped.add(live, cause);
    forget(live.id());
    queries.besides(live.id()).forEach(this::leave);
    output.collect(
        new StreamRecord<>(
            new Partial.Stopped(range.getStartKeyGroup(), live.id(), queries.version(live))));
  }

  /** Stops the other queries of an analysis with a stopped query: they are of no use. */
  private void leave(LiveQuery live) {
    if (stopped.add(live)) {
      forget(live.id());
    }
  }

  private void forget(long queryId) {
    KeyGroupState.Shared gone = shared.remove(queryId);
    droppedBefore += gone == null ? 0 : gone.budget().dropped();
    for (KeyGroupState keyGroup : keyGroups) {
      keyGroup.remove(queryId);
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    snapshots.forget();
    long completeThrough = WatermarkTime.completeThrough(mark.getTimestamp());
    close(completeThrough);
    advance(completeThrough);
    super.processWatermark(mark);
  }

  private void close(long completeThrough) {
    // The maximum is reached before windows close.
    stateBytes = shared.values().stream().mapToLong(of -> of.budget().stateBytes()).sum();
    for (LiveQuery live : List.copyOf(queries.byId().values())) {
      if (!stopped.contains(live.id())) {
        try {
          if (live.window().revised()) {
            sendUpdates(live, completeThrough);
          } else {
            sendParts(live, completeThrough);
          }
        } catch (RuntimeException e) {
          stop(live, e); // the parts already sent get no result
        }
      }
    }
    for (KeyGroupState keyGroup : keyGroups) {
      if (completeThrough == Long.MAX_VALUE) {
        // The end of input is no event time: a job that goes on from here has windows.
        keyGroup.clear();
      } else {
        keyGroup.closedThrough(completeThrough);
      }
    }
    countDropped();
    if (completeThrough == Long.MAX_VALUE) {
      List.copyOf(shared.keySet()).forEach(this::forget);
    }
  }

  private void countDropped() {
    long sum = droppedBefore;
    for (KeyGroupState.Shared of : shared.values()) {
      sum += of.budget().dropped();
    }
    dropped = sum;
  }

  /** Merges parts of several key groups while the message stays small; one part with a limit. */
  private void sendParts(LiveQuery live, long completeThrough) {
    WindowAdvances advances = shared(live).advances();
    Map<Long, WindowPart> windows = new TreeMap<>();
    for (KeyGroupState keyGroup : keyGroups) {
      keyGroup.closeUpTo(
          live.id(),
          completeThrough,
          part -> {
            gather(part, windows, full -> send(full, advances));
          });
    }
    windows.values().forEach(part -> send(part, advances));
    advances.forget(live.window(), completeThrough);
  }

  /** Merges a part into {@code windows} until it fills a message: to {@code full}, in order. */
  private static void gather(
      WindowPart part, Map<Long, WindowPart> windows, Consumer<WindowPart> full) {
    Optional<WindowPart> before = Optional.ofNullable(windows.remove(part.windowEnd()));
    if (part.isUnlimited() && part.size() >= PART_GROUPS / 4) {
      before.ifPresent(full);
      full.accept(part); // merging it with others would copy it
      return;
    }
    before.ifPresent(all -> all.merge(part));
    WindowPart all = before.orElse(part);
    if (all.isUnlimited() && all.size() >= PART_GROUPS) {
      full.accept(all);
    } else {
      windows.put(all.windowEnd(), all);
    }
  }

  private void send(WindowPart part, WindowAdvances advances) {
    int messages = advances.messages(part.windowEnd());
    send(
        messages == 0
            ? new Partial.Part(part.queryId(), part.toBytes())
            : new Partial.Rest(part.queryId(), run, messages, part.superseded(), part.toBytes()));
  }

  private void send(Partial message) {
    output.collect(new StreamRecord<>(message));
  }

  /** Sends the groups of windows that have a result soon, if that keeps all groups. */
  private void advance(long completeThrough) {
    for (LiveQuery live : List.copyOf(queries.byId().values())) {
      if (live.window().advancesBetween(advancedThrough, completeThrough)
          && !stopped.contains(live.id())
          && !live.analysis().publishesStates()
          && WindowAdvances.isPossible(live.query(), live.window())) {
        try {
          advance(live, completeThrough);
        } catch (RuntimeException e) {
          stop(live, e);
        }
      }
    }
    advancedThrough = completeThrough;
  }

  private void advance(LiveQuery live, long completeThrough) {
    WindowAdvances advances = shared(live).advances();
    Map<Long, WindowPart> windows = new TreeMap<>();
    for (KeyGroupState keyGroup : keyGroups) {
      keyGroup.advance(
          live.id(),
          completeThrough,
          part -> gather(part, windows, full -> sendAdvance(full, advances)));
    }
    windows.values().forEach(part -> sendAdvance(part, advances));
  }

  private void sendAdvance(WindowPart part, WindowAdvances advances) {
    advances.sent(part.windowEnd());
    output.collect(new StreamRecord<>(new Partial.Advance(part.queryId(), run, part.toBytes())));
  }

  /** By key group: each part replaces the former, whichever task that came from. */
  private void sendUpdates(LiveQuery live, long completeThrough) {
    for (int i = 0; i < keyGroups.length; i++) {
      int keyGroup = range.getStartKeyGroup() + i;
      keyGroups[i].closeUpTo(
          live.id(),
          completeThrough,
          (part, since) -> {
            send(
                new Partial.Update(
                    keyGroup,
                    live.id(),
                    part.windowEnd(),
                    since,
                    live.window().completeThrough(part.windowEnd(), completeThrough),
                    part.toBytes()));
          });
    }
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    analysesState.update(queries.set(), queries.ids());
    snapshots.update(keyGroup -> of(keyGroup).freeze());
  }

  @Override
  public void close() throws Exception {
    if (enrichment != null) {
      enrichment.close();
    }
    super.close();
  }
}

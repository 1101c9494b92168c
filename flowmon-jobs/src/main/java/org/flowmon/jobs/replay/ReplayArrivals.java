package org.flowmon.jobs.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.IOUtils;
import org.flowmon.archive.Archives;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.jobs.enrich.SharedEnrichment;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.udaf.pane.WindowSpec;

/**
 * Replaces a replay's arrival counts by those of the live job's low level, in one task. The
 * replay's gets flows in the order of ends, of the range alone, so it cannot know them. The archive
 * is asked for some panes at a time, before the watermark that completes them.
 */
final class ReplayArrivals extends AbstractStreamOperator<Partial>
    implements OneInputStreamOperator<Partial, Partial> {
  private static final long serialVersionUID = 1L;

  /** The panes counted by one query. */
  static final int PANES = 100_000;

  private final ReplaySpec spec;
  private final int maxParallelism;
  private transient WindowSpec window;
  private transient List<ArrivalQuery> queries;
  private transient SharedEnrichment enrichment;
  private transient Archives archives;
  private transient ArchivesSnapshot snapshot;
  private transient ListState<Long> state;
  private transient long told; // start of the first pane that was not sent
  // By query; up to the end of a pane.
  private transient List<SortedMap<Long, ArrivalCounts>> counted;
  private transient long countedTo;

  ReplayArrivals(ReplaySpec spec, int maxParallelism) {
    this.spec = spec;
    this.maxParallelism = maxParallelism;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("told", LongSerializer.INSTANCE));
    told = spec.firstWindow();
    for (long before : state.get()) {
      told = Math.max(told, before);
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    window = spec.window();
    enrichment = SharedEnrichment.acquire(spec.enrichment());
    queries = LiveQuery.all(spec.analysis(), enrichment).stream().map(ArrivalQuery::new).toList();
    archives = Archives.open(spec.archives());
    snapshot = archives.snapshot();
    counted = List.of();
    countedTo = told;
  }

  @Override
  public void processElement(StreamRecord<Partial> element) {
    if (!(element.getValue() instanceof Partial.Counts)) {
      output.collect(element);
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    tellUpTo(WatermarkTime.completeThrough(mark.getTimestamp()));
    super.processWatermark(mark);
  }

  private void tellUpTo(long completeThrough) throws IOException {
    long complete = window.paneStart(Math.min(completeThrough, spec.to()));
    while (told < complete) {
      if (told == countedTo) {
        count();
      }
      long next = Math.min(complete, countedTo);
      for (int i = 0; i < queries.size(); i++) {
        SortedMap<Long, ArrivalCounts> ended = counted.get(i).headMap(next);
        tell(queries.get(i).live(), ended);
        ended.clear();
      }
      told = next;
    }
  }

  /** Further than asked for: a query per pane would read the same segments again and again. */
  private void count() throws IOException {
    long to = Math.min(window.paneStart(spec.to()), told + PANES * window.slideMicros());
    counted = new ArrayList<>();
    for (ArrivalQuery query : queries) {
      counted.add(query.counts(snapshot.all(), told, to));
    }
    countedTo = to;
  }

  private void tell(LiveQuery live, SortedMap<Long, ArrivalCounts> counts) {
    counts.forEach(
        (pane, of) ->
            output.collect(
                new StreamRecord<>(
                    new Partial.Counts(live.keyGroup(maxParallelism), live.id(), pane, of))));
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    state.update(List.of(told));
  }

  @Override
  public void close() throws Exception {
    IOUtils.closeAll(snapshot, archives, enrichment);
    super.close();
  }
}

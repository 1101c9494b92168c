package org.flowmon.deploy.replay;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.types.WatermarkTime;

/**
 * Passes a replay's reports on in the order of windows: a report comes before the watermark that
 * follows its window's result. For a job without checkpoints.
 */
final class ReportOrder extends AbstractStreamOperator<Report>
    implements OneInputStreamOperator<Report, Report> {
  private static final long serialVersionUID = 1L;

  private final String replay;
  private transient TreeMap<Long, Report> waiting;
  private transient ReplayListener listener;

  /** {@code replay} names a listener of {@link LocalReplay}. */
  ReportOrder(String replay) {
    this.replay = replay;
  }

  @Override
  public void open() throws Exception {
    super.open();
    waiting = new TreeMap<>();
    listener = LocalReplay.listener(replay);
  }

  @Override
  public void processElement(StreamRecord<Report> element) {
    Report report = element.getValue();
    waiting.put(report.windowEnd(), report);
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    long through = WatermarkTime.completeThrough(mark.getTimestamp());
    Map<Long, Report> complete = waiting.headMap(through, true);
    complete.values().forEach(listener::report);
    complete.clear();
    listener.through(through);
    super.processWatermark(mark);
  }
}

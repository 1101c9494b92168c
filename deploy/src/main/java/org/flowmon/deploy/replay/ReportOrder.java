package org.flowmon.deploy.replay;

import java.util.TreeMap;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.udaf.pane.WindowSpec;

/**
 * Passes a replay's reports on in the order of windows. They come from several tasks: before the
 * watermark that closes a window, its lateness after its end, one of an earlier window may follow.
 * For a job without checkpoints.
 */
final class ReportOrder extends AbstractStreamOperator<Report>
    implements OneInputStreamOperator<Report, Report> {
  private static final long serialVersionUID = 1L;

  private final String replay;
  private final AnalysisConfig analysis;
  private transient WindowSpec window;
  private transient TreeMap<Long, Report> waiting;
  private transient ReplayListener listener;

  /** {@code replay} names a listener of {@link LocalReplay}. */
  ReportOrder(String replay, AnalysisConfig analysis) {
    this.replay = replay;
    this.analysis = analysis;
  }

  @Override
  public void open() throws Exception {
    super.open();
    window = LiveQuery.window(analysis);
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
    while (!waiting.isEmpty() && window.isClosed(waiting.firstKey(), through)) {
      listener.report(waiting.pollFirstEntry().getValue());
    }
    listener.through(through);
    super.processWatermark(mark);
  }
}

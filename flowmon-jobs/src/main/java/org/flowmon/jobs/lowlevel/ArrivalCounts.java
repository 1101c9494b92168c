package org.flowmon.jobs.lowlevel;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Counts of flows by arrival, within a window: how far its result can be trusted. A late flow
 * counts at its arrival: the result that it missed is already out.
 *
 * @param flows that the query's filter kept
 * @param late too late for every window of their time, or until the first watermark of one window
 *     too many
 * @param ahead with a time so far after arrival that they are in no window: a clock that runs fast
 * @param lost by the producers' counts and gaps in sequence numbers; of all flows, as the filter
 *     cannot be applied to them
 * @param sampled those of {@code flows} that come from sampled packets
 * @param samplingRate the highest of their rates, one of so many packets; 0 without one
 */
public record ArrivalCounts(
    long flows, long late, long ahead, long lost, long sampled, long samplingRate) {
  public static final ArrivalCounts NONE = new ArrivalCounts(0, 0, 0, 0);

  public ArrivalCounts(long flows, long late, long ahead, long lost) {
    this(flows, late, ahead, lost, 0, 0);
  }

  public ArrivalCounts plus(ArrivalCounts more) {
    return new ArrivalCounts(
        flows + more.flows,
        late + more.late,
        ahead + more.ahead,
        lost + more.lost,
        sampled + more.sampled,
        Math.max(samplingRate, more.samplingRate));
  }

  /**
   * Adds the counts of queries over the same flows, for one over both's results. A flow that both
   * keep counts twice; lost flows count once.
   */
  public ArrivalCounts beside(ArrivalCounts other) {
    return new ArrivalCounts(
        flows + other.flows,
        late + other.late,
        ahead + other.ahead,
        Math.max(lost, other.lost),
        sampled + other.sampled,
        Math.max(samplingRate, other.samplingRate));
  }

  public void write(DataOutputView target) throws IOException {
    target.writeLong(flows);
    target.writeLong(late);
    target.writeLong(ahead);
    target.writeLong(lost);
    target.writeLong(sampled);
    target.writeLong(samplingRate);
  }

  /** {@code withSampling} false: the older format, four numbers of 8 bytes and not six. */
  public static ArrivalCounts read(DataInputView source, boolean withSampling) throws IOException {
    return new ArrivalCounts(
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        withSampling ? source.readLong() : 0,
        withSampling ? source.readLong() : 0);
  }
}

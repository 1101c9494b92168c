package org.flowmon.jobs.lowlevel;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Counts of flows by arrival, within a window: they show how far its result can be trusted. A flow
 * that is too late cannot count in the result that it missed, which is already out; it counts at
 * its arrival.
 *
 * @param flows that the query's filter kept
 * @param late too late for every window of their time, or until the first watermark of one window
 *     too many
 * @param ahead with a time so far after their arrival that they belong to no window: a clock that
 *     runs fast
 * @param lost known to be missing, from the producers' own counts and gaps in their sequence
 *     numbers; of all flows, as the filter cannot be applied to them
 * @param sampled those of {@code flows} that come from sampled packets
 * @param samplingRate the highest of their rates, one of so many packets; 0 without one
 */
public record ArrivalCounts(
    long flows, long late, long ahead, long lost, long sampled, long samplingRate) {
  public static final ArrivalCounts NONE = new ArrivalCounts(0, 0, 0, 0);

  /** Counts without sampled flows. */
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
   * Adds the counts of two queries over the same flows, for a query over the results of both. A
   * flow that both keep counts twice; lost flows count once.
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

  /** Writes the six numbers, 8 bytes each. */
  public void write(DataOutputView target) throws IOException {
    target.writeLong(flows);
    target.writeLong(late);
    target.writeLong(ahead);
    target.writeLong(lost);
    target.writeLong(sampled);
    target.writeLong(samplingRate);
  }

  /**
   * Reads the format of {@link #write}.
   *
   * @param withSampling false: the older format without the last two numbers
   */
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

package org.flowmon.jobs.lowlevel;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Counts over the flows that arrived, by their arrival, within a window: they say how far its
 * result can be trusted. A flow that is too late cannot count in the result that it missed, which
 * is out by then; it counts where it arrived.
 *
 * @param flows that the query's filter kept
 * @param late too late for every window of their time, or of one window too many until the first
 *     watermark
 * @param ahead with a time so far after their arrival that they belong to no window: a clock that
 *     runs fast
 * @param lost known to be missing, from the producers' own counts and gaps in their sequence
 *     numbers; of all flows, as nobody knows which of them the filter would have kept
 * @param sampled of {@code flows}, those that come from sampled packets
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
   * The counts of a query over the results of two queries that saw the same flows: what each
   * counted by itself, added, so that a flow that both keep counts twice; what was lost, once.
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
   * Reads what {@link #write} wrote.
   *
   * @param withSampling false: as it was written before the last two were
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

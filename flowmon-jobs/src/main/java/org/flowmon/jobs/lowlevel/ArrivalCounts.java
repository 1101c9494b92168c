package org.flowmon.jobs.lowlevel;

/**
 * Counts over the flows that arrived, by their arrival, within a window: they say how far its
 * result can be trusted. A flow that is too late cannot count in the result that it missed, which
 * is out by then; it counts where it arrived.
 *
 * @param flows that the query's filter kept
 * @param late too late for every window of their time
 * @param ahead with a time so far after their arrival that they belong to no window: a clock that
 *     runs fast
 * @param lost known to be missing, from the producers' own counts and gaps in their sequence
 *     numbers; of all flows, as nobody knows which of them the filter would have kept
 */
public record ArrivalCounts(long flows, long late, long ahead, long lost) {
  public static final ArrivalCounts NONE = new ArrivalCounts(0, 0, 0, 0);

  public ArrivalCounts plus(ArrivalCounts more) {
    return new ArrivalCounts(
        flows + more.flows, late + more.late, ahead + more.ahead, lost + more.lost);
  }
}

package org.flowmon.jobs.report.matrix;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The pairs whose rates differ most between two matrices, equal ones in the order of keys. Only the
 * requested number is kept.
 */
public final class TopChanges implements TrafficMatrix.PairVisitor {
  /**
   * {@code now} and {@code then}: a pair's index in each matrix, −1 if not there; rates per second;
   * {@code place} in the order of keys.
   */
  public record Change(int now, int then, double nowRate, double thenRate, long place) {
    public double difference() {
      return nowRate - thenRate;
    }

    /** {@code appeared}, {@code vanished}, {@code more} or {@code less}. */
    public String verdict() {
      if (then < 0) {
        return "appeared";
      }
      return now < 0 ? "vanished" : difference() > 0 ? "more" : "less";
    }
  }

  private static final Comparator<Change> LARGEST_FIRST =
      Comparator.comparingDouble((Change change) -> -Math.abs(change.difference()))
          .thenComparingLong(Change::place);

  private final TrafficMatrix now;
  private final TrafficMatrix then;
  private final double nowSeconds;
  private final double thenSeconds;
  private final int wanted;
  private final PriorityQueue<Change> kept = new PriorityQueue<>(LARGEST_FIRST.reversed());
  private long place;
  private double least; // as large as all that are kept, once they are as many as wanted; else 0

  /** Empty, for {@link Similarity} to visit; seconds: the durations of the traffic. */
  public TopChanges(
      TrafficMatrix now, TrafficMatrix then, double nowSeconds, double thenSeconds, int wanted) {
    this.now = now;
    this.then = then;
    this.nowSeconds = nowSeconds;
    this.thenSeconds = thenSeconds;
    this.wanted = wanted;
  }

  /** The largest first. */
  public List<Change> largest() {
    return kept.stream().sorted(LARGEST_FIRST).toList();
  }

  @Override
  public void pair(int mine, int other) {
    double nowRate = mine < 0 ? 0 : now.value(mine) / nowSeconds;
    double thenRate = other < 0 ? 0 : then.value(other) / thenSeconds;
    double difference = Math.abs(nowRate - thenRate);
    place++;
    if (difference <= least || wanted == 0) {
      return; // of equal ones the first stays
    }
    if (kept.size() == wanted) {
      kept.poll();
    }
    kept.add(new Change(mine, other, nowRate, thenRate, place));
    least = kept.size() == wanted ? Math.abs(kept.peek().difference()) : 0;
  }
}

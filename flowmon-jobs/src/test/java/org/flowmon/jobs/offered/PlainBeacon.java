package org.flowmon.jobs.offered;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * RITA's score of a beacon by plain lists, as its authors publish it.
 *
 * @param parts intervals, sizes, histogram, duration
 */
public record PlainBeacon(
    List<Double> parts, List<Long> beats, long period, double observed, int flows, long bytes) {
  private static final long SECOND = 1_000_000;

  /** A flow: when it began, in microseconds, and its bytes. */
  public record Call(long time, long bytes) {}

  public double score() {
    long sum = parts.stream().mapToLong(part -> Math.round(part * 1000)).sum();
    long quarter = (sum + 2) / 4;
    return quarter / 1000.0;
  }

  public double confidence() {
    return Math.min(1, observed / (6 * 3600.0 * SECOND)) * Math.min(1, beats.size() / 12.0);
  }

  private static double round(double number) {
    return Math.round(Math.min(1, Math.max(0, number)) * 1000) / 1000.0;
  }

  /**
   * The best of the scores of all times that are known and of the first of each burst, over what
   * was observed and since the pair began; null if there is none.
   */
  public static PlainBeacon best(List<Call> calls, long from, long to) {
    // Of each ten seconds the first time and the last one are known, and the mean of the bytes.
    Map<Long, List<Call>> slots = new TreeMap<>();
    for (Call call : calls) {
      slots
          .computeIfAbsent(Math.floorDiv(call.time(), 10 * SECOND), slot -> new ArrayList<>())
          .add(call);
    }
    List<Call> each = new ArrayList<>();
    List<Call> bursts = new ArrayList<>();
    long before = Long.MIN_VALUE / 2;
    for (List<Call> slot : slots.values()) {
      long first = slot.stream().mapToLong(Call::time).min().getAsLong();
      long last = slot.stream().mapToLong(Call::time).max().getAsLong();
      long bytes = slot.stream().mapToLong(Call::bytes).sum();
      each.add(new Call(first, bytes / slot.size()));
      if (last > first) {
        each.add(new Call(last, bytes / slot.size()));
      }
      if (first - before > 10 * SECOND) {
        bursts.add(new Call(first, bytes));
      } else {
        Call burst = bursts.remove(bursts.size() - 1);
        bursts.add(new Call(burst.time(), burst.bytes() + bytes));
      }
      before = last;
    }
    int flows = calls.size();
    long bytes = calls.stream().mapToLong(Call::bytes).sum();
    PlainBeacon best = null;
    long full = slots.values().stream().filter(slot -> slot.size() > 2).count();
    for (List<Call> known : List.of(10 * full > slots.size() ? List.<Call>of() : each, bursts)) {
      PlainBeacon whole = of(known, from, to, flows, bytes);
      if (whole == null) {
        continue;
      }
      best = better(best, whole);
      long first = known.get(0).time();
      long last = known.get(known.size() - 1).time();
      if (known.size() >= 12 && to - first >= 600 * SECOND && to - last <= 2 * whole.period()) {
        best = better(best, of(known, first, to, flows, bytes));
      }
    }
    return best;
  }

  private static PlainBeacon better(PlainBeacon one, PlainBeacon other) {
    return one == null || other.score() >= one.score() ? other : one;
  }

  private static PlainBeacon of(List<Call> calls, long from, long to, int flows, long bytes) {
    List<Long> times = calls.stream().map(Call::time).toList();
    List<Double> intervals = new ArrayList<>();
    List<Long> exact = new ArrayList<>();
    for (int i = 1; i < times.size(); i++) {
      long interval = times.get(i) - times.get(i - 1);
      if (interval >= SECOND) {
        intervals.add(interval / 1e6);
        exact.add(interval);
      }
    }
    if (calls.size() < 4 || intervals.size() < 3) {
      return null;
    }
    Collections.sort(exact);
    double[] bars = new double[24];
    for (long time : times) {
      bars[(int) Math.min(23, 24 * (time - from) / Math.max(1, to - from))]++;
    }
    List<Double> sizes = calls.stream().map(call -> (double) call.bytes()).toList();
    long span = times.get(times.size() - 1) - times.get(0);
    return new PlainBeacon(
        List.of(
            regularity(intervals),
            regularity(sizes),
            histogram(bars),
            duration(bars, span / (double) Math.max(1, to - from))),
        times,
        exact.get((exact.size() - 1) / 2),
        to - from,
        flows,
        bytes);
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int n = sorted.size();
    return (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2;
  }

  private static double regularity(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int n = sorted.size();
    double middle = median(sorted);
    double lower = median(sorted.subList(0, n / 2));
    double upper = median(sorted.subList((n + 1) / 2, n));
    boolean hasSkew = upper - lower >= 10 && middle != lower && middle != upper;
    double skew = hasSkew ? (upper + lower - 2 * middle) / (upper - lower) : 0;
    double deviation = median(sorted.stream().map(value -> Math.abs(value - middle)).toList());
    double near = middle < 1 ? 0 : Math.max(0, (middle - deviation) / middle);
    return round((1 - Math.abs(skew) + near) / 2);
  }

  private static double histogram(double[] bars) {
    double mean = 0;
    double highest = 0;
    int used = 0;
    for (double bar : bars) {
      mean += bar / 24;
      highest = Math.max(highest, bar);
      used += bar > 0 ? 1 : 0;
    }
    double variance = 0;
    Map<Integer, Integer> heights = new TreeMap<>();
    for (double bar : bars) {
      variance += (bar - mean) * (bar - mean) / 24;
      if (bar > 0) {
        heights.merge((int) (bar / Math.ceil(highest * 0.05)), 1, Integer::sum);
      }
    }
    List<Integer> common = new ArrayList<>(heights.values());
    common.sort(Collections.reverseOrder());
    double two = common.get(0) + (common.size() > 1 ? common.get(1) : 0);
    double bimodal = used < 11 ? 0 : round(two / (used - 1));
    return Math.max(round(1 - Math.sqrt(variance) / mean), bimodal);
  }

  private static double duration(double[] bars, double span) {
    int used = 0;
    int longest = 0;
    for (int from = 0; from < 24; from++) {
      used += bars[from] > 0 ? 1 : 0;
      int run = 0;
      while (run < 24 && bars[(from + run) % 24] > 0) {
        run++;
      }
      longest = Math.max(longest, run);
    }
    return used < 6 ? 0 : round(Math.max(span, longest / 12.0));
  }
}

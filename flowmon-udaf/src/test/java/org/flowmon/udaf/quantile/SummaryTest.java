package org.flowmon.udaf.quantile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.udaf.quantile.QuantileParameters.Strategy;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

/** The bounds of a summary's values hold for the stream, after any merges. */
class SummaryTest {
  /** A stream and a summary of it. */
  private static final class Summarized {
    private final Summary summary = new Summary();
    private long[] stream = {};

    private Summarized() {}

    private Summarized(long[] values) {
      stream = values.clone();
      summary.setValues(values.clone(), values.length);
    }

    private Summarized with(Summarized other) {
      Summarized both = new Summarized();
      both.stream = Arrays.copyOf(stream, stream.length + other.stream.length);
      System.arraycopy(other.stream, 0, both.stream, stream.length, other.stream.length);
      both.summary.setMerged(summary, other.summary);
      return both;
    }

    /** Checks every gap and weight against the sorted stream. */
    private void check(QuantileParameters parameters, String where) {
      long[] sorted = stream.clone();
      Arrays.sort(sorted);
      assertEquals(sorted.length, summary.count, where);
      assertEquals(sorted[0], summary.values[0], where);
      assertEquals(sorted[sorted.length - 1], summary.values[summary.size - 1], where);
      long upTo = 0;
      int at = 0;
      for (int i = 0; i < summary.size; i++) {
        long value = summary.values[i];
        assertTrue(i == 0 || value > summary.values[i - 1], where);
        while (at < sorted.length && sorted[at] < value) {
          at++;
        }
        int below = at;
        while (at < sorted.length && sorted[at] == value) {
          at++;
        }
        assertTrue(at > below, where + ": " + value + " is not in the stream");
        long mostBelow = upTo + summary.gap(i);
        upTo = mostBelow + summary.weights[i];
        String message = where + ": value " + i + " of " + summary.size;
        assertTrue(below <= mostBelow, message + ": " + below + " below, most " + mostBelow);
        assertTrue(upTo <= at, message + ": " + at + " up to it, least " + upTo);
        assertTrue(summary.gap(i) + summary.weights[i] >= 1, message);
        assertTrue(
            summary.weights[i] + (i + 1 < summary.size ? summary.gap(i + 1) : 0) >= 1, message);
        assertTrue(summary.gap(i) <= parameters.limit(sorted.length), message);
        if (summary.isExact()) {
          assertEquals(at - below, summary.weights[i], message);
        }
      }
      assertEquals(sorted.length, upTo, where);
      long[] out = new long[3];
      for (int rank = 1; rank <= sorted.length; rank += 1 + sorted.length / 97) {
        summary.quantile(rank, out);
        long truth = sorted[rank - 1];
        assertTrue(out[0] <= truth && truth <= out[2], where + ", rank " + rank);
        assertTrue(out[0] <= out[1] && out[1] <= out[2], where + ", rank " + rank);
        long error = rankError(sorted, out[1], rank);
        long allowed = parameters.limit(sorted.length) / 2;
        assertTrue(error <= allowed, where + ", rank " + rank + " off by " + error);
        assertTrue(error <= (summary.maxGap() + 1) / 2, where + ", rank " + rank);
      }
    }
  }

  private static long rankError(long[] sorted, long value, int rank) {
    int below = 0;
    int upTo = 0;
    for (long each : sorted) {
      below += each < value ? 1 : 0;
      upTo += each <= value ? 1 : 0;
    }
    return Math.max(0, Math.max(below + 1 - rank, rank - upTo));
  }

  private static QuantileParameters parameters(double epsilon) {
    int millionths = QuantileParameters.millionths(epsilon);
    return new QuantileParameters(ValueKind.LONG, millionths, Strategy.LITE, 64);
  }

  private static Summarized leaf(Random random, int shape, int number) {
    long[] values = new long[1 + random.nextInt(40)];
    for (int i = 0; i < values.length; i++) {
      values[i] =
          switch (shape) {
            case 0 -> random.nextInt(1_000_000);
            case 1 -> random.nextInt(30);
            case 2 -> (long) number * 1000 + i; // leaves follow one another
            case 3 -> (i % 2 == 0 ? 1 : -1) * (1_000_000_000L - (long) number * 100 - i); // nested
            case 4 -> (long) i * 1_000_000 + number; // leaves are nested
            default -> random.nextInt(20) == 0 ? random.nextLong() : 40;
          };
    }
    return new Summarized(values);
  }

  @Test
  void whatASummarySaysIsTrueAfterAnyMergesAndCompressions() {
    for (int seed = 0; seed < 240; seed++) {
      Random random = new Random(seed);
      QuantileParameters parameters =
          parameters(new double[] {0.5, 0.1, 0.03, 0.01}[random.nextInt(4)]);
      List<Summarized> all = new ArrayList<>();
      int leaves = 1 + random.nextInt(60);
      int shape = seed % 6;
      for (int i = 0; i < leaves; i++) {
        all.add(leaf(random, shape, i));
      }
      int tree = random.nextInt(3);
      boolean hard = random.nextBoolean();
      while (all.size() > 1) {
        int from = tree == 0 ? 1 : tree == 1 ? all.size() - 1 : 1 + random.nextInt(all.size() - 1);
        Summarized other = all.remove(from);
        Summarized both = all.remove(0).with(other);
        if (hard || random.nextInt(3) == 0) {
          // As far as possible: no error is left for the next merge.
          int target = hard ? 2 : 2 + random.nextInt(50);
          both.summary.compress(target, parameters.limit(both.stream.length));
        }
        all.add(tree == 0 ? all.size() : 0, both);
        if (random.nextInt(5) == 0) {
          both.check(parameters, "seed " + seed + ", " + all.size() + " left");
        }
      }
      all.get(0).check(parameters, "seed " + seed);
    }
  }

  @Test
  void compressingReachesItsTargetWithHardlyMoreErrorThanIsNeeded() {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      long[] values = random.longs(2000).toArray();
      Summarized of = new Summarized(values);
      of.summary.compress(100, 1000);
      assertTrue(of.summary.size <= 100, "seed " + seed + ": " + of.summary.size);
      // 2000 values between 100 are gaps of 19 or more.
      assertTrue(of.summary.maxGap() <= 40, "seed " + seed + ": " + of.summary.maxGap());
    }
  }

  @Test
  void fewDifferentValuesAreExactHoweverManyTheyAre() {
    Random random = new Random(3);
    QuantileParameters parameters = parameters(0.01);
    Summary sum = new Summary();
    Summary next = new Summary();
    for (int i = 0; i < 1000; i++) {
      Summarized leaf = leaf(random, 1, i);
      Summary merged = new Summary();
      merged.setMerged(sum, leaf.summary);
      sum = merged;
      next = sum;
    }
    assertTrue(next.isExact());
    assertEquals(30, next.size);
    assertTrue(next.count > 10_000);
    assertTrue(30 < 2 * parameters.target());
  }

  @Test
  void limitsOfPartsAreTogetherNeverAboveThatOfTheWhole() {
    Random random = new Random(4);
    for (int i = 0; i < 100_000; i++) {
      QuantileParameters parameters =
          new QuantileParameters(ValueKind.LONG, 100 + random.nextInt(499_901), Strategy.LITE, 64);
      long m = random.nextLong() >>> (3 + random.nextInt(60));
      long n = random.nextLong() >>> (3 + random.nextInt(60));
      long limit = parameters.limit(m + n);
      assertTrue(
          parameters.limit(m) + parameters.limit(n) <= limit, parameters + " " + m + " " + n);
      assertTrue(parameters.lowLimit(m) <= parameters.limit(m) / 2, parameters + " " + m);
      double exact = 2e-6 * parameters.millionths() * (m + n);
      assertEquals(exact, (double) limit, 2 + exact * 1e-12);
    }
  }
}

package org.flowmon.bench.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Rows of several days, by default seven, by fixed distributions: 20,000 hosts inside (of 10.0.0.0
 * … 10.15.255.255) and 200,000 outside, each drawn by Zipf's law with exponent 1.1; bytes by
 * Pareto's; more by day than by night; 60 % begun inside. It streams and holds one block. The same
 * number and seed give the same rows.
 */
public final class GeneratedWorkload implements Workload {
  private static final long BEGIN = 1_767_225_600L; // 2026-01-01T00:00:00Z
  private static final int DAYS = 7;
  private static final int BLOCK_ROWS = 500_000;
  private static final int INSIDE = 20_000;
  private static final int OUTSIDE = 200_000;
  private static final double ZIPF = 1.1;
  private static final int[] PORTS = {443, 80, 53, 22, 25, 123, 445, 3389, 8080, 993};
  private static final double[] STATES = cumulative(0.6, 0.15, 0.1, 0.08, 0.05, 0.02);
  private static final long ABSENT = 3_735_928_559L;
  private static final double MAX_BYTES = 2e9;
  private static final double MAX_MILLIS = 3.6e6;

  private final long rows;
  private final long seed;
  private final int days;
  private final boolean isUniform;
  private final long[] inside;
  private final long[] outside;
  private final double[] insideRanks = zipf(INSIDE);
  private final double[] outsideRanks = zipf(OUTSIDE);
  private final double[] portRanks = zipf(PORTS.length);
  private final double[] seconds;
  private final WorkloadParameters parameters;

  public GeneratedWorkload(long rows, long seed) {
    this(rows, seed, DAYS);
  }

  public GeneratedWorkload(long rows, long seed, int days) {
    this(rows, seed, days, false);
  }

  private GeneratedWorkload(long rows, long seed, int days, boolean isUniform) {
    this.isUniform = isUniform;
    this.rows = rows;
    this.seed = seed;
    this.days = days;
    this.seconds = diurnal(days);
    SplittableRandom random = new SplittableRandom(seed);
    this.inside = insideHosts(random);
    this.outside = outsideHosts(random);
    FlowBlock first = new FlowBlock((int) Math.min(rows, BLOCK_ROWS));
    fill(first, 0, rowRandom());
    this.parameters = parameters(first);
  }

  /**
   * Returns a workload whose addresses are drawn uniformly from all of IPv4: hardly one occurs
   * twice, which is the worst case for dictionaries and sums.
   */
  public static GeneratedWorkload ofUniformAddresses(long rows, long seed) {
    return new GeneratedWorkload(rows, seed, DAYS, true);
  }

  private SplittableRandom rowRandom() {
    return new SplittableRandom(~seed);
  }

  @Override
  public WorkloadParameters parameters() {
    return parameters;
  }

  @Override
  public String description() {
    return String.format(
        "%,d generated rows of %d days%s, seed %d",
        rows, days, isUniform ? ", addresses uniform" : "", seed);
  }

  @Override
  public void read(Sink sink) throws IOException {
    FlowBlock block = new FlowBlock((int) Math.min(rows, BLOCK_ROWS));
    SplittableRandom random = rowRandom();
    for (long done = 0; done < rows; done += block.rows()) {
      fill(block, done, random);
      sink.accept(block);
    }
  }

  private void fill(FlowBlock block, long done, SplittableRandom random) {
    int n = (int) Math.min(block.capacity(), rows - done);
    block.setRows(n);
    fillTimes(block.column(WorkloadColumn.TS), n, done, random);
    long[] source = block.column(WorkloadColumn.SRC_ADDR);
    long[] destination = block.column(WorkloadColumn.DST_ADDR);
    long[] sourcePort = block.column(WorkloadColumn.SRC_PORT);
    long[] destinationPort = block.column(WorkloadColumn.DST_PORT);
    long[] protocol = block.column(WorkloadColumn.PROTOCOL);
    long[] bytes = block.column(WorkloadColumn.BYTES);
    long[] reverseBytes = block.column(WorkloadColumn.REVERSE_BYTES);
    long[] outgoing = block.column(WorkloadColumn.OUTGOING);
    long[] state = block.column(WorkloadColumn.STATE);
    long[] duration = block.column(WorkloadColumn.DURATION);
    for (int i = 0; i < n; i++) {
      long in = isUniform ? anyAddress(random) : inside[draw(insideRanks, random)];
      long out = isUniform ? anyAddress(random) : outside[draw(outsideRanks, random)];
      boolean leaves = random.nextDouble() < 0.6;
      outgoing[i] = leaves ? 1 : 0;
      source[i] = leaves ? in : out;
      destination[i] = leaves ? out : in;
      sourcePort[i] = random.nextInt(1024, 65_536);
      destinationPort[i] =
          random.nextDouble() < 0.85 ? PORTS[draw(portRanks, random)] : random.nextInt(1, 65_536);
      protocol[i] = random.nextDouble() < 0.8 ? 6 : random.nextDouble() < 0.9 ? 17 : 1;
      bytes[i] = (long) Math.min(pareto(1.2, random) * 200 + 40, MAX_BYTES);
      reverseBytes[i] = (long) Math.min(pareto(1.1, random) * 300, MAX_BYTES);
      state[i] = draw(STATES, random);
      duration[i] = (long) Math.min(-Math.log(1 - random.nextDouble()) * 3000, MAX_MILLIS);
    }
  }

  private static long anyAddress(SplittableRandom random) {
    return random.nextInt() & 0xFFFF_FFFFL;
  }

  /** Sets the times: row i is at about i / rows of all flows. */
  private void fillTimes(long[] times, int n, long done, SplittableRandom random) {
    double[] shares = new double[n];
    for (int i = 0; i < n; i++) {
      shares[i] = (done + random.nextDouble() * n) / rows;
    }
    Arrays.sort(shares);
    for (int i = 0; i < n; i++) {
      times[i] = BEGIN + place(seconds, shares[i]);
    }
  }

  /** Pareto's distribution of the second kind (Lomax), scale 1. */
  private static double pareto(double shape, SplittableRandom random) {
    return Math.pow(1 - random.nextDouble(), -1 / shape) - 1;
  }

  private static int draw(double[] cumulative, SplittableRandom random) {
    return place(cumulative, random.nextDouble());
  }

  /** The first place whose cumulative share is not below {@code share}. */
  private static int place(double[] cumulative, double share) {
    int found = Arrays.binarySearch(cumulative, share);
    return Math.min(found < 0 ? ~found : found, cumulative.length - 1);
  }

  private static double[] zipf(int hosts) {
    double[] weights = new double[hosts];
    for (int i = 0; i < hosts; i++) {
      weights[i] = Math.pow(i + 1, -ZIPF);
    }
    return cumulative(weights);
  }

  private static double[] diurnal(int days) {
    double[] rate = new double[days * WorkloadParameters.DAY];
    for (int s = 0; s < rate.length; s++) {
      double day = s % WorkloadParameters.DAY / (double) WorkloadParameters.DAY;
      rate[s] = 1 + 0.5 * Math.sin(2 * Math.PI * day - 1.5);
    }
    return cumulative(rate);
  }

  private static double[] cumulative(double... weights) {
    double[] sums = new double[weights.length];
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += weights[i];
      sums[i] = sum;
    }
    for (int i = 0; i < weights.length; i++) {
      sums[i] /= sum;
    }
    return sums;
  }

  private static long[] insideHosts(SplittableRandom random) {
    long[] hosts = new long[INSIDE];
    BitSet taken = new BitSet(16 << 16);
    for (int i = 0; i < INSIDE; ) {
      int host = random.nextInt(16 << 16);
      if (!taken.get(host)) {
        taken.set(host);
        hosts[i++] = 10L << 24 | host;
      }
    }
    return hosts;
  }

  private static long[] outsideHosts(SplittableRandom random) {
    long[] hosts =
        random
            .longs(OUTSIDE + OUTSIDE / 4, 16_777_216L, 3_758_096_383L)
            .filter(host -> host >>> 24 != 10)
            .sorted()
            .distinct()
            .toArray();
    for (int i = hosts.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      long swapped = hosts[i];
      hosts[i] = hosts[j];
      hosts[j] = swapped;
    }
    return Arrays.copyOf(hosts, OUTSIDE);
  }

  /** Chooses from the sources of the first block: the ten hottest, then every hundredth by rank. */
  private WorkloadParameters parameters(FlowBlock first) {
    long[] ranked = byCount(first.column(WorkloadColumn.SRC_ADDR), first.rows());
    List<Long> sources = new ArrayList<>();
    for (int rank = 0; rank < ranked.length && sources.size() < 100; rank += rank < 10 ? 1 : 100) {
      sources.add(ranked[rank]);
    }
    List<Long> hours = new ArrayList<>();
    for (int day = 0; day < days; day++) {
      hours.add(BEGIN + day * (long) WorkloadParameters.DAY + 14 * WorkloadParameters.HOUR);
    }
    List<Long> networks = new ArrayList<>();
    for (long network : new long[] {0, 3, 7, 11, 15}) {
      networks.add(10L << 24 | network << 16);
    }
    Map<String, Long> lookups = new LinkedHashMap<>();
    lookups.put("hot", ranked[0]);
    lookups.put("warm", ranked[Math.min(100, ranked.length - 1)]);
    lookups.put("cool", ranked[Math.min(3000, ranked.length - 1)]);
    lookups.put("cold", ranked[ranked.length - 1]);
    lookups.put("absent", ABSENT);
    return new WorkloadParameters(
        rows, BEGIN, BEGIN + seconds.length, sources, hours, networks, lookups);
  }

  /** The distinct values, the most frequent first; values with equal counts ascend. */
  private static long[] byCount(long[] values, int n) {
    long[] sorted = Arrays.copyOf(values, n);
    Arrays.sort(sorted);
    record Counted(long value, int count) {}
    List<Counted> counts = new ArrayList<>();
    for (int i = 0; i < n; ) {
      int from = i;
      while (i < n && sorted[i] == sorted[from]) {
        i++;
      }
      counts.add(new Counted(sorted[from], i - from));
    }
    counts.sort(
        (a, b) -> Integer.compare(b.count, a.count)); // stable: values ascend within equal counts
    return counts.stream().mapToLong(Counted::value).toArray();
  }
}

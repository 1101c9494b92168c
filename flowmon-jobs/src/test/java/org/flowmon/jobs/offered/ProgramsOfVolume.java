package org.flowmon.jobs.offered;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/** The programs of elephants, mice, traffic_by_… and anomaly. */
final class ProgramsOfVolume {
  private ProgramsOfVolume() {}

  /** The groups of a window by bytes, the largest first. */
  private record Sum(List<?> keys, BigInteger bytes) {}

  private static List<Sum> sums(List<PlainFlow> flows, Function<PlainFlow, List<?>> key) {
    List<Sum> sums = new ArrayList<>();
    Program.groups(flows, key)
        .forEach(
            (keys, group) ->
                sums.add(new Sum(keys, Program.sum(group, PlainFlow::estimatedBytes))));
    sums.sort(Program.largestFirst(Sum::bytes));
    return sums;
  }

  static final class Elephants extends Program {
    Elephants(List<PlainFlow> flows, long delay) {
      super(flows, 10 * SECOND, SECOND, delay);
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, flow -> !Boolean.TRUE.equals(flow.outgoing()));
      if (now.isEmpty()) {
        return null;
      }
      BigInteger total = sum(now, PlainFlow::estimatedBytes);
      List<List<PlainFlow>> days = days(end, flow -> true);
      List<String> rows = new ArrayList<>();
      for (Sum sum : sums(now, flow -> Arrays.asList(flow.source()))) {
        if (rows.size() == 100) {
          break;
        }
        IpAddress source = (IpAddress) sum.keys().get(0);
        List<Double> past = new ArrayList<>();
        for (int day = 1; day <= DAYS; day++) {
          List<PlainFlow> own =
              days.get(day).stream()
                  .filter(flow -> source != null && source.equals(flow.source()))
                  .toList();
          BigInteger then = sum(own, PlainFlow::estimatedBytes);
          past.add(then == null ? 0 : then.doubleValue() / 3600);
        }
        Double bytes = sum.bytes() == null ? null : (Double) sum.bytes().doubleValue();
        boolean isLarge = bytes != null && bytes > 0.01 * total.doubleValue();
        rows.add(
            Cells.line(
                rows.size() + 1,
                source,
                sum.bytes(),
                bytes == null ? null : bytes / total.doubleValue(),
                bytes == null ? null : bytes / 10,
                median(past),
                DAYS,
                null,
                isLarge && bytes / 10 >= 3 * median(past) ? "new" : "usual"));
      }
      return rows;
    }
  }

  static final class Mice extends Program {
    Mice(List<PlainFlow> flows) {
      super(flows, 10 * SECOND, SECOND, MINUTE);
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, flow -> true);
      if (now.isEmpty()) {
        return null;
      }
      long hour = Math.floorDiv(end, HOUR) * HOUR;
      List<PlainFlow> week =
          flows.stream()
              .filter(flow -> flow.ended(hour - DAYS * DAY, hour - MINUTE, asOf(hour)))
              .toList();
      Set<Object> heavy =
          sums(week, flow -> Arrays.asList(flow.source())).stream()
              .limit(100)
              .map(sum -> (Object) sum.keys().get(0))
              .collect(Collectors.toCollection(HashSet::new));
      List<String> rows = new ArrayList<>();
      for (Sum sum : sums(now, flow -> Arrays.asList(flow.source(), flow.target()))) {
        if (rows.size() < 100 && !heavy.contains(sum.keys().get(0))) {
          rows.add(
              Cells.line(
                  rows.size() + 1,
                  sum.keys().get(0),
                  sum.keys().get(1),
                  sum.bytes(),
                  1.0,
                  "mouse"));
        }
      }
      return rows;
    }
  }

  /** Any of the traffic_by_… */
  static final class Traffic extends Program {
    private final Function<PlainFlow, List<?>> key;
    private final int limit;

    Traffic(List<PlainFlow> flows, int limit, Function<PlainFlow, List<?>> key) {
      super(flows, 10 * SECOND, SECOND, 0);
      this.key = key;
      this.limit = limit;
    }

    private static long rate(PlainFlow flow) {
      return flow.samplingRate() == null ? 1 : flow.samplingRate();
    }

    private static long both(Long there, Long back) {
      return (there == null ? 0 : there) + (back == null ? 0 : back);
    }

    /** Estimated bytes and packets, bytes, packets, flows. */
    private static BigInteger[] measures(List<PlainFlow> flows) {
      return new BigInteger[] {
        sum(flows, flow -> both(flow.bytes(), flow.reverseBytes()) * rate(flow)),
        sum(flows, flow -> both(flow.packets(), flow.reversePackets()) * rate(flow)),
        sum(flows, flow -> both(flow.bytes(), flow.reverseBytes())),
        sum(flows, flow -> both(flow.packets(), flow.reversePackets())),
        BigInteger.valueOf(flows.size())
      };
    }

    private record Group(List<?> keys, List<BigInteger> measures) {}

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, flow -> true);
      if (now.isEmpty()) {
        return null;
      }
      BigInteger[] total = measures(now);
      List<Group> groups = new ArrayList<>();
      groups(now, key)
          .forEach((keys, group) -> groups.add(new Group(keys, List.of(measures(group)))));
      groups.sort(largestFirst(group -> group.measures().get(0)));
      List<String> rows = new ArrayList<>();
      BigInteger[] rest = total.clone();
      for (Group group : groups.subList(0, Math.min(limit, groups.size()))) {
        rows.add(
            row(
                "top",
                rows.size() + 1,
                group.keys(),
                group.measures().toArray(new BigInteger[0]),
                total[0],
                1));
        for (int m = 0; m < rest.length; m++) {
          rest[m] = rest[m].subtract(group.measures().get(m));
        }
      }
      List<?> none = Arrays.asList(new Object[groups.get(0).keys().size()]);
      rows.add(row("other", null, none, rest, total[0], groups.size() - rows.size()));
      return rows;
    }

    private static String row(
        String part,
        Integer rank,
        List<?> keys,
        BigInteger[] measures,
        BigInteger total,
        long groups) {
      List<Object> cells = new ArrayList<>(Arrays.asList(part, rank));
      cells.addAll(keys);
      cells.addAll(Arrays.asList((Object[]) measures));
      for (int m = 0; m < measures.length; m++) {
        cells.add(measures[m].doubleValue() / 10 * (m == 0 || m == 2 ? 8 : 1));
      }
      cells.add(measures[0].doubleValue() / total.doubleValue());
      cells.add(groups);
      return Cells.line(cells.toArray());
    }
  }

  static final class Anomaly extends Program {
    Anomaly(List<PlainFlow> flows, long delay) {
      super(flows, 5 * MINUTE, SECOND, delay);
    }

    private static List<?> pair(PlainFlow flow) {
      boolean isOut = Boolean.TRUE.equals(flow.outgoing());
      return Arrays.asList(
          network(isOut ? flow.source() : flow.target(), 24, 64),
          network(isOut ? flow.target() : flow.source(), 16, 32));
    }

    private static IpAddress network(IpAddress address, int bits, int bitsOfIpv6) {
      return address == null
          ? null
          : new IpPrefix(address, address.isIpv4() ? bits : bitsOfIpv6).first();
    }

    private static Map<List<?>, Double> matrix(List<PlainFlow> flows) {
      Map<List<?>, Double> matrix = new TreeMap<>(Cells.BY_KEYS);
      groups(flows, Anomaly::pair)
          .forEach(
              (pair, group) -> {
                double bytes =
                    sum(
                            group,
                            flow ->
                                Traffic.both(flow.estimatedBytes(), flow.estimatedReverseBytes()))
                        .doubleValue();
                if (bytes > 0) {
                  matrix.put(pair, bytes);
                }
              });
      return matrix;
    }

    private static Set<List<?>> both(Map<List<?>, Double> now, Map<List<?>, Double> then) {
      Set<List<?>> all = new TreeSet<>(Cells.BY_KEYS);
      all.addAll(now.keySet());
      all.addAll(then.keySet());
      return all;
    }

    private record Measures(double cosine, double l1, double jensenShannon, long both) {
      static Measures of(Map<List<?>, Double> now, Map<List<?>, Double> then) {
        double nowTotal = now.values().stream().mapToDouble(v -> v).sum();
        double thenTotal = then.values().stream().mapToDouble(v -> v).sum();
        double products = 0;
        double squaresNow = 0;
        double squaresThen = 0;
        double l1 = 0;
        double divergence = 0;
        long both = 0;
        for (List<?> pair : Anomaly.both(now, then)) {
          double p = now.getOrDefault(pair, 0.0) / nowTotal;
          double q = then.getOrDefault(pair, 0.0) / thenTotal;
          both += p > 0 && q > 0 ? 1 : 0;
          products += p * q;
          squaresNow += p * p;
          squaresThen += q * q;
          l1 += Math.abs(p - q) / 2;
          double m = (p + q) / 2;
          divergence += (p > 0 ? p * Math.log(p / m) : 0) + (q > 0 ? q * Math.log(q / m) : 0);
        }
        if (both == 0) {
          double apart = now.isEmpty() && then.isEmpty() ? 0 : 1;
          return new Measures(1 - apart, apart, apart, 0);
        }
        double cosine = products / Math.sqrt(squaresNow * squaresThen);
        return new Measures(cosine, l1, divergence / 2 / Math.log(2), both);
      }
    }

    /** Whether it is of the three hours around this one on one of the days before. */
    private boolean isInHours(PlainFlow flow, long hour) {
      for (int day = 1; day <= DAYS; day++) {
        long from = hour - HOUR - day * DAY;
        if (flow.ended(from, from + 3 * HOUR, asOf(hour))) {
          return true;
        }
      }
      return false;
    }

    /** The share of pairs above all slots, and by how much one of them is, of a slot's bytes. */
    private static double[] growth(
        Map<List<?>, Double> now,
        List<Map<List<?>, Double>> slots,
        double slotTotal,
        double least) {
      int records = 0;
      double excess = 0;
      for (Map.Entry<List<?>, Double> pair : now.entrySet()) {
        double most =
            slots.stream()
                .mapToDouble(slot -> slot.getOrDefault(pair.getKey(), 0.0))
                .max()
                .orElse(0);
        records += pair.getValue() - most > least ? 1 : 0;
        excess = Math.max(excess, (pair.getValue() - most) / slotTotal);
      }
      return new double[] {now.isEmpty() ? 0 : (double) records / now.size(), excess};
    }

    private record Decision(String by, double mean, double limit, String verdict) {
      /** By the measure that is nearest to its limit, or beyond, of those that can decide. */
      static Decision of(double[] now, List<double[]> usually) {
        String[] names = {"jensen_shannon", "records", "excess"};
        Decision decision = null;
        double farthest = 0;
        for (int m = 0; m < now.length; m++) {
          int measure = m;
          double[] past = usually.stream().mapToDouble(slot -> slot[measure]).toArray();
          double mean = Arrays.stream(past).average().orElse(0);
          double squares = Arrays.stream(past).map(one -> (one - mean) * (one - mean)).sum();
          double deviation =
              Math.max(m == 1 ? 0.005 : 0.01, Math.sqrt(squares / (past.length - 1)));
          double limit = mean + 6 * deviation;
          if (m == 2) {
            limit = Math.max(limit, 2 * Arrays.stream(past).max().orElse(0));
          }
          double far = (now[m] - mean) / (limit - mean);
          if ((m == 2 || limit < 1) && (decision == null || far > farthest)) {
            farthest = far;
            String verdict = now[m] > limit ? "anomalous" : "usual";
            decision = new Decision(names[m], mean, limit, verdict);
          }
        }
        return decision;
      }
    }

    private record Change(List<?> pair, double now, double then, double rate, double usual) {
      double difference() {
        return rate - usual;
      }

      String verdict() {
        return then == 0 ? "appeared" : now == 0 ? "vanished" : rate > usual ? "more" : "less";
      }
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> flowsNow = window(end, flow -> true);
      if (flowsNow.isEmpty()) {
        return null;
      }
      Map<List<?>, Double> now = matrix(flowsNow);
      long hour = Math.floorDiv(end, HOUR) * HOUR;
      List<PlainFlow> hours = flows.stream().filter(flow -> isInHours(flow, hour)).toList();
      Map<List<?>, Double> then = matrix(hours);
      double nowTotal = now.values().stream().mapToDouble(v -> v).sum();
      double thenTotal = then.values().stream().mapToDouble(v -> v).sum();
      Measures measures = Measures.of(now, then);
      List<Map<List<?>, Double>> slots =
          hours.stream()
              .collect(Collectors.groupingBy(flow -> flow.end() / (5 * MINUTE)))
              .values()
              .stream()
              .map(Anomaly::matrix)
              .toList();
      double slotTotal = thenTotal / slots.size();
      double pairs = slots.stream().mapToInt(Map::size).sum();
      double least = 0.001 * thenTotal / pairs;
      double[] grown = growth(now, slots, slotTotal, least);
      List<double[]> usually = new ArrayList<>();
      for (Map<List<?>, Double> slot : slots) {
        List<Map<List<?>, Double>> others = slots.stream().filter(s -> s != slot).toList();
        double[] of = growth(slot, others, slotTotal, least);
        usually.add(new double[] {Measures.of(slot, then).jensenShannon(), of[0], of[1]});
      }
      Decision decision =
          Decision.of(new double[] {measures.jensenShannon(), grown[0], grown[1]}, usually);
      List<Change> changes = new ArrayList<>();
      for (List<?> pair : both(now, then)) {
        double a = now.getOrDefault(pair, 0.0);
        double b = then.getOrDefault(pair, 0.0);
        changes.add(new Change(pair, a, b, a / 300, b / (DAYS * 3 * 3600)));
      }
      double usual = thenTotal / (DAYS * 3 * 3600);
      List<String> rows = new ArrayList<>();
      rows.add(
          Cells.line(
              "summary",
              0,
              null,
              null,
              (long) nowTotal,
              null,
              null,
              nowTotal / 300,
              usual,
              nowTotal / 300 - usual,
              measures.cosine(),
              measures.l1(),
              measures.jensenShannon(),
              grown[0],
              grown[1],
              decision.by(),
              decision.mean(),
              decision.limit(),
              measures.both(),
              now.size() - measures.both(),
              then.size() - measures.both(),
              1.0,
              null,
              decision.verdict()));
      changes.sort(Comparator.comparingDouble(change -> -Math.abs(change.difference())));
      for (Change change : changes.subList(0, Math.min(20, changes.size()))) {
        rows.add(
            Cells.line(
                "change",
                rows.size(),
                change.pair().get(0),
                change.pair().get(1),
                (long) change.now(),
                change.now() / nowTotal,
                change.then() / thenTotal,
                change.rate(),
                change.usual(),
                change.difference(),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                change.verdict()));
      }
      return rows;
    }
  }
}

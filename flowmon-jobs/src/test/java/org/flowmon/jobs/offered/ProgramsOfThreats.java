package org.flowmon.jobs.offered;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.flowmon.flow.IpAddress;

/** The programs of ddos, brute_force, dns_tunnels, icmp_tunnels and exporters. */
final class ProgramsOfThreats {
  private ProgramsOfThreats() {}

  private static long value(BigInteger sum) {
    return sum == null ? 0 : sum.longValueExact();
  }

  private static BigInteger packets(List<PlainFlow> flows) {
    return Program.sum(flows, PlainFlow::estimatedPackets);
  }

  private static BigInteger bytes(List<PlainFlow> flows) {
    return Program.sum(flows, PlainFlow::estimatedBytes);
  }

  /** Rows of keys whose past is the median of the same hour of the days before. */
  abstract static class WithMedians extends Program {
    WithMedians(List<PlainFlow> flows, long width, long delay) {
      super(flows, width, SECOND, delay);
    }

    abstract boolean counts(PlainFlow flow);

    abstract List<?> key(PlainFlow flow);

    abstract boolean isShown(List<PlainFlow> group);

    /** Returns what the rows are ordered by, the largest first. */
    abstract BigInteger order(List<PlainFlow> group);

    abstract String row(int rank, List<?> key, List<PlainFlow> group, List<List<PlainFlow>> past);

    /** Returns how long before the window's end the hour of the past begins. */
    long earlier() {
      return 0;
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, this::counts);
      if (now.isEmpty()) {
        return null;
      }
      Map<List<?>, List<List<PlainFlow>>> past = new HashMap<>();
      for (PlainFlow flow : flows) {
        int day = flow.dayInHour(end - earlier(), DAYS, asOf(end));
        if (day > 0 && counts(flow)) {
          past.computeIfAbsent(key(flow), k -> days()).get(day - 1).add(flow);
        }
      }
      Map<List<?>, List<PlainFlow>> groups = groups(now, this::key);
      List<List<?>> keys = new ArrayList<>(groups.keySet());
      keys.removeIf(key -> !isShown(groups.get(key)));
      keys.sort(largestFirst(key -> order(groups.get(key))));
      List<String> rows = new ArrayList<>();
      for (List<?> key : keys.subList(0, Math.min(100, keys.size()))) {
        rows.add(row(rows.size() + 1, key, groups.get(key), past.getOrDefault(key, days())));
      }
      return rows;
    }

    private static List<List<PlainFlow>> days() {
      List<List<PlainFlow>> days = new ArrayList<>();
      for (int day = 0; day < DAYS; day++) {
        days.add(new ArrayList<>());
      }
      return days;
    }

    static double median(List<List<PlainFlow>> past, Function<List<PlainFlow>, BigInteger> sum) {
      return median(past.stream().map(day -> (double) value(sum.apply(day))).toList());
    }
  }

  static final class Ddos extends WithMedians {
    private static final Set<Long> REFLECTORS =
        Set.of(
            17L, 19L, 53L, 111L, 123L, 137L, 161L, 389L, 1900L, 3283L, 3702L, 5353L, 10001L,
            11211L);

    Ddos(List<PlainFlow> flows, long delay) {
      super(flows, 10 * SECOND, delay);
    }

    @Override
    boolean counts(PlainFlow flow) {
      boolean isNoTcp = flow.protocol() != null && flow.protocol() != 6;
      boolean isRefused = flow.state() != null && (flow.state() == 1 || flow.state() == 4);
      return !Boolean.TRUE.equals(flow.outgoing())
          && (isNoTcp || flow.hasFlags(16, 0) || isRefused)
          && flow.target() != null
          && !PlainFlow.isForMany(flow.target());
    }

    @Override
    List<?> key(PlainFlow flow) {
      boolean isReflected =
          flow.protocol() != null
              && flow.protocol() == 17
              && flow.sourcePort() != null
              && REFLECTORS.contains(flow.sourcePort());
      return Arrays.asList(flow.target(), flow.protocol(), isReflected ? flow.sourcePort() : null);
    }

    private static long sources(List<PlainFlow> group) {
      return different(group, flow -> Arrays.asList(flow.source()));
    }

    @Override
    boolean isShown(List<PlainFlow> group) {
      return sources(group) >= 20
          && (value(packets(group)) >= 1000 || value(bytes(group)) >= 1_000_000);
    }

    @Override
    BigInteger order(List<PlainFlow> group) {
      return packets(group);
    }

    @Override
    String row(int rank, List<?> key, List<PlainFlow> group, List<List<PlainFlow>> past) {
      double packets = value(packets(group)) / 10.0;
      double bits = 8 * (value(bytes(group)) / 10.0);
      double usualPackets = median(past, ProgramsOfThreats::packets) / 3600;
      double usualBits = 8 * (median(past, ProgramsOfThreats::bytes) / 3600);
      long sources = sources(group);
      String verdict = "usual";
      if (sources >= 50 && (packets >= 5 * usualPackets || bits >= 5 * usualBits)) {
        boolean isTcp = Objects.equals(key.get(1), 6L);
        if (key.get(2) != null && bits >= 5e6) {
          verdict = "amplification";
        } else if (isTcp && packets >= 2000) {
          verdict = "syn_flood";
        } else if (packets >= 100_000 || bits >= 1e9) {
          verdict = "flood";
        }
      }
      List<Object> cells = new ArrayList<>(List.of(rank));
      cells.addAll(key);
      cells.addAll(
          Arrays.asList(
              sources, group.size() / 10.0, packets, bits, usualPackets, usualBits, DAYS, null));
      cells.add(verdict);
      return Cells.line(cells.toArray());
    }
  }

  static final class BruteForce extends WithMedians {
    private static final Set<Long> PORTS =
        Set.of(
            21L, 22L, 23L, 445L, 1433L, 1521L, 2222L, 2323L, 3306L, 3389L, 5432L, 5900L, 5985L,
            5986L, 6379L, 27017L);
    private static final Set<Long> ESTABLISHED = Set.of(2L, 3L, 5L, 6L, 7L, 8L);

    BruteForce(List<PlainFlow> flows, long delay) {
      super(flows, HOUR, delay);
    }

    @Override
    long earlier() {
      return HOUR;
    }

    @Override
    boolean counts(PlainFlow flow) {
      boolean isEstablished = flow.state() != null && ESTABLISHED.contains(flow.state());
      return Objects.equals(flow.protocol(), 6L)
          && flow.port() != null
          && PORTS.contains(flow.port())
          && flow.isFromAHigherPort()
          && (flow.hasFlags(16, 16) || isEstablished);
    }

    @Override
    List<?> key(PlainFlow flow) {
      return Arrays.asList(flow.source(), flow.target(), flow.port(), number(flow.isFromInside()));
    }

    private static Long number(Boolean truth) {
      return truth == null ? null : (Long) (truth ? 1L : 0L);
    }

    private static boolean isShort(PlainFlow flow) {
      return flow.packets() != null
          && flow.packets() >= 6
          && flow.packets() <= 60
          && flow.bytes() != null
          && flow.bytes() < 10_000;
    }

    private static boolean isLong(PlainFlow flow) {
      return (flow.packets() != null && flow.packets() > 60)
          || (flow.bytes() != null && flow.bytes() >= 10_000);
    }

    /** Whether it is a whole connection or the first part of one. */
    private static boolean isBeginning(PlainFlow flow) {
      return flow.state() != null || flow.hasFlags(2, 2);
    }

    private static long tries(List<PlainFlow> group) {
      return group.stream().filter(BruteForce::isShort).filter(BruteForce::isBeginning).count();
    }

    @Override
    boolean isShown(List<PlainFlow> group) {
      return tries(group) >= 20;
    }

    @Override
    BigInteger order(List<PlainFlow> group) {
      return BigInteger.valueOf(tries(group));
    }

    private static List<Long> times(List<PlainFlow> group, boolean isOfLong) {
      return group.stream()
          .filter(flow -> isOfLong ? isLong(flow) : isShort(flow))
          .filter(BruteForce::isBeginning)
          .map(PlainFlow::began)
          .filter(Objects::nonNull)
          .sorted()
          .toList();
    }

    @Override
    String row(int rank, List<?> key, List<PlainFlow> group, List<List<PlainFlow>> past) {
      long tries = tries(group);
      double usual = median(past, day -> BigInteger.valueOf(tries(day)));
      List<Long> tried = times(group, false);
      List<Long> stayed = times(group, true);
      Long last = stayed.isEmpty() ? null : stayed.get(stayed.size() - 1);
      String verdict = "usual";
      if (tries >= 30 && tries >= 3 * usual) {
        verdict = last != null && last > tried.get(0) ? "broken_in" : "brute_force";
      }
      return Cells.line(
          rank,
          key.get(0),
          key.get(1),
          key.get(2),
          key.get(3) == null ? null : (Boolean) key.get(3).equals(1L),
          tries,
          Cells.time(tried.get(0)),
          Cells.time(tried.get(tried.size() - 1)),
          Cells.time(last),
          group.stream().map(PlainFlow::bytes).filter(Objects::nonNull).max(Long::compare).get(),
          usual,
          DAYS,
          null,
          verdict);
    }
  }

  static final class DnsTunnels extends WithMedians {
    DnsTunnels(List<PlainFlow> flows, long delay) {
      super(flows, 10 * MINUTE, delay);
    }

    @Override
    boolean counts(PlainFlow flow) {
      if (!Objects.equals(flow.port(), 53L)
          || flow.protocol() == null
          || (flow.protocol() != 6 && flow.protocol() != 17)
          || flow.bytes() == null
          || flow.packets() == null) {
        return false;
      }
      return flow.bytes() >= 170 * flow.packets()
          || (flow.packets() >= 20 && flow.bytes() >= 100 * flow.packets());
    }

    @Override
    List<?> key(PlainFlow flow) {
      return Arrays.asList(flow.source(), flow.target());
    }

    @Override
    boolean isShown(List<PlainFlow> group) {
      return value(packets(group)) >= 50 && value(bytes(group)) >= 10_000;
    }

    @Override
    BigInteger order(List<PlainFlow> group) {
      return bytes(group);
    }

    @Override
    String row(int rank, List<?> key, List<PlainFlow> group, List<List<PlainFlow>> past) {
      long questions = value(packets(group));
      long bytes = value(bytes(group));
      // The history query asks for known addresses.
      double usual = key.contains(null) ? 0 : median(past, ProgramsOfThreats::bytes);
      boolean isTunnel = questions >= 100 && bytes >= 20_000 && bytes >= usual;
      return Cells.line(
          rank,
          key.get(0),
          key.get(1),
          questions,
          bytes,
          (double) bytes / questions,
          value(sum(group, PlainFlow::estimatedReverseBytes)),
          group.size(),
          usual,
          DAYS,
          null,
          isTunnel ? "tunnel" : "usual");
    }
  }

  static final class IcmpTunnels extends WithMedians {
    IcmpTunnels(List<PlainFlow> flows) {
      super(flows, 10 * MINUTE, 0);
    }

    @Override
    boolean counts(PlainFlow flow) {
      return flow.isIcmp()
          && flow.icmp() != null
          && Set.of(8L, 128L).contains(flow.icmp() / 256)
          && flow.bytes() != null
          && flow.packets() != null
          && flow.bytes() >= 100 * flow.packets();
    }

    @Override
    List<?> key(PlainFlow flow) {
      return Arrays.asList(flow.source(), flow.target());
    }

    @Override
    boolean isShown(List<PlainFlow> group) {
      return value(packets(group)) >= 50;
    }

    @Override
    BigInteger order(List<PlainFlow> group) {
      return bytes(group);
    }

    private static boolean isUneven(PlainFlow flow) {
      return flow.packets() > 0 && flow.bytes() % flow.packets() != 0;
    }

    @Override
    String row(int rank, List<?> key, List<PlainFlow> group, List<List<PlainFlow>> past) {
      long packets = value(packets(group));
      long bytes = value(bytes(group));
      long uneven = value(bytes(group.stream().filter(IcmpTunnels::isUneven).toList()));
      Set<Double> sizes = new HashSet<>();
      group.stream()
          .filter(flow -> flow.packets() > 0)
          .forEach(flow -> sizes.add((double) flow.bytes() / flow.packets()));
      boolean isTunnel =
          bytes >= 20_000 && bytes >= 120 * packets && (sizes.size() >= 10 || 2 * uneven >= bytes);
      return Cells.line(
          rank,
          key.get(0),
          key.get(1),
          packets,
          bytes,
          (double) bytes / packets,
          sizes.size(),
          (double) uneven / bytes,
          group.size(),
          isTunnel ? "tunnel" : "usual");
    }
  }

  static final class Exporters extends Program {
    private static final long LONGEST_SKEW = 2 * MINUTE;

    Exporters(List<PlainFlow> flows, long delay) {
      super(flows, HOUR, 0, delay);
    }

    @Override
    List<String> rows(long end) {
      Map<IpAddress, List<PlainFlow>> now = new TreeMap<>();
      for (PlainFlow flow : flows) {
        if (flow.exporter() != null && flow.arrival() >= end - HOUR && flow.arrival() < end) {
          now.computeIfAbsent(flow.exporter(), e -> new ArrayList<>()).add(flow);
        }
      }
      List<String> rows = new ArrayList<>();
      now.forEach((exporter, group) -> rows.add(row(end, exporter, group)));
      Map<IpAddress, long[]> past = new TreeMap<>();
      for (PlainFlow flow : flows) {
        int day = flow.dayInHour(end - HOUR, DAYS, asOf(end));
        if (day > 0 && flow.exporter() != null) {
          past.computeIfAbsent(flow.exporter(), e -> new long[DAYS])[day - 1]++;
        }
      }
      past.forEach(
          (exporter, days) -> {
            if (!now.containsKey(exporter) && Arrays.stream(days).min().getAsLong() >= 120) {
              rows.add(Cells.line(exporter, 0, null, null, null, null, null, "silent"));
            }
          });
      return rows;
    }

    private static String row(long end, IpAddress exporter, List<PlainFlow> group) {
      List<Long> arrivals = group.stream().map(PlainFlow::arrival).sorted().toList();
      long first = arrivals.get(0);
      long last = arrivals.get(arrivals.size() - 1);
      long minutes = arrivals.stream().map(a -> Math.floorDiv(a, MINUTE)).distinct().count();
      List<Long> skews =
          group.stream()
              .filter(flow -> flow.exported() != null)
              .map(flow -> flow.exported() - flow.arrival())
              .toList();
      Long least = skews.isEmpty() ? null : Collections.min(skews);
      Long most = skews.isEmpty() ? null : Collections.max(skews, Comparator.naturalOrder());
      long wrong = group.stream().filter(f -> f.timeFlags() != null && f.timeFlags() > 0).count();
      double expected =
          (double) (end - last) / MINUTE * ((double) (MINUTE * minutes) / (last - first + MINUTE));
      String verdict = "usual";
      if (expected >= 14) {
        verdict = "silent";
      } else if (least != null && least > LONGEST_SKEW) {
        verdict = "clock_ahead";
      } else if (most != null && most < -LONGEST_SKEW) {
        verdict = "clock_behind";
      } else if (2 * wrong > group.size()) {
        verdict = "wrong_times";
      }
      return Cells.line(
          exporter,
          group.size(),
          Cells.time(last),
          length(end - last),
          length(least),
          length(most),
          wrong,
          verdict);
    }

    private static Duration length(Long micros) {
      return micros == null ? null : Duration.ofNanos(micros * 1000);
    }
  }
}

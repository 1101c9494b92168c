package org.flowmon.jobs.offered;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.flowmon.flow.IpAddress;

/** The programs of long_connections, exfiltration, dark_space and new_services. */
final class ProgramsOfNovelty {
  private ProgramsOfNovelty() {}

  private static boolean isOutside(IpAddress address) {
    return address != null && !PlainFlow.isPrivate(address) && !PlainFlow.isForMany(address);
  }

  private static Long least(List<PlainFlow> flows) {
    return flows.stream()
        .map(PlainFlow::began)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /** An analysis that asks what there was in the past 30 days. */
  abstract static class OfAMonth extends Program {
    static final long MONTH = 30 * DAY;

    OfAMonth(List<PlainFlow> flows, long width, long delay) {
      super(flows, width, SECOND, delay);
    }

    static long hour(long time) {
      return Math.floorDiv(time, HOUR) * HOUR;
    }

    final Map<IpAddress, Long> bytesToNetworks(long from, long to, long asOf) {
      Map<IpAddress, Long> bytes = new HashMap<>();
      for (PlainFlow flow : flows) {
        if (flow.ended(from, to, asOf) && flow.target() != null && flow.estimatedBytes() != null) {
          bytes.merge(PlainFlow.network(flow.target()), flow.estimatedBytes(), Long::sum);
        }
      }
      return bytes;
    }
  }

  static final class LongConnections extends OfAMonth {
    LongConnections(List<PlainFlow> flows, long delay) {
      super(flows, 12 * HOUR, delay);
    }

    private static boolean counts(PlainFlow flow) {
      return flow.duration() != null
          && flow.duration() >= 50 * SECOND
          && flow.isFromAHigherPort()
          && Boolean.TRUE.equals(flow.isFromInside())
          && isOutside(flow.target());
    }

    private static List<?> key(PlainFlow flow) {
      return Arrays.asList(
          flow.source(),
          flow.sourcePort(),
          flow.target(),
          flow.port(),
          flow.protocol(),
          PlainFlow.network(flow.target()));
    }

    private static long open(List<PlainFlow> group) {
      return group.stream().mapToLong(PlainFlow::duration).sum();
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, LongConnections::counts);
      if (now.isEmpty()) {
        return null;
      }
      Map<List<?>, List<PlainFlow>> groups = groups(now, LongConnections::key);
      groups.values().removeIf(group -> open(group) < 4 * HOUR);
      Map<Object, Set<Object>> clients = new HashMap<>();
      groups
          .keySet()
          .forEach(k -> clients.computeIfAbsent(k.get(5), n -> new HashSet<>()).add(k.get(0)));
      long from = hour(end - MONTH);
      long to = hour(end - 12 * HOUR);
      Map<IpAddress, Long> sent = bytesToNetworks(from, to, asOf(end));
      groups
          .keySet()
          .removeIf(
              k ->
                  open(groups.get(k)) < 8 * HOUR
                      || clients.get(k.get(5)).size() > 3
                      || sent.getOrDefault((IpAddress) k.get(5), 0L) >= 10_000);
      List<List<?>> keys = new ArrayList<>(groups.keySet());
      keys.sort(Comparator.comparingLong(key -> -open(groups.get(key))));
      List<String> rows = new ArrayList<>();
      for (List<?> key : keys) {
        List<PlainFlow> group = groups.get(key);
        rows.add(
            Cells.line(
                rows.size() + 1,
                key.get(0),
                key.get(1),
                key.get(2),
                key.get(3),
                key.get(4),
                Duration.ofNanos(open(group) * 1000),
                Cells.time(least(group)),
                Cells.time(group.stream().map(PlainFlow::end).max(Long::compare).get()),
                group.size(),
                sum(group, PlainFlow::estimatedBytes),
                clients.get(key.get(5)).size(),
                (double) (to - from) / DAY,
                1.0,
                "long"));
      }
      return rows;
    }
  }

  static final class Exfiltration extends OfAMonth {
    Exfiltration(List<PlainFlow> flows, long delay) {
      super(flows, HOUR, delay);
    }

    private static boolean isSent(PlainFlow flow) {
      return flow.estimatedBytes() != null
          && flow.estimatedBytes() >= 10_000
          && flow.isFromAHigherPort()
          && isOutside(flow.target());
    }

    private static double median(List<PlainFlow> flows, long now) {
      return Program.median(List.copyOf(days(flows, now).values()));
    }

    private static Map<Long, Double> days(List<PlainFlow> flows, long now) {
      Map<Long, Double> days = new TreeMap<>();
      flows.forEach(
          flow ->
              days.merge(
                  Math.floorDiv(now - flow.end() + DAY - 1, DAY),
                  (double) flow.estimatedBytes(),
                  Double::sum));
      return days;
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now =
          window(end, flow -> isSent(flow) && Boolean.TRUE.equals(flow.isFromInside()));
      if (now.isEmpty()) {
        return null;
      }
      Map<List<?>, List<PlainFlow>> groups =
          groups(now, f -> Arrays.asList(f.source(), PlainFlow.network(f.target())));
      groups
          .values()
          .removeIf(g -> sum(g, PlainFlow::estimatedBytes).longValueExact() < 100_000_000);
      List<List<?>> keys = new ArrayList<>(groups.keySet());
      keys.sort(largestFirst(key -> sum(groups.get(key), PlainFlow::estimatedBytes)));
      Map<IpAddress, Long> sent = bytesToNetworks(hour(end - MONTH), hour(end - HOUR), asOf(end));
      List<String> rows = new ArrayList<>();
      for (int i = 0; i < keys.size(); i++) {
        List<?> key = keys.get(i);
        List<PlainFlow> group = groups.get(key);
        long bytes = sum(group, PlainFlow::estimatedBytes).longValueExact();
        List<PlainFlow> own =
            flows.stream()
                .filter(f -> f.ended(end - MONTH - HOUR, end - HOUR, asOf(end)))
                .filter(f -> key.get(0).equals(f.source()) && isSent(f))
                .toList();
        Double median = own.isEmpty() ? null : (Double) median(own, end - HOUR);
        Double limit =
            own.isEmpty() ? null : (Double) (median + 6 * 1.4826 * mad(own, end, median));
        Long before = sent.get((IpAddress) key.get(1));
        boolean isUsual = limit != null && bytes <= limit;
        if (isUsual || (before != null && before >= 1_000_000)) {
          continue;
        }
        rows.add(
            Cells.line(
                i + 1,
                key.get(0),
                key.get(1),
                group.stream().map(PlainFlow::target).min(IpAddress::compareTo).get(),
                bytes,
                group.size(),
                Cells.time(least(group)),
                before,
                median,
                limit,
                own.isEmpty() ? null : (Integer) days(own, end - HOUR).size(),
                (end - HOUR - Math.min(hour(end - MONTH), end - MONTH - HOUR)) / (double) DAY,
                1.0,
                "exfiltration"));
      }
      return rows;
    }

    private static double mad(List<PlainFlow> own, long end, double median) {
      return Program.median(
          days(own, end - HOUR).values().stream().map(b -> Math.abs(b - median)).toList());
    }
  }

  static final class DarkSpace extends OfAMonth {
    DarkSpace(List<PlainFlow> flows) {
      super(flows, HOUR, 0);
    }

    private static boolean counts(PlainFlow flow) {
      boolean isRefused = flow.state() != null && (flow.state() == 1 || flow.state() == 4);
      boolean isTcp = Objects.equals(flow.protocol(), 6L) && (flow.hasFlags(18, 2) || isRefused);
      boolean isEcho =
          Objects.equals(flow.protocol(), 1L) && flow.icmp() != null && flow.icmp() / 256 == 8;
      return (isTcp || isEcho)
          && flow.target() != null
          && PlainFlow.isPrivate(flow.target())
          && Boolean.TRUE.equals(flow.isFromInside())
          && (flow.reversePackets() == null || flow.reversePackets() == 0);
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, DarkSpace::counts);
      if (now.isEmpty()) {
        return null;
      }
      Set<IpAddress> used = new HashSet<>();
      Set<List<?>> tried = new HashSet<>();
      for (PlainFlow flow : flows) {
        if (flow.ended(hour(end - MONTH), Long.MAX_VALUE, end)) {
          used.add(flow.source());
          if (flow.reversePackets() != null && flow.reversePackets() > 0) {
            used.add(flow.target());
          }
        }
        if (flow.ended(end - MONTH, end - HOUR, end)) {
          tried.add(Arrays.asList(flow.source(), flow.target()));
        }
      }
      Map<List<?>, List<PlainFlow>> sources =
          groups(
              now.stream()
                  .filter(flow -> !used.contains(flow.target()))
                  .filter(flow -> !tried.contains(Arrays.asList(flow.source(), flow.target())))
                  .toList(),
              flow -> Arrays.asList(flow.source()));
      List<List<?>> keys = new ArrayList<>(sources.keySet());
      keys.removeIf(key -> addresses(sources.get(key)).size() < 5);
      keys.sort(Comparator.comparingInt(key -> -addresses(sources.get(key)).size()));
      List<String> rows = new ArrayList<>();
      for (List<?> key : keys) {
        List<PlainFlow> group = sources.get(key);
        List<IpAddress> addresses = addresses(group);
        rows.add(
            Cells.line(
                key.get(0),
                addresses.size(),
                group.size(),
                addresses.get(0),
                addresses.get(addresses.size() - 1),
                group.stream()
                    .map(PlainFlow::port)
                    .filter(Objects::nonNull)
                    .min(Long::compare)
                    .get(),
                Cells.time(least(group)),
                (end - hour(end - MONTH)) / (double) DAY,
                1.0,
                "dark_space"));
      }
      return rows;
    }

    private static List<IpAddress> addresses(List<PlainFlow> flows) {
      return flows.stream().map(PlainFlow::target).distinct().sorted(IpAddress::compareTo).toList();
    }
  }

  static final class NewServices extends OfAMonth {
    NewServices(List<PlainFlow> flows, long delay) {
      super(flows, 10 * MINUTE, delay);
    }

    private static final Set<Long> ESTABLISHED = Set.of(2L, 3L, 5L, 6L, 7L, 8L);

    private static boolean isLow(Long port) {
      return port != null && port < 32_768;
    }

    private static boolean isHigh(Long port) {
      return port != null && port >= 32_768;
    }

    private static boolean counts(PlainFlow flow) {
      boolean isUdp = Objects.equals(flow.protocol(), 17L);
      boolean isLowest =
          (flow.sourcePort() != null && flow.sourcePort() < 1024)
              || (flow.port() != null && flow.port() < 1024);
      boolean isEstablished =
          flow.hasFlags(18, 18) || (flow.state() != null && ESTABLISHED.contains(flow.state()));
      if (isUdp ? !isLowest : !(Objects.equals(flow.protocol(), 6L) && isEstablished)) {
        return false;
      } else if (isBothWays(flow)) {
        return isLow(flow.port())
            && isHigh(flow.sourcePort())
            && (Boolean.FALSE.equals(flow.outgoing())
                || (flow.target() != null && PlainFlow.isPrivate(flow.target())));
      }
      return isLow(flow.sourcePort())
          && isHigh(flow.port())
          && Boolean.TRUE.equals(flow.isFromInside());
    }

    private static boolean isBothWays(PlainFlow flow) {
      return flow.reversePackets() != null && flow.reversePackets() > 0;
    }

    private static List<?> key(PlainFlow flow) {
      return isBothWays(flow)
          ? Arrays.asList(flow.target(), flow.protocol(), flow.port())
          : Arrays.asList(flow.source(), flow.protocol(), flow.sourcePort());
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, NewServices::counts);
      if (now.isEmpty()) {
        return null;
      }
      long day = Math.floorDiv(end, DAY) * DAY;
      Map<IpAddress, Long> hosts = new HashMap<>();
      Set<List<?>> services = new HashSet<>();
      BiConsumer<IpAddress, Long> seen = (host, time) -> hosts.merge(host, time, Math::min);
      for (PlainFlow flow : flows) {
        if (flow.ended(day - MONTH, day, asOf(day))) {
          if (!Boolean.FALSE.equals(flow.outgoing()) && flow.source() != null) {
            seen.accept(flow.source(), hour(flow.end()));
          }
          if (counts(flow)) {
            services.add(key(flow));
            IpAddress server = isBothWays(flow) ? flow.target() : flow.source();
            if (server != null) {
              seen.accept(server, hour(flow.end()));
            }
          }
        }
      }
      Map<List<?>, List<PlainFlow>> groups = groups(now, NewServices::key);
      List<String> rows = new ArrayList<>();
      groups.forEach(
          (key, group) -> {
            Long since = hosts.get((IpAddress) key.get(0));
            long others =
                services.stream().filter(s -> s.subList(1, 3).equals(key.subList(1, 3))).count();
            if (!services.contains(key)
                && since != null
                && since <= end - 7 * DAY
                && others <= 100) {
              rows.add(row(rows.size() + 1, key, group, since, others));
            }
          });
      return rows;
    }

    private String row(int rank, List<?> key, List<PlainFlow> group, long since, long others) {
      long delay = asOf(0);
      return Cells.line(
          rank,
          key.get(0),
          key.get(1),
          key.get(2),
          group.size(),
          sum(group, PlainFlow::estimatedBytes),
          group.stream()
              .map(flow -> isBothWays(flow) ? flow.source() : flow.target())
              .filter(Objects::nonNull)
              .min(IpAddress::compareTo)
              .orElse(null),
          Cells.time(least(group)),
          Cells.time(since),
          others,
          (MONTH + delay) / (double) DAY,
          (MONTH + delay) / (double) MONTH,
          "new");
    }
  }
}

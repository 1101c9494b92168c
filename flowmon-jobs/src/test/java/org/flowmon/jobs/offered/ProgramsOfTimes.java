package org.flowmon.jobs.offered;

import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/** The programs of dispersion and beacons. */
final class ProgramsOfTimes {
  private ProgramsOfTimes() {}

  static final class Dispersion extends Program {
    private static final int SLIDES = 10;

    Dispersion(List<PlainFlow> flows, long delay) {
      super(flows, SLIDES * MINUTE, SECOND, delay);
    }

    /** A prefix that came again; minutes before the window's end, 0 the last. */
    private record Again(List<?> prefix, TreeSet<Integer> minutes, List<PlainFlow> last) {
      int lag() {
        return minutes.higher(0);
      }

      int repeats() {
        return (int) minutes.stream().filter(m -> minutes.contains(m + lag())).count();
      }

      boolean isRegular() {
        return minutes.size() > 2 && repeats() == minutes.size() - 1;
      }

      String pattern() {
        StringBuilder pattern = new StringBuilder();
        for (int minute = SLIDES - 1; minute >= 0; minute--) {
          pattern.append(minutes.contains(minute) ? '#' : '.');
        }
        return pattern.toString();
      }
    }

    private static boolean mayComeIn(PlainFlow flow) {
      return !Boolean.TRUE.equals(flow.outgoing());
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, Dispersion::mayComeIn);
      if (now.isEmpty()) {
        return null;
      }
      List<Again> all = new ArrayList<>();
      groups(now, flow -> Arrays.asList(flow.prefix()))
          .forEach(
              (prefix, group) -> {
                TreeSet<Integer> minutes = new TreeSet<>();
                List<PlainFlow> last = new ArrayList<>();
                for (PlainFlow flow : group) {
                  if (flow.end() != null) {
                    minutes.add((int) ((end - 1 - flow.end()) / MINUTE));
                    if (flow.end() >= end - MINUTE) {
                      last.add(flow);
                    }
                  }
                }
                if (minutes.contains(0) && minutes.higher(0) != null && minutes.higher(0) >= 2) {
                  all.add(new Again(prefix, minutes, last));
                }
              });
      all.sort(
          Comparator.comparing((Again again) -> !again.isRegular())
              .thenComparing(again -> -again.repeats())
              .thenComparing(again -> -again.lag()));
      Map<List<?>, List<PlainFlow>> past =
          groups(
              flows.stream()
                  .filter(flow -> flow.ended(pastFrom(end), pastTo(end), asOf(end)))
                  .filter(Dispersion::mayComeIn)
                  .toList(),
              flow -> Arrays.asList(flow.prefix()));
      List<String> rows = new ArrayList<>();
      for (Again again : all) {
        List<PlainFlow> before = again.prefix().get(0) == null ? null : past.get(again.prefix());
        double days = (pastTo(end) - pastFrom(end)) / (double) DAY;
        rows.add(row(rows.size() + 1, again, before, days));
      }
      return rows;
    }

    /** Whole hours, which begin before the window does. */
    private static long pastFrom(long end) {
      return hour(end - DAYS * DAY);
    }

    private long pastTo(long end) {
      return hour(end - width());
    }

    private static long hour(long time) {
      return Math.floorDiv(time, HOUR) * HOUR;
    }

    private static String row(int rank, Again again, List<PlainFlow> before, double days) {
      BigInteger bytes = before == null ? BigInteger.ZERO : sum(before, PlainFlow::estimatedBytes);
      return Cells.line(
          rank,
          again.prefix().get(0),
          Duration.ofMinutes(again.lag()),
          again.repeats(),
          again.minutes().size(),
          again.pattern(),
          again.isRegular(),
          again.last().size(),
          sum(again.last(), PlainFlow::estimatedBytes),
          before == null ? 0.0 : before.size() / days,
          bytes == null ? null : bytes.doubleValue() / days,
          before == null
              ? null
              : Cells.time(hour(before.stream().mapToLong(PlainFlow::end).max().getAsLong())),
          1.0,
          before == null ? "new" : "known");
    }
  }

  static final class Beacons extends Program {
    private static final IpPrefix MULTICAST = IpPrefix.parse("224.0.0.0/4");
    private static final IpPrefix MULTICAST_6 = IpPrefix.parse("ff00::/8");

    private final long delay;

    Beacons(List<PlainFlow> flows, long delay) {
      super(flows, DAY, SECOND, 0);
      this.delay = delay;
    }

    private static boolean counts(PlainFlow flow) {
      PlainRole role = PlainRole.of(flow);
      IpAddress target = flow.target();
      boolean begins =
          flow.protocol() != null
              && (flow.protocol() != 6
                  || flow.flags() == null
                  || flow.flags() == 0
                  || flow.hasFlags(2, 2));
      return flow.source() != null
          && target != null
          && flow.source().equals(role.client())
          && role.port() != null
          && begins
          && !MULTICAST.contains(target.hi(), target.lo())
          && !MULTICAST_6.contains(target.hi(), target.lo());
    }

    private static Long begins(PlainFlow flow) {
      return flow.start() != null ? flow.start() : flow.end();
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, Beacons::counts);
      if (now.isEmpty()) {
        return null;
      }
      LongSummaryStatistics observed =
          now.stream()
              .map(Beacons::begins)
              .filter(Objects::nonNull)
              .mapToLong(time -> time)
              .summaryStatistics();
      Map<List<?>, PlainBeacon> found = new LinkedHashMap<>();
      Map<List<?>, List<PlainFlow>> pairs =
          groups(
              now, flow -> Arrays.asList(flow.source(), flow.target(), PlainRole.of(flow).port()));
      pairs.forEach(
          (pair, group) -> {
            List<PlainBeacon.Call> calls =
                group.stream()
                    .filter(flow -> begins(flow) != null)
                    .map(
                        flow ->
                            new PlainBeacon.Call(
                                begins(flow),
                                flow.estimatedBytes() == null ? 0 : flow.estimatedBytes()))
                    .sorted(Comparator.comparing(PlainBeacon.Call::time))
                    .toList();
            PlainBeacon best = PlainBeacon.best(calls, observed.getMin(), observed.getMax());
            if (best != null && best.score() >= 0.85) {
              found.put(pair, best);
            }
          });
      Map<Object, Server> servers = servers(end, now, found.keySet());
      List<List<?>> order = new ArrayList<>(found.keySet());
      order.sort(
          Comparator.comparing((List<?> pair) -> found.get(pair).confidence() < 0.5)
              .thenComparing(
                  pair ->
                      -Math.round(1000 * found.get(pair).score())
                          - Math.round(1000 * servers.get(pair.get(1)).modifier()))
              .thenComparing(pair -> -found.get(pair).beats().size()));
      List<String> rows = new ArrayList<>();
      for (List<?> pair : order.subList(0, Math.min(100, order.size()))) {
        Server server = servers.get(pair.get(1));
        rows.add(row(rows.size() + 1, pair, found.get(pair), server, pairs.get(pair)));
      }
      return rows;
    }

    /** How many of the hosts inside speak with it, and since when history has it. */
    private record Server(Double prevalence, Long firstSeen, double modifier) {}

    private static boolean isFromInside(PlainFlow flow) {
      return flow.outgoing() != null ? flow.outgoing() : PlainFlow.isPrivate(flow.source());
    }

    private Map<Object, Server> servers(long end, List<PlainFlow> now, Collection<List<?>> pairs) {
      List<PlainFlow> inside = now.stream().filter(Beacons::isFromInside).toList();
      long all = different(inside, flow -> Arrays.asList(flow.source()));
      long hour = Math.floorDiv(end, HOUR) * HOUR;
      Map<Object, Server> servers = new HashMap<>();
      for (List<?> pair : pairs) {
        Object address = pair.get(1);
        List<PlainFlow> own =
            inside.stream().filter(flow -> address.equals(flow.target())).toList();
        long hosts = different(own, flow -> Arrays.asList(flow.source()));
        Double prevalence = hosts == 0 ? null : (Double) ((double) hosts / all);
        Long first =
            flows.stream()
                .filter(flow -> address.equals(flow.target()))
                .filter(flow -> flow.ended(hour - 90 * DAY, hour, hour - delay))
                .map(flow -> Math.floorDiv(flow.end(), HOUR) * HOUR)
                .min(Comparator.naturalOrder())
                .orElse(null);
        double modifier = 0;
        if (prevalence != null) {
          modifier += prevalence <= 0.02 ? 0.15 : prevalence >= 0.5 ? -0.15 : 0;
        }
        modifier += first == null || first >= end - 7 * DAY ? 0.15 : 0;
        modifier -= first != null && first <= end - 30 * DAY ? 0.15 : 0;
        servers.put(address, new Server(prevalence, first, modifier));
      }
      return servers;
    }

    private static String row(
        int rank, List<?> pair, PlainBeacon beacon, Server server, List<PlainFlow> group) {
      return Cells.line(
          rank,
          pair.get(0),
          pair.get(1),
          pair.get(2),
          beacon.score(),
          beacon.parts().get(0),
          beacon.parts().get(1),
          beacon.parts().get(2),
          beacon.parts().get(3),
          server.prevalence(),
          Cells.time(server.firstSeen()),
          Math.round(1000 * server.modifier()) / 1000.0,
          beacon.confidence(),
          Duration.of(beacon.period(), ChronoUnit.MICROS),
          beacon.beats().size(),
          Cells.time(beacon.beats().get(0)),
          Cells.time(beacon.beats().get(beacon.beats().size() - 1)),
          group.size(),
          sum(group, PlainFlow::estimatedBytes),
          beacon.confidence() < 0.5 ? "candidate" : "beacon");
    }
  }
}

package org.flowmon.jobs.offered;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.flowmon.flow.IpAddress;

/** The programs of portscans, scans, fan_out, new_talkers and new_targets. */
final class ProgramsOfHosts {
  private ProgramsOfHosts() {}

  private static List<?> target(PlainFlow flow) {
    return Arrays.asList(flow.target(), flow.port() == null ? 0L : flow.port());
  }

  /** Keys with a larger count now than usually at this time of day. */
  abstract static class MoreThanUsual extends Program {
    private final int shown;
    private final int least;
    private final String found;

    MoreThanUsual(
        List<PlainFlow> flows, long width, long delay, int shown, int least, String found) {
      super(flows, width, SECOND, delay);
      this.shown = shown;
      this.least = least;
      this.found = found;
    }

    abstract boolean counts(PlainFlow flow);

    boolean countsInThePast(PlainFlow flow) {
      return counts(flow);
    }

    abstract List<?> key(PlainFlow flow);

    abstract long number(List<PlainFlow> flows);

    /** Returns the count and the other shown columns. */
    abstract List<?> shown(List<PlainFlow> flows);

    boolean isShown(List<PlainFlow> group) {
      return number(group) >= shown;
    }

    /** What a key with more than usual is. */
    String verdict(List<PlainFlow> group) {
      return found;
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, this::counts);
      if (now.isEmpty()) {
        return null;
      }
      List<Map<List<?>, List<PlainFlow>>> past = new ArrayList<>();
      for (List<PlainFlow> day : days(end, this::countsInThePast)) {
        past.add(groups(day, this::key));
      }
      Map<List<?>, List<PlainFlow>> groups = groups(now, this::key);
      List<List<?>> keys = new ArrayList<>(groups.keySet());
      keys.removeIf(key -> !isShown(groups.get(key)));
      keys.sort(Comparator.comparingLong(key -> -number(groups.get(key))));
      List<String> rows = new ArrayList<>();
      for (List<?> key : keys.subList(0, Math.min(100, keys.size()))) {
        List<PlainFlow> group = groups.get(key);
        List<Double> before = new ArrayList<>();
        for (int day = 1; day <= DAYS; day++) {
          List<PlainFlow> own = past.get(day).get(key);
          // The history query asks for known sources.
          before.add(own == null || key.get(0) == null ? 0.0 : number(own));
        }
        boolean isMore = number(group) >= least && number(group) >= 3 * median(before);
        List<Object> cells = new ArrayList<>();
        cells.add(rows.size() + 1);
        cells.addAll(key);
        cells.addAll(shown(group));
        cells.addAll(Arrays.asList(median(before), DAYS, null, isMore ? verdict(group) : "usual"));
        rows.add(Cells.line(cells.toArray()));
      }
      return rows;
    }
  }

  static final class Portscans extends MoreThanUsual {
    Portscans(List<PlainFlow> flows, long delay) {
      super(flows, MINUTE, delay, 20, 100, "scan");
    }

    @Override
    boolean counts(PlainFlow flow) {
      return flow.isTry();
    }

    @Override
    List<?> key(PlainFlow flow) {
      return Arrays.asList(flow.source());
    }

    @Override
    long number(List<PlainFlow> flows) {
      return different(flows, ProgramsOfHosts::target);
    }

    @Override
    List<?> shown(List<PlainFlow> flows) {
      return List.of(
          number(flows),
          different(flows, flow -> Arrays.asList(flow.target())),
          different(flows, flow -> Arrays.asList(flow.port())),
          flows.size());
    }
  }

  /** Who tried more in vain than with success, by {@link PlainRole}. */
  static final class Scans extends MoreThanUsual {
    private static final Set<Long> NEIGHBOURS =
        Set.of(67L, 68L, 137L, 138L, 546L, 547L, 1900L, 3702L, 5351L, 5353L, 5355L);

    private final boolean isFast;
    private final int least;

    private Scans(List<PlainFlow> flows, long width, long delay, int least, boolean isFast) {
      super(flows, width, delay, 0, least, "scan");
      this.least = least;
      this.isFast = isFast;
    }

    static Scans ofADay(List<PlainFlow> flows, long delay) {
      return new Scans(flows, DAY, delay, 4, false);
    }

    static Scans ofMinutes(List<PlainFlow> flows, long delay) {
      return new Scans(flows, 5 * MINUTE, delay, 10, true);
    }

    @Override
    boolean counts(PlainFlow flow) {
      boolean isBare = flow.flags() != null && (flow.flags() == 16 || flow.flags() == 17);
      return isTold(flow) && !(isFast && isBare && !PlainRole.of(flow).answered());
    }

    /** Whether it tells of an answer or of none, and looks for no neighbours. */
    static boolean isTold(PlainFlow flow) {
      PlainRole role = PlainRole.of(flow);
      if (role.answered() == null) {
        return false;
      }
      boolean isUdp = flow.protocol() == 17;
      return flow.source() != null
          && flow.target() != null
          && !(isUdp && (role.port() == null || NEIGHBOURS.contains(role.port())));
    }

    @Override
    List<?> key(PlainFlow flow) {
      return Arrays.asList(PlainRole.of(flow).client());
    }

    static List<?> target(PlainFlow flow) {
      PlainRole role = PlainRole.of(flow);
      return Arrays.asList(
          role.server(),
          role.port() == null ? Long.valueOf(65_536 + flow.protocol()) : role.port());
    }

    static List<PlainFlow> answered(List<PlainFlow> flows) {
      return flows.stream().filter(flow -> PlainRole.of(flow).answered()).toList();
    }

    static List<PlainFlow> unanswered(List<PlainFlow> flows) {
      return flows.stream().filter(flow -> !PlainRole.of(flow).answered()).toList();
    }

    static long pinged(List<PlainFlow> flows) {
      return different(
          answered(flows).stream().filter(PlainFlow::isIcmp).toList(),
          flow -> Arrays.asList(PlainRole.of(flow).server()));
    }

    @Override
    long number(List<PlainFlow> flows) {
      return different(flows, Scans::target) - different(answered(flows), Scans::target);
    }

    @Override
    boolean isShown(List<PlainFlow> group) {
      long answers = different(answered(group), Scans::target);
      return 4 * (number(group) - answers) + 3 * pinged(group) >= 4L * least;
    }

    /** Many hosts, each at a port of its own, some of which answer, are peers. */
    @Override
    String verdict(List<PlainFlow> group) {
      long answers = different(answered(group), Scans::target);
      boolean isWide = hosts(group) > 5 && ports(group) > 5 && number(group) < 2 * hosts(group);
      boolean isAnswered = isFast || 5 * answers >= number(group) + answers;
      return isWide && isAnswered ? "peers" : super.verdict(group);
    }

    private static long hosts(List<PlainFlow> flows) {
      return different(unanswered(flows), flow -> Arrays.asList(PlainRole.of(flow).server()));
    }

    private static long ports(List<PlainFlow> flows) {
      return different(unanswered(flows), flow -> Arrays.asList(PlainRole.of(flow).port()));
    }

    @Override
    List<?> shown(List<PlainFlow> flows) {
      return List.of(
          number(flows),
          different(answered(flows), Scans::target),
          pinged(flows),
          hosts(flows),
          ports(flows),
          ProgramsOfScans.shape(hosts(flows), ports(flows)),
          flows.size());
    }
  }

  static final class FanOut extends MoreThanUsual {
    FanOut(List<PlainFlow> flows, long delay) {
      super(flows, 10 * MINUTE, delay, 10, 20, "more");
    }

    @Override
    boolean counts(PlainFlow flow) {
      return flow.isSpokenTo();
    }

    @Override
    List<?> key(PlainFlow flow) {
      return Arrays.asList(flow.source(), flow.protocol(), flow.port());
    }

    @Override
    long number(List<PlainFlow> flows) {
      return different(flows, flow -> Arrays.asList(flow.target()));
    }

    @Override
    List<?> shown(List<PlainFlow> flows) {
      return Arrays.asList(number(flows), flows.size(), sum(flows, PlainFlow::estimatedBytes));
    }
  }

  static final class NewTalkers extends Program {
    NewTalkers(List<PlainFlow> flows, long delay) {
      super(flows, 5 * MINUTE, SECOND, delay);
    }

    @Override
    List<String> rows(long end) {
      Predicate<PlainFlow> isOut =
          flow -> !Boolean.FALSE.equals(flow.outgoing()) && flow.source() != null;
      List<PlainFlow> now = window(end, isOut);
      if (now.isEmpty()) {
        return null;
      }
      Set<IpAddress> known = new HashSet<>();
      flows.stream()
          .filter(flow -> flow.ended(end - 90 * DAY, end - width(), asOf(end)))
          .filter(isOut)
          .map(PlainFlow::source)
          .forEach(known::add);
      Map<List<?>, List<PlainFlow>> groups = groups(now, flow -> Arrays.asList(flow.source()));
      List<List<?>> keys = new ArrayList<>(groups.keySet());
      Function<List<?>, BigInteger> bytes = key -> sum(groups.get(key), PlainFlow::estimatedBytes);
      keys.sort(largestFirst(bytes));
      List<String> rows = new ArrayList<>();
      for (List<?> key : keys) {
        List<PlainFlow> group = groups.get(key);
        if (!known.contains((IpAddress) key.get(0))) {
          rows.add(
              Cells.line(
                  rows.size() + 1,
                  key.get(0),
                  group.size(),
                  bytes.apply(key),
                  different(group, flow -> Arrays.asList(flow.target())),
                  Cells.time(
                      group.stream()
                          .map(PlainFlow::start)
                          .filter(Objects::nonNull)
                          .min(Comparator.naturalOrder())
                          .orElse(null)),
                  null,
                  null,
                  90 - 5.0 / (24 * 60),
                  1.0,
                  "new"));
        }
      }
      return rows;
    }
  }

  static final class NewTargets extends Program {
    NewTargets(List<PlainFlow> flows) {
      super(flows, MINUTE, 0, 0);
    }

    @Override
    List<String> rows(long end) {
      List<PlainFlow> now = window(end, PlainFlow::isTry);
      if (now.isEmpty()) {
        return null;
      }
      Map<List<?>, List<PlainFlow>> groups = groups(now, flow -> Arrays.asList(flow.source()));
      List<List<?>> keys = new ArrayList<>(groups.keySet());
      Function<List<?>, Long> targets = key -> different(groups.get(key), ProgramsOfHosts::target);
      keys.removeIf(key -> targets.apply(key) < 100);
      keys.sort(Comparator.comparingLong(key -> -targets.apply(key)));
      List<String> rows = new ArrayList<>();
      for (List<?> key : keys.subList(0, Math.min(100, keys.size()))) {
        rows.add(row(end, rows.size() + 1, key.get(0), groups.get(key), targets.apply(key)));
      }
      return rows;
    }

    private String row(long end, int rank, Object source, List<PlainFlow> group, long targets) {
      Map<IpAddress, Set<Long>> ports = new HashMap<>();
      Map<IpAddress, Set<Long>> days = new HashMap<>();
      for (PlainFlow flow : flows) {
        if (source == null
            || !source.equals(flow.source())
            || !flow.isTry()
            || !flow.ended(end - DAYS * DAY, end, end)) {
          continue;
        }
        if (flow.end() >= end - MINUTE) {
          if (flow.target() != null) {
            ports
                .computeIfAbsent(flow.target(), t -> new HashSet<>())
                .add(flow.port() == null ? 0 : flow.port());
          }
        } else {
          long day = (end - flow.end() + DAY - 1) / DAY;
          days.computeIfAbsent(flow.target(), t -> new HashSet<>()).add(day);
        }
      }
      long[] fresh = {0, 0};
      long[] usual = {0, 0};
      ports.forEach(
          (peer, own) -> {
            long[] to = days.getOrDefault(peer, Set.of()).size() >= 2 ? usual : fresh;
            to[0] += own.size();
            to[1]++;
          });
      long unknown = targets - fresh[0] - usual[0];
      String verdict =
          fresh[0] >= 100 ? "scan" : fresh[0] + unknown >= 100 ? "no_history" : "usual";
      return Cells.line(
          rank,
          source,
          targets,
          group.size(),
          fresh[0],
          usual[0],
          unknown,
          fresh[1],
          usual[1],
          1.0,
          verdict);
    }
  }
}

package org.flowmon.jobs.offered;

import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

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
      BigInteger bytes = before == null ? BigInteger.ZERO : sum(before, PlainFlow::bytes);
      return Cells.line(
          rank,
          again.prefix().get(0),
          Duration.ofMinutes(again.lag()),
          again.repeats(),
          again.minutes().size(),
          again.pattern(),
          again.isRegular(),
          again.last().size(),
          sum(again.last(), PlainFlow::bytes),
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
    Beacons(List<PlainFlow> flows) {
      super(flows, 4 * HOUR, SECOND, 0);
    }

    private record Beacon(List<?> pair, List<Long> beats, List<Long> intervals, int regular) {
      double regularity() {
        return (double) regular / intervals.size();
      }
    }

    private static boolean counts(PlainFlow flow) {
      return (flow.reversePackets() != null || flow.state() != null)
          ? flow.port() != null
          : flow.isFromAHigherPort();
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
      Map<List<?>, List<PlainFlow>> pairs =
          groups(now, flow -> Arrays.asList(flow.source(), flow.target(), flow.port()));
      List<Beacon> found = new ArrayList<>();
      pairs.forEach(
          (pair, group) -> {
            Beacon beacon = beacon(pair, group);
            if (beacon != null) {
              found.add(beacon);
            }
          });
      found.sort(
          Comparator.comparing((Beacon beacon) -> -beacon.regularity())
              .thenComparing(beacon -> -beacon.beats().size()));
      List<String> rows = new ArrayList<>();
      for (Beacon beacon : found) {
        rows.add(row(rows.size() + 1, beacon, pairs.get(beacon.pair())));
      }
      return rows;
    }

    private static String row(int rank, Beacon beacon, List<PlainFlow> group) {
      List<Long> intervals = beacon.intervals();
      return Cells.line(
          rank,
          beacon.pair().get(0),
          beacon.pair().get(1),
          beacon.pair().get(2),
          Duration.of(intervals.get((intervals.size() - 1) / 2), ChronoUnit.MICROS),
          Duration.of(intervals.get(0), ChronoUnit.MICROS),
          Duration.of(intervals.get(intervals.size() - 1), ChronoUnit.MICROS),
          beacon.beats().size(),
          beacon.regularity(),
          Cells.time(beacon.beats().get(0)),
          Cells.time(beacon.beats().get(beacon.beats().size() - 1)),
          group.size(),
          sum(group, PlainFlow::bytes),
          "beacon");
    }

    /** Returns a beacon; null if the pair is none. */
    private Beacon beacon(List<?> pair, List<PlainFlow> group) {
      // The first and the last time of each minute are known.
      Map<Long, TreeSet<Long>> minutes = new TreeMap<>();
      group.stream()
          .map(Beacons::begins)
          .filter(Objects::nonNull)
          .forEach(
              time ->
                  minutes
                      .computeIfAbsent(Math.floorDiv(time, MINUTE), m -> new TreeSet<>())
                      .add(time));
      TreeSet<Long> times = new TreeSet<>();
      minutes
          .values()
          .forEach(
              minute -> {
                times.add(minute.first());
                times.add(minute.last());
              });
      List<Long> beats = new ArrayList<>();
      Long before = null;
      for (long time : times) {
        if (before == null || time - before > 10 * SECOND) {
          beats.add(time);
        }
        before = time;
      }
      if (beats.size() < 12) {
        return null;
      }
      List<Long> intervals = new ArrayList<>();
      for (int i = 1; i < beats.size(); i++) {
        intervals.add(beats.get(i) - beats.get(i - 1));
      }
      intervals.sort(Comparator.naturalOrder());
      long median = intervals.get((intervals.size() - 1) / 2);
      int regular =
          (int) intervals.stream().filter(i -> 10 * Math.abs(i - median) <= 3 * median).count();
      boolean isLong = 2 * (beats.get(beats.size() - 1) - beats.get(0)) >= width();
      return 10 * regular >= 9 * intervals.size() && isLong
          ? new Beacon(pair, beats, intervals, regular)
          : null;
    }
  }
}

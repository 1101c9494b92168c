package org.flowmon.jobs.offered;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The expected report of a bundled or offered analysis on a window, by plain lists and maps over
 * all flows, which begin before any time that it asks for.
 */
abstract class Program {
  static final long SECOND = 1_000_000L;
  static final long MINUTE = 60 * SECOND;
  static final long HOUR = 60 * MINUTE;
  static final long DAY = 24 * HOUR;
  static final int DAYS = 7;

  final List<PlainFlow> flows;
  private final long width;
  private final long lateness;
  private final long delay;

  /**
   * Creates a program.
   *
   * @param delay how long before a window's end history is seen
   */
  Program(List<PlainFlow> flows, long width, long lateness, long delay) {
    this.flows = flows;
    this.width = width;
    this.lateness = lateness;
    this.delay = delay;
  }

  /** Returns the rows of the report; null if there is none, as the window has no flow of it. */
  abstract List<String> rows(long end);

  final long width() {
    return width;
  }

  final long asOf(long end) {
    return end - delay;
  }

  final List<PlainFlow> window(long end, Predicate<PlainFlow> which) {
    return flows.stream()
        .filter(flow -> flow.isIn(end - width, end, lateness) && which.test(flow))
        .toList();
  }

  /** Returns groups by keys that may have nulls, in the order of the keys. */
  static Map<List<?>, List<PlainFlow>> groups(
      List<PlainFlow> flows, Function<PlainFlow, List<?>> key) {
    Map<List<?>, List<PlainFlow>> groups = new TreeMap<>(Cells.BY_KEYS);
    flows.forEach(
        flow -> groups.computeIfAbsent(key.apply(flow), k -> new ArrayList<>()).add(flow));
    return groups;
  }

  /** Returns the flows of each of the days before, in the hour of this time of day; from 1 on. */
  final List<List<PlainFlow>> days(long end, Predicate<PlainFlow> which) {
    List<List<PlainFlow>> days = new ArrayList<>();
    for (int day = 0; day <= DAYS; day++) {
      days.add(new ArrayList<>());
    }
    for (PlainFlow flow : flows) {
      int day = flow.dayInHour(end, DAYS, asOf(end));
      if (day > 0 && which.test(flow)) {
        days.get(day).add(flow);
      }
    }
    return days;
  }

  /** Returns the sum of known values; null if none is known. */
  static BigInteger sum(Collection<PlainFlow> flows, Function<PlainFlow, Long> value) {
    List<Long> known = flows.stream().map(value).filter(Objects::nonNull).toList();
    return known.isEmpty()
        ? null
        : known.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
  }

  /** Returns the number of different rows of known values. */
  static long different(Collection<PlainFlow> flows, Function<PlainFlow, List<?>> values) {
    return flows.stream()
        .map(values)
        .filter(list -> list.stream().allMatch(Objects::nonNull))
        .collect(Collectors.toSet())
        .size();
  }

  static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int n = sorted.size();
    return (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2;
  }

  /** Orders by value, the largest first, unknown ones last; equal ones keep their order. */
  static <T> Comparator<T> largestFirst(Function<T, BigInteger> value) {
    return Comparator.comparing(value, Comparator.nullsLast(Comparator.<BigInteger>reverseOrder()));
  }
}

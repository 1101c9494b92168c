package org.flowmon.deploy.demo;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.flowmon.deploy.demo.service.DemoAnalyses;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.ingest.synthetic.Incidents;

/**
 * Holds what reports find against what is planted. Only rows that are out of the ordinary count: of
 * a party to something planted they are true, of anybody else false. Not thread-safe.
 */
final class Detection {
  private final List<Incidents.Planted> planted;
  private final Set<IpAddress> parties = new TreeSet<>();
  private final Consumer<String> out;
  private final Map<String, Found> found = new LinkedHashMap<>();
  private final Set<String> falses = new TreeSet<>();
  private final Map<String, String> firstWindows = new HashMap<>();
  private long startMillis = Long.MAX_VALUE;
  private long endMillis = Long.MAX_VALUE;
  private long toldMillis;

  /** Which analysis found something first, and how long after it began. */
  record Found(String analysis, double seconds) {}

  /**
   * The result.
   *
   * @param names of what was planted and began, in this order
   * @param found by name
   * @param falses rows out of the ordinary of nobody planted, by analysis and subject
   */
  record Score(List<String> names, Map<String, Found> found, Set<String> falses) {
    static final Score NONE = new Score(List.of(), Map.of(), Set.of());

    int missed() {
      return names.size() - found.size();
    }
  }

  /** {@code out} takes lines for people. */
  Detection(Incidents incidents, Consumer<String> out) {
    this(incidents.planted(), incidents.beaconPeer(), out);
  }

  private Detection(List<Incidents.Planted> planted, IpAddress peer, Consumer<String> out) {
    this.planted = planted;
    this.out = out;
    parties.add(peer); // its answers come as regularly
    planted.forEach(one -> parties.add(one.subject()));
  }

  /** Of traffic of which nothing is known. */
  static Detection none() {
    return new Detection(List.of(), IpAddress.parse("::"), line -> {});
  }

  boolean hasTruth() {
    return !planted.isEmpty();
  }

  void begin(long nowMillis, Duration length) {
    startMillis = nowMillis;
    endMillis = nowMillis + length.toMillis();
    toldMillis = nowMillis;
  }

  private long begin(Incidents.Planted one) {
    return startMillis + one.after().toMillis();
  }

  private boolean isWithin(Incidents.Planted one) {
    return startMillis != Long.MAX_VALUE && begin(one) < endMillis;
  }

  /** Tells what has begun since the last call. */
  void tick(long nowMillis) {
    for (Incidents.Planted one : planted) {
      if (isWithin(one) && begin(one) > toldMillis && begin(one) <= nowMillis) {
        out.accept(
            String.format(
                Locale.ROOT,
                "%4d s  PLANTED %s: %s",
                one.after().toSeconds(),
                one.name(),
                one.what()));
      }
    }
    toldMillis = Math.max(toldMillis, nowMillis);
  }

  /** Takes a row that is out of the ordinary, of a window by its name and end. */
  void row(String analysis, String subject, String window, long windowEndMillis, long nowMillis) {
    firstWindows.putIfAbsent(analysis + ' ' + subject, window);
    if (!hasTruth()) {
      return;
    }
    DemoAnalyses.Finder finder =
        DemoAnalyses.of(analysis).orElse(new DemoAnalyses.Finder(analysis, "", ""));
    for (Incidents.Planted one : planted) {
      if (one.name().equals(finder.finds())
          && one.subject().toString().equals(subject)
          && isWithin(one)
          && !found.containsKey(one.name())) {
        double seconds = Math.max(0, nowMillis - begin(one)) / 1e3;
        found.put(one.name(), new Found(analysis, seconds));
        out.accept(
            String.format(
                Locale.ROOT,
                "%4d s  FOUND   %s: %s, by %s %.1f s after it began",
                (nowMillis - startMillis) / 1000,
                one.name(),
                subject,
                analysis,
                seconds));
      }
    }
    if (!isTrue(finder, subject, windowEndMillis)) {
      falses.add(analysis + ' ' + subject);
    }
  }

  private boolean isTrue(DemoAnalyses.Finder finder, String subject, long windowEndMillis) {
    if (finder.subject().isEmpty()) { // the traffic as a whole has changed since the first began
      return planted.stream().anyMatch(one -> isWithin(one) && begin(one) < windowEndMillis);
    }
    if (subject.contains("/")) {
      IpPrefix prefix = IpPrefix.parse(subject);
      return parties.stream().anyMatch(one -> prefix.contains(one.hi(), one.lo()));
    }
    IpAddress address = IpAddress.parseOrNull(subject);
    return address != null
        && parties.stream()
            .anyMatch(party -> party.equals(address) || isNetworkOf(finder, address, party));
  }

  /** Networks of 24 bits may be given by their first addresses. */
  private static boolean isNetworkOf(
      DemoAnalyses.Finder finder, IpAddress network, IpAddress party) {
    return finder.subject().equals("prefix")
        && network.isIpv4()
        && IpPrefix.parse(network + "/24").contains(party.hi(), party.lo());
  }

  /** Whether a subject was out of the ordinary first in this window. */
  boolean isNews(String analysis, String subject, String window) {
    return !hasTruth() || window.equals(firstWindows.get(analysis + ' ' + subject));
  }

  Score score() {
    List<String> names =
        planted.stream().filter(this::isWithin).map(Incidents.Planted::name).toList();
    return new Score(names, new LinkedHashMap<>(found), new TreeSet<>(falses));
  }
}

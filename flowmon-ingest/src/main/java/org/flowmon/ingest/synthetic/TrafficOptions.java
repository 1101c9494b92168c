package org.flowmon.ingest.synthetic;

import java.time.Duration;

/**
 * The shape of synthetic traffic.
 *
 * @param insideHosts hosts in the protected networks, 100 … 65,536
 * @param outsideHosts 100 … 131,072
 * @param zipfExponent skew of the hosts' activity; 0 is uniform, 1 is classic Zipf
 * @param ipv6Share share of conversations in IPv6, 0 … 1
 * @param paretoShape tail of the byte counts; the smaller, the heavier
 * @param incidentsAfter time from the start of the live part to the first incident
 * @param beaconPeriod mean time between two beacons
 * @param exportDelayMin from a flow's end to its export, as is {@code exportDelayMax}
 * @param acquaintances the most servers that an inside host talks with; 0: any. With it the history
 *     has each conversation of the live part, and there are more {@link Incidents#planted}
 */
public record TrafficOptions(
    int insideHosts,
    int outsideHosts,
    double zipfExponent,
    double ipv6Share,
    double paretoShape,
    Duration incidentsAfter,
    Duration beaconPeriod,
    Duration exportDelayMin,
    Duration exportDelayMax,
    int acquaintances) {

  public TrafficOptions {
    requireRange("acquaintances", acquaintances, 0, 1_000);
    requireRange("inside hosts", insideHosts, 100, 65_536);
    requireRange("outside hosts", outsideHosts, 100, 131_072);
    requireRange("Zipf exponent", zipfExponent, 0.0, 3.0);
    requireRange("IPv6 share", ipv6Share, 0.0, 1.0);
    requireRange("Pareto shape", paretoShape, 1.01, 10.0);
    requireRange("seconds to the first incident", incidentsAfter.toSeconds(), 0, 86_400);
    requireRange("beacon period in ms", beaconPeriod.toMillis(), 100, 3_600_000);
    requireRange("least export delay in ms", exportDelayMin.toMillis(), 0, 3_600_000);
    requireRange(
        "largest export delay in ms",
        exportDelayMax.toMillis(),
        exportDelayMin.toMillis(),
        3_600_000);
  }

  private static void requireRange(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + ": " + value + " is outside " + min + "…" + max);
    }
  }

  private static void requireRange(String what, double value, double min, double max) {
    if (!(value >= min && value <= max)) {
      throw new IllegalArgumentException(what + ": " + value + " is outside " + min + "…" + max);
    }
  }

  /** 2,000 and 20,000 hosts, 10 % IPv6, incidents after 10 s, export 0.1 … 0.6 s after the end. */
  public static TrafficOptions defaults() {
    return new TrafficOptions(
        2_000,
        20_000,
        0.8,
        0.1,
        1.2,
        Duration.ofSeconds(10),
        Duration.ofSeconds(5),
        Duration.ofMillis(100),
        Duration.ofMillis(600),
        0);
  }

  /** The defaults among acquaintances, with everything planted. */
  public static TrafficOptions demo() {
    TrafficOptions d = defaults();
    return new TrafficOptions(
        d.insideHosts,
        d.outsideHosts,
        d.zipfExponent,
        d.ipv6Share,
        d.paretoShape,
        d.incidentsAfter,
        d.beaconPeriod,
        d.exportDelayMin,
        d.exportDelayMax,
        24);
  }

  public TrafficOptions withHosts(int inside, int outside, double exponent) {
    return new TrafficOptions(
        inside,
        outside,
        exponent,
        ipv6Share,
        paretoShape,
        incidentsAfter,
        beaconPeriod,
        exportDelayMin,
        exportDelayMax,
        acquaintances);
  }

  public TrafficOptions withExportDelay(Duration min, Duration max) {
    return new TrafficOptions(
        insideHosts,
        outsideHosts,
        zipfExponent,
        ipv6Share,
        paretoShape,
        incidentsAfter,
        beaconPeriod,
        min,
        max,
        acquaintances);
  }

  Conversations conversations() {
    return new Conversations(
        Conversations.SERVICES,
        ipv6Share,
        Conversations.Sizes.of(paretoShape),
        exportDelayMin,
        exportDelayMax);
  }
}

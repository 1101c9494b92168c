package org.flowmon.ingest.synthetic;

import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/**
 * A network's traffic from a seed: Zipf-distributed hosts inside and outside, services,
 * heavy-tailed byte counts with matching packets, a daily swing, and {@link Incidents} in the live
 * part.
 *
 * <p>Conversations are exported as by routers, one flow for each way. Two heavy talkers are equally
 * heavy every day: a content network all day, a backup around the live part's time of day. The live
 * part has a new one that was quiet before. {@link #live} and {@link #history} begin streams, each
 * reproducible from the seed on its own; the model holds tables only.
 */
public final class TrafficModel {
  private static final long LIVE = 1;
  private static final long HISTORY = 2;
  private static final long ADDRESSES = 3;

  private final long seed;
  private final TrafficOptions options;
  private final Incidents incidents;
  private final int beaconHost;
  private final ZipfSampler inside;
  private final ZipfSampler outside;

  public TrafficModel(long seed, TrafficOptions options) {
    this.seed = seed;
    this.options = options;
    this.inside = new ZipfSampler(options.insideHosts(), options.zipfExponent());
    this.outside = new ZipfSampler(options.outsideHosts(), options.zipfExponent());
    SplittableRandom random = random(ADDRESSES);
    this.beaconHost = options.insideHosts() / 2 + random.nextInt(options.insideHosts() / 2);
    this.incidents =
        new Incidents(
            options.incidentsAfter(),
            IpAddress.ofIpv4(0xCB00_7100 | (2 + random.nextInt(60))), // 203.0.113.2 …
            new IpAddress(0, Hosts.insideV4(beaconHost)),
            IpAddress.ofIpv4(0xC633_6400 | (2 + random.nextInt(250))), // 198.51.100.2 …
            options.beaconPeriod(),
            IpAddress.ofIpv4(0xCB00_7100 | (66 + random.nextInt(60))), // 203.0.113.66 …
            List.of(
                IpAddress.ofIpv4(0xC000_0200 | (2 + random.nextInt(60))), // 192.0.2.2 …
                IpAddress.ofIpv4(0xC000_0200 | (66 + random.nextInt(60))))); // 192.0.2.66 …
  }

  public static List<IpPrefix> protectedNetworks() {
    return Hosts.PROTECTED;
  }

  public TrafficOptions options() {
    return options;
  }

  public Incidents incidents() {
    return incidents;
  }

  /** The load at a time (ms since 1970), around 1 on average: 1.6 at 14:00 UTC, 0.4 at 02:00. */
  static double busyness(long millis) {
    double dayPart = Math.floorMod(millis, 86_400_000L) / 86_400_000.0;
    return 1 + 0.6 * Math.cos(2 * Math.PI * (dayPart - 14.0 / 24));
  }

  public FlowStream live(long startMillis) {
    SplittableRandom random = random(LIVE);
    return new LiveTraffic(this, crowd(random), random, startMillis);
  }

  /** The backup shares the live start's hour of day. */
  HistoricTraffic history(long liveStartMillis) {
    SplittableRandom random = random(HISTORY);
    return new HistoricTraffic(this, crowd(random), random, liveStartMillis);
  }

  private OrdinaryTraffic crowd(SplittableRandom random) {
    return new OrdinaryTraffic(inside, outside, options.conversations(), random);
  }

  int beaconHost() {
    return beaconHost;
  }

  private SplittableRandom random(long part) {
    return Seed.random(seed, part);
  }
}

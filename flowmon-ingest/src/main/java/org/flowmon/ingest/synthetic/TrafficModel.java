package org.flowmon.ingest.synthetic;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
  private static final long ACQUAINTANCES = 4;

  private final long seed;
  private final TrafficOptions options;
  private final Incidents incidents;
  private final int beaconHost;
  private final int victim;
  private final Optional<Acquaintances> acquaintances;
  private final ZipfSampler inside;
  private final ZipfSampler outside;

  public TrafficModel(long seed, TrafficOptions options) {
    this.seed = seed;
    this.options = options;
    this.inside = new ZipfSampler(options.insideHosts(), options.zipfExponent());
    this.outside = new ZipfSampler(options.outsideHosts(), options.zipfExponent());
    SplittableRandom random = random(ADDRESSES);
    this.beaconHost = options.insideHosts() / 2 + random.nextInt(options.insideHosts() / 2);
    IpAddress scanner = IpAddress.ofIpv4(0xCB00_7100 | (2 + random.nextInt(60))); // 203.0.113.2 …
    IpAddress caller = new IpAddress(0, Hosts.insideV4(beaconHost));
    IpAddress peer = IpAddress.ofIpv4(0xC633_6400 | (2 + random.nextInt(250))); // 198.51.100.2 …
    IpAddress talker = IpAddress.ofIpv4(0xCB00_7100 | (66 + random.nextInt(60))); // 203.0.113.66 …
    List<IpAddress> regular =
        List.of(
            IpAddress.ofIpv4(0xC000_0200 | (2 + random.nextInt(60))), // 192.0.2.2 …
            IpAddress.ofIpv4(0xC000_0200 | (66 + random.nextInt(60)))); // 192.0.2.66 …
    IpAddress slow = IpAddress.ofIpv4(0xCB00_7100 | (130 + random.nextInt(60))); // 203.0.113.130 …
    this.victim = options.insideHosts() / 2 - 1 - random.nextInt(options.insideHosts() / 4);
    this.acquaintances =
        options.acquaintances() == 0
            ? Optional.empty()
            : Optional.of(
                new Acquaintances(
                    options, outside, options.acquaintances(), random(ACQUAINTANCES)));
    this.incidents =
        new Incidents(
            options.incidentsAfter(),
            scanner,
            caller,
            peer,
            options.beaconPeriod(),
            talker,
            regular,
            planted(scanner, caller, peer, talker, slow));
  }

  private List<Incidents.Planted> planted(
      IpAddress scanner, IpAddress caller, IpAddress peer, IpAddress talker, IpAddress slow) {
    Duration after = options.incidentsAfter();
    Incidents.Planted beacon =
        new Incidents.Planted(
            Incidents.BEACON,
            caller + " calls " + peer + " every " + options.beaconPeriod().toSeconds() + " s",
            after,
            caller);
    boolean isDemo = options.acquaintances() > 0;
    Incidents.Planted heavy =
        new Incidents.Planted(
            Incidents.HEAVY_TALKER,
            talker + " sends more than any other, and was quiet before",
            isDemo ? after.plusSeconds(3) : after,
            talker);
    Incidents.Planted scan =
        new Incidents.Planted(
            Incidents.SCAN,
            scanner + " tries the ports of 64 hosts, 1 of 100 flows",
            isDemo ? after.plusSeconds(8) : after,
            scanner);
    if (!isDemo) {
      return List.of(heavy, scan, beacon);
    }
    IpAddress fresh = new IpAddress(0, Hosts.insideV4(newTalker()));
    return List.of(
        beacon,
        new Incidents.Planted(
            Incidents.SLOW_SCAN, slow + " tries ssh at another host each second", after, slow),
        heavy,
        scan,
        new Incidents.Planted(
            Incidents.NEW_TALKER,
            fresh + " sends, and never did before",
            after.plusSeconds(13),
            fresh),
        new Incidents.Planted(
            Incidents.DDOS,
            "time servers answer " + new IpAddress(0, Hosts.insideV4(victim)) + ", unasked",
            after.plusSeconds(18),
            new IpAddress(0, Hosts.insideV4(victim))));
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
    return new OrdinaryTraffic(inside, outside, options.conversations(), acquaintances, random);
  }

  int beaconHost() {
    return beaconHost;
  }

  /** The inside host that a DDoS hits. */
  int victim() {
    return victim;
  }

  /** An inside host beyond those of the crowd. */
  int newTalker() {
    return options.insideHosts();
  }

  /** Conversations that the history should have; 0 if anybody may talk with anybody. */
  int conversations() {
    return acquaintances.map(Acquaintances::count).orElse(0);
  }

  private SplittableRandom random(long part) {
    return Seed.random(seed, part);
  }
}

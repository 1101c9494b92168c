package org.flowmon.ingest.synthetic;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.flowmon.flow.IpAddress;

/**
 * The ground truth for analyses of the live part of synthetic traffic.
 *
 * @param after time from the start of the live part to the incidents' begin
 * @param scanner outside source that probes many (destination, port) pairs with single packets
 * @param beaconHost inside host that calls {@code beaconPeer} again and again
 * @param beaconPeer the called outside host, which has no other peers
 * @param beaconPeriod mean time between two calls; each is within ± 5 % of it
 * @param newHeavyTalker outside source, quiet in history, that now sends more than any other
 * @param regularHeavyTalkers outside sources that were as heavy at this time on every day before
 * @param planted all of them in the order of their begins; without acquaintances the first three
 */
public record Incidents(
    Duration after,
    IpAddress scanner,
    IpAddress beaconHost,
    IpAddress beaconPeer,
    Duration beaconPeriod,
    IpAddress newHeavyTalker,
    List<IpAddress> regularHeavyTalkers,
    List<Planted> planted) {
  /** The names of what is planted. */
  public static final String HEAVY_TALKER = "heavy_talker";

  public static final String SCAN = "scan";
  public static final String SLOW_SCAN = "slow_scan";
  public static final String BEACON = "beacon";
  public static final String NEW_TALKER = "new_talker";
  public static final String DDOS = "ddos";

  /**
   * Something planted.
   *
   * @param what for people, with its parties
   * @param after time from the start of the live part to its begin
   * @param subject who is to be found: the source, of a DDoS the victim
   */
  public record Planted(String name, String what, Duration after, IpAddress subject) {}

  public Incidents {
    regularHeavyTalkers = List.copyOf(regularHeavyTalkers);
    planted = List.copyOf(planted);
  }

  /** Empty if nothing of that name is planted. */
  Optional<Planted> planted(String name) {
    return planted.stream().filter(one -> one.name().equals(name)).findFirst();
  }
}

package org.flowmon.ingest.synthetic;

import java.time.Duration;
import java.util.List;
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
 */
public record Incidents(
    Duration after,
    IpAddress scanner,
    IpAddress beaconHost,
    IpAddress beaconPeer,
    Duration beaconPeriod,
    IpAddress newHeavyTalker,
    List<IpAddress> regularHeavyTalkers) {

  public Incidents {
    regularHeavyTalkers = List.copyOf(regularHeavyTalkers);
  }
}

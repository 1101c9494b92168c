package org.flowmon.ingest.synthetic;

import java.time.Duration;
import java.util.List;
import org.flowmon.flow.IpAddress;

/**
 * The incidents in the live part of synthetic traffic: the ground truth for analyses.
 *
 * @param after time from the start of the live part to the incidents' begin
 * @param scanner outside source that probes many (destination, port) pairs with single packets
 * @param beaconHost inside host that calls {@code beaconPeer} again and again
 * @param beaconPeer the called outside host, which has no other peers
 * @param beaconPeriod mean time between two calls; each time between two is within ± 5 % of it
 * @param newHeavyTalker outside source that was quiet in history and now sends more than any other
 * @param regularHeavyTalkers outside sources that are as heavy now as at this time on every day
 *     before
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

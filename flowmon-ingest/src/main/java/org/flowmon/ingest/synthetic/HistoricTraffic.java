package org.flowmon.ingest.synthetic;

import java.util.SplittableRandom;

/** The crowd, the regular heavy talkers at their hours, and the later new one as a quiet host. */
final class HistoricTraffic implements FlowStream {
  /** Of the flows, with acquaintances: each of these talks in turn, however quiet it is. */
  static final double ROLL_SHARE = 0.5;

  private static final int QUIET_FLOWS = 10;
  private static final int QUIET_BYTES = 2_000;
  private static final long DAY = 86_400_000L;
  private static final long HOUR = 3_600_000L;

  private final Incidents incidents;
  private final OrdinaryTraffic crowd;
  private final SplittableRandom random;
  private final long backupFrom;
  private final double rollShare;
  private boolean isRollCall;

  HistoricTraffic(
      TrafficModel model, OrdinaryTraffic crowd, SplittableRandom random, long liveStartMillis) {
    this.incidents = model.incidents();
    this.crowd = crowd;
    this.random = random;
    this.rollShare = model.conversations() == 0 ? 0 : ROLL_SHARE;
    this.backupFrom = Math.floorMod(liveStartMillis - HOUR, DAY);
  }

  @Override
  public void next(long nowMillis, SyntheticFlow flow) {
    isRollCall = false;
    int role = random.nextInt((int) (10_000 / (1 - rollShare)));
    if ((role -= LiveTraffic.CONTENT_FLOWS) < 0) {
      crowd.bulk(
          nowMillis, flow, incidents.regularHeavyTalkers().get(0), 443, LiveTraffic.CONTENT_BYTES);
    } else if ((role -= LiveTraffic.BACKUP_FLOWS) < 0 && backupRuns(nowMillis)) {
      crowd.bulk(
          nowMillis, flow, incidents.regularHeavyTalkers().get(1), 873, LiveTraffic.BACKUP_BYTES);
    } else if (role >= 0 && (role -= QUIET_FLOWS) < 0) {
      crowd.bulk(nowMillis, flow, incidents.newHeavyTalker(), 443, QUIET_BYTES);
    } else if (rollShare > 0 && !crowd.isReplyDue() && random.nextDouble() < rollShare) {
      crowd.rollCall(nowMillis, flow);
      isRollCall = true;
    } else {
      crowd.next(nowMillis, flow);
      isRollCall = crowd.isRollCall();
    }
  }

  /** Whether the last flow only shows that there is such a conversation. */
  boolean isRollCall() {
    return isRollCall;
  }

  double rollShare() {
    return rollShare;
  }

  /** From an hour before the live part's time of day to four after, for a longer run, too. */
  private boolean backupRuns(long millis) {
    return Math.floorMod(millis - backupFrom, DAY) < 5 * HOUR;
  }
}

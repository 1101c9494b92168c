package org.flowmon.ingest.synthetic.scenario;

import java.time.Duration;
import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * An inside host calls an outside one again and again, and is answered.
 *
 * @param jitter how far from the period a gap may be, as a share of it
 * @param bytes of each way, within ± 5 %
 */
public record Beacon(
    When when,
    IpAddress source,
    IpAddress target,
    int port,
    Duration period,
    double jitter,
    long bytes)
    implements Attack {
  public static final String TYPE = "beacon";

  private static final int PACKET = 100;
  private static final int DURATION_MILLIS = 120;

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public AttackStream flows(double fromMillis, double toMillis, SplittableRandom random) {
    double first = fromMillis + random.nextDouble() * period.toMillis();
    return new Calls(this, first, toMillis, random);
  }

  private static final class Calls extends AttackStream {
    private final Beacon beacon;
    private int clientPort;
    private boolean answerIsDue;

    Calls(Beacon beacon, double first, double to, SplittableRandom random) {
      super(first, to, random);
      this.beacon = beacon;
    }

    @Override
    double write(SyntheticFlow flow, long endMillis) {
      long bytes = Math.round(beacon.bytes * (0.95 + 0.1 * random.nextDouble()));
      long packets = (bytes + PACKET - 1) / PACKET;
      clientPort = answerIsDue ? clientPort : clientPort();
      parties(flow, beacon.source, beacon.target.hi(), beacon.target.lo(), true);
      service(flow, SyntheticFlow.TCP, clientPort, beacon.port, WHOLE);
      counts(flow, bytes, packets, endMillis, DURATION_MILLIS);
      if (!answerIsDue) {
        answerIsDue = true;
        return 0;
      }
      answerIsDue = false;
      flow.reverse(bytes, packets);
      double around = 1 + beacon.jitter * (2 * random.nextDouble() - 1);
      return beacon.period.toMillis() * around;
    }
  }
}

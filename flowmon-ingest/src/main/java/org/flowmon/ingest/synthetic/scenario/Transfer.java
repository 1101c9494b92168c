package org.flowmon.ingest.synthetic.scenario;

import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * Much data from one host to another in a few TCP flows, evenly over its time, each with the
 * acknowledgements of the other way.
 *
 * @param outgoing from inside to outside (exfiltration), or the other way (an elephant)
 * @param bytes of all flows from the source together
 */
public record Transfer(
    When when,
    boolean outgoing,
    IpAddress source,
    IpAddress target,
    int port,
    long bytes,
    int flows)
    implements Attack {
  public static final String EXFILTRATION = "exfiltration";
  public static final String ELEPHANT = "elephant";

  private static final int PACKET = 1_400;
  private static final int ACKNOWLEDGEMENT = 80; // room for IPv6

  @Override
  public String type() {
    return outgoing ? EXFILTRATION : ELEPHANT;
  }

  @Override
  public AttackStream flows(double fromMillis, double toMillis, SplittableRandom random) {
    double length = (toMillis - fromMillis) / flows;
    // The last one is exported before the end.
    return new Parts(this, fromMillis + length * 0.99, length, toMillis, random);
  }

  private static final class Parts extends AttackStream {
    private final Transfer transfer;
    private final double length;
    private long left;
    private int done;
    private int clientPort;
    private long packets;
    private boolean answerIsDue;

    Parts(Transfer transfer, double first, double length, double to, SplittableRandom random) {
      super(first, to, random);
      this.transfer = transfer;
      this.length = length;
      this.left = transfer.bytes;
    }

    @Override
    double write(SyntheticFlow flow, long endMillis) {
      clientPort = answerIsDue ? clientPort : clientPort();
      IpAddress inside = transfer.outgoing ? transfer.source : transfer.target;
      IpAddress outside = transfer.outgoing ? transfer.target : transfer.source;
      parties(flow, inside, outside.hi(), outside.lo(), transfer.outgoing);
      // Inside is the client in any case.
      int from = transfer.outgoing ? clientPort : transfer.port;
      int to = transfer.outgoing ? transfer.port : clientPort;
      service(flow, SyntheticFlow.TCP, from, to, WHOLE);
      long duration = (long) (length * 0.98);
      if (answerIsDue) {
        answerIsDue = false;
        counts(flow, 0, 0, endMillis, duration);
        flow.reverse(Math.max(1, packets / 2) * ACKNOWLEDGEMENT, Math.max(1, packets / 2));
        flow.tcpFlags = ACK;
        done++;
        return done < transfer.flows ? length : Double.POSITIVE_INFINITY;
      }
      long bytes = part();
      left -= bytes;
      packets = (bytes + PACKET - 1) / PACKET;
      counts(flow, bytes, packets, endMillis, duration);
      answerIsDue = true;
      return 0;
    }

    /** An even share of what is left, within ± 20 %; the last part is all of it. */
    private long part() {
      int parts = transfer.flows - done;
      double share = (double) left / parts;
      return parts == 1 ? left : Math.max(1, (long) (share * (0.8 + 0.4 * random.nextDouble())));
    }
  }
}

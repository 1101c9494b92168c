package org.flowmon.ingest.synthetic.scenario;

import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.Hosts;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * One source tries each port of each host once, all hosts before the next port, by one packet: a
 * port scan with one host, a sweep with one port.
 *
 * @param target the first of consecutive addresses
 * @param protocol 6, 17 or 1 (then without ports)
 * @param answered share of tries that are refused by a flow of their own, 0 … 1
 */
public record Scan(
    When when,
    IpAddress source,
    IpAddress target,
    int hosts,
    int firstPort,
    int ports,
    int protocol,
    double flowsPerSecond,
    double answered)
    implements Attack {
  public static final String TYPE = "scan";

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public AttackStream flows(double fromMillis, double toMillis, SplittableRandom random) {
    return new Tries(this, fromMillis, toMillis, random);
  }

  private static final class Tries extends AttackStream {
    private final Scan scan;
    private final long tries;
    private long done;
    private boolean refusalIsDue;

    Tries(Scan scan, double from, double to, SplittableRandom random) {
      super(from, to, random);
      this.scan = scan;
      this.tries = (long) scan.hosts * (scan.protocol == SyntheticFlow.ICMP ? 1 : scan.ports);
    }

    @Override
    double write(SyntheticFlow flow, long endMillis) {
      int port = scan.firstPort + (int) (done / scan.hosts);
      IpAddress host = new IpAddress(scan.target.hi(), scan.target.lo() + done % scan.hosts);
      parties(flow, host, scan.source.hi(), scan.source.lo(), false);
      flow.outgoing = Hosts.isInside(flow.srcHi, flow.srcLo);
      service(flow, scan.protocol, 55_555, port, SYN);
      counts(flow, flow.isIpv4() ? 44 : 64, 1, endMillis, 0);
      if (refusalIsDue) {
        refusalIsDue = false;
        refuse(flow);
        flow.outgoing = true;
      } else if (random.nextDouble() < scan.answered) {
        refusalIsDue = true;
        return 0;
      }
      done++;
      return done < tries ? gap(scan.flowsPerSecond) : Double.POSITIVE_INFINITY;
    }
  }
}

package org.flowmon.ingest.synthetic.scenario;

import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.Hosts;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * A distributed denial of service: many sources send to one inside host.
 *
 * @param sources outside hosts, drawn uniformly; at most 131,072
 */
public record Flood(
    When when, Kind kind, IpAddress target, int port, int sources, double flowsPerSecond)
    implements Attack {
  public static final String TYPE = "ddos";

  /** What is sent. */
  public enum Kind {
    /** A SYN or a few, from forged ports. */
    SYN,
    /** Up to a hundred packets of UDP. */
    UDP,
    /** Large answers of DNS servers to questions that the target never asked. */
    AMPLIFICATION
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public AttackStream flows(double fromMillis, double toMillis, SplittableRandom random) {
    return new Packets(this, fromMillis, toMillis, random);
  }

  private static final class Packets extends AttackStream {
    private final Flood flood;

    Packets(Flood flood, double from, double to, SplittableRandom random) {
      super(from, to, random);
      this.flood = flood;
    }

    @Override
    double write(SyntheticFlow flow, long endMillis) {
      int source = random.nextInt(flood.sources);
      boolean ipv4 = flood.target.isIpv4();
      parties(
          flow,
          flood.target,
          ipv4 ? 0 : Hosts.outsideV6High(source),
          ipv4 ? Hosts.outsideV4(source) : Hosts.v6Low(source),
          false);
      flow.insideHost = source; // it comes by all routers
      switch (flood.kind) {
        case SYN -> {
          service(flow, SyntheticFlow.TCP, 1_024 + random.nextInt(64_512), flood.port, SYN);
          int packets = 1 + random.nextInt(3);
          counts(flow, packets * (ipv4 ? 44L : 64L), packets, endMillis, packets == 1 ? 0 : 900);
        }
        case UDP -> {
          service(flow, SyntheticFlow.UDP, clientPort(), flood.port, 0);
          int packets = 1 + random.nextInt(100);
          counts(flow, packets * 512L, packets, endMillis, packets * 5L);
        }
        default -> {
          service(flow, SyntheticFlow.UDP, 53, clientPort(), 0);
          int packets = 2 + random.nextInt(20);
          counts(flow, packets * 1_400L, packets, endMillis, packets * 10L);
        }
      }
      return gap(flood.flowsPerSecond);
    }
  }
}

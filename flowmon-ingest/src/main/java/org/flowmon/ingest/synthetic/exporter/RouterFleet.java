package org.flowmon.ingest.synthetic.exporter;

import java.util.List;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/** Which of some routers a flow passes, and what that router sees of it. */
public final class RouterFleet {
  /** No router exports the flow. */
  public static final int NONE = -1;

  private final SimulatedRouter[] routers;
  private final int[] routerOfHost;
  private final PacketSampler sampler;

  public RouterFleet(List<SimulatedRouter> routers, PacketSampler sampler) {
    if (routers.isEmpty()) {
      throw new IllegalArgumentException("no exporter was given");
    }
    this.routers = routers.toArray(SimulatedRouter[]::new);
    this.routerOfHost = byWeight(routers);
    this.sampler = sampler;
  }

  private static int[] byWeight(List<SimulatedRouter> routers) {
    int[] slots = new int[routers.stream().mapToInt(SimulatedRouter::weight).sum()];
    int at = 0;
    for (int r = 0; r < routers.size(); r++) {
      for (int w = 0; w < routers.get(r).weight(); w++) {
        slots[at++] = r;
      }
    }
    return slots;
  }

  /** The router's number, or {@link #NONE}; the flow becomes what it sees, by its clock. */
  public int observe(SyntheticFlow flow) {
    int first = routerOfHost[Math.floorMod(flow.insideHost, routerOfHost.length)];
    for (int i = 0; i < routers.length; i++) {
      int number = (first + i) % routers.length;
      SimulatedRouter router = routers[number];
      if (router.accepts(flow)) {
        if (!sampler.sees(flow, router.samplingRate())) {
          return NONE;
        }
        flow.startMillis += router.clockSkewMillis();
        flow.endMillis += router.clockSkewMillis();
        return number;
      }
    }
    return NONE;
  }
}

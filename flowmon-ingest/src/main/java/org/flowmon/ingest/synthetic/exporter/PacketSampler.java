package org.flowmon.ingest.synthetic.exporter;

import java.util.SplittableRandom;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/** Which packets of a flow a router sees. */
public interface PacketSampler {
  /** At least one of each flow, so that every flow is exported. */
  PacketSampler OF_EVERY_FLOW =
      (flow, rate) -> {
        flow.sample(rate);
        return true;
      };

  /** Changes the flow's counts to what is seen of 1 in {@code rate} packets; false for nothing. */
  boolean sees(SyntheticFlow flow, int rate);

  /**
   * Packets / rate of them, rounded up or down by chance so that the mean is right: a flow of one
   * packet is seen once in {@code rate}.
   */
  static PacketSampler random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return (flow, rate) -> {
      if (rate == 1) {
        return true;
      }
      long seen = flow.packets / rate;
      if (random.nextInt(rate) < flow.packets % rate) {
        seen++;
      }
      if (seen > 0) {
        flow.bytes = Math.round((double) flow.bytes * seen / flow.packets);
        flow.packets = seen;
      }
      return seen > 0;
    };
  }
}

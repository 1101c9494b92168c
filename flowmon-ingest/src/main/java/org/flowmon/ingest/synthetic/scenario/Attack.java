package org.flowmon.ingest.synthetic.scenario;

import java.time.Duration;
import java.util.SplittableRandom;

/** Flows of one intent, which a detection should find. Its flows carry its number as label. */
public sealed interface Attack permits Scan, Beacon, Flood, Transfer, Behaviour {
  /**
   * Its name in labels, and when it runs.
   *
   * @param begin after the scenario's start
   */
  record When(String name, Duration begin, Duration duration) {}

  When when();

  /** The kind of attack, as scenarios name it. */
  String type();

  /** Times are ms since 1970, of the flows' exports. */
  AttackStream flows(double fromMillis, double toMillis, SplittableRandom random);
}

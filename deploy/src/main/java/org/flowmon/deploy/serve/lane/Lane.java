package org.flowmon.deploy.serve.lane;

import java.util.Locale;

/** A kind of work, with threads and a queue of its own. */
public enum Lane {
  /** Queries that read little, and all that is not a query. */
  SMALL,
  /** Queries that read much: they leave processors to the small ones. */
  LARGE,
  /** What waits for Kafka, a database or a collector, and needs no processor. */
  REMOTE,
  /** A replay of an analysis, one at a time: it takes a Flink cluster of its own. None waits. */
  REPLAY;

  /** As the audit and metrics have it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

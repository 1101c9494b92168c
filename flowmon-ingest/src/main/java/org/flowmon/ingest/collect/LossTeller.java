package org.flowmon.ingest.collect;

import java.util.function.Supplier;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/**
 * Tells a sink the lost flows that were known at the last call and still are: what is only late is
 * no loss a second later.
 */
final class LossTeller {
  static final long EVERY_MILLIS = 1000;

  private final CollectorSink sink;
  private final Supplier<IngestCounters> counters;
  private final long before;
  private long known;
  private long told;

  /** Tells losses counted from now on. */
  LossTeller(CollectorSink sink, Supplier<IngestCounters> counters) {
    this.sink = sink;
    this.counters = counters;
    this.before = counted();
  }

  private long counted() {
    IngestCounters now = counters.get();
    return now.get(IngestCounter.SEQUENCE_LOST_FLOWS)
        + now.get(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE)
        + now.get(IngestCounter.FLOWS_DROPPED_TOO_MANY);
  }

  /** Every {@link #EVERY_MILLIS}. */
  void tell() {
    long now = counted() - before;
    long sure = Math.min(now, known);
    known = now;
    if (sure > told) {
      sink.lost(sure - told);
      told = sure;
    }
  }

  /** At the end, when nothing can come late any more. */
  void tellAll() {
    tell();
    tell();
  }
}

package org.flowmon.ingest.decode;

import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/**
 * Follows the sequence numbers of one exporter and domain and counts what they say was lost. v5 and
 * IPFIX count flows and records, v9 counts datagrams; all are 32 bits and wrap.
 */
final class SequenceTracker {
  /** No loss is believed to be larger: the exporter has started anew instead. */
  static final int MAX_LOSS = 1 << 24;

  /** Further back than this is a restart, not a datagram that came late. */
  static final int MAX_LATE = 1 << 16;

  /** So many "late" datagrams in a row, each following the other, are a restart. */
  static final int RESTART_RUN = 3;

  /** ms: an uptime that fell by more tells of a restart. */
  private static final int UPTIME_TOLERANCE = 10_000;

  private final IngestCounter lost;
  private boolean started;
  private int next;
  private boolean hasUptime;
  private int uptime;
  // Units counted as lost that may still come late.
  private long missing;
  // Units that the last datagram may have held without our knowing.
  private long mayHold;
  private int lateNext;
  private int lateRun;

  /**
   * @param lost what counts the loss
   */
  SequenceTracker(IngestCounter lost) {
    this.lost = lost;
  }

  /** The exporter's uptime in ms, of a datagram that {@link #observe} is about to be told. */
  private boolean restarted(int now) {
    boolean fell = hasUptime && now - uptime < -UPTIME_TOLERANCE;
    hasUptime = true;
    uptime = now;
    return fell;
  }

  /** As {@link #observe} for an exporter whose datagrams carry its uptime. */
  void observeWithUptime(int sequence, int units, int uptimeMillis, IngestCounters counters) {
    if (restarted(uptimeMillis) && started && sequence != next) {
      started = false;
      counters.increment(IngestCounter.SEQUENCE_RESETS);
    }
    observe(sequence, units, 0, counters);
  }

  /**
   * Takes in the next datagram.
   *
   * @param sequence its number: that of its first unit
   * @param units how many it is known to hold
   * @param unknown how many more it may hold, in sets that could not be read
   */
  void observe(int sequence, int units, long unknown, IngestCounters counters) {
    int step = sequence - next;
    if (!started) {
      missing = 0;
    } else if (step > 0 && step <= Math.max(mayHold, 0)) {
      counters.add(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE, step);
    } else if (step > 0 && step <= MAX_LOSS) {
      counters.add(lost, step);
      missing += step;
    } else if (step < 0 && step >= -MAX_LATE && !isRestart(sequence, units)) {
      long back = Math.min(missing, units);
      counters.add(lost, -back);
      missing -= back;
      counters.increment(IngestCounter.SEQUENCE_LATE_DATAGRAMS);
      return;
    } else if (step != 0) {
      counters.increment(IngestCounter.SEQUENCE_RESETS);
      missing = 0;
    }
    started = true;
    next = sequence + units;
    mayHold = unknown;
    lateRun = 0;
  }

  private boolean isRestart(int sequence, int units) {
    lateRun = lateRun > 0 && sequence == lateNext ? lateRun + 1 : 1;
    lateNext = sequence + units;
    return lateRun >= RESTART_RUN;
  }
}

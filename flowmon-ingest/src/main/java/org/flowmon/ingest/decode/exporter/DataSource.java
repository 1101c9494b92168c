package org.flowmon.ingest.decode.exporter;

import java.util.Optional;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of an sFlow data source, mostly an interface: the sequence of its samples, the
 * pool that they are taken of, and the last counters.
 *
 * <p>The effective rate is the packets that could have been sampled for each sample that was sent:
 * the growth of the pool over {@link #WINDOW} sent samples, also those that were lost on their way.
 * By chance it is within 12.5% of the true one (four standard deviations of random sampling).
 */
public final class DataSource {
  /** Estimated heap with tracker, claims, counters and the map's entry (bytes). */
  static final int BYTES = 720;

  /** Sent samples over which the effective rate is taken. */
  static final int WINDOW = 1024;

  private static final int MOST_DROPS = 1 << 24;

  private final IngestCounters counters;
  private final SequenceTracker sequence;
  private boolean started;
  private int number;
  private int pool;
  private int drops;
  private long told;
  private long windowSamples;
  private long windowPackets;
  private long windowDrops;
  private long effective;
  private boolean dropped;
  private @Nullable InterfaceCounters last;

  DataSource(LossClaims claims, HeldDatagram nothingHeld, IngestCounters counters) {
    this.counters = counters;
    this.sequence = new SequenceTracker(claims, nothingHeld, counters);
  }

  void restart() {
    started = false;
    sequence.restart();
  }

  SequenceTracker sequence() {
    return sequence;
  }

  /**
   * Observes the next flow sample.
   *
   * @param rate the sample's own rate, 0 if it has none
   * @param nowPool packets that could have been sampled so far
   * @param nowDrops samples that the agent dropped so far
   */
  public void observe(int nowNumber, long rate, int nowPool, int nowDrops, long arrival) {
    if (sequence.beginsAnew(nowNumber)) {
      started = false;
    }
    sequence.observe(nowNumber, 1, 1, 1, arrival);
    int sent = nowNumber - number;
    if (!started || rate != told || sent <= 0 || sent > SequenceTracker.MAX_LATE) {
      if (started && sent <= 0 && sent >= -SequenceTracker.MAX_LATE && rate == told) {
        return; // late
      }
      effective = 0;
      dropped = false;
      restartWindow();
    } else {
      grow(sent, (nowPool - pool) & 0xFFFF_FFFFL, (nowDrops - drops) & 0xFFFF_FFFFL);
    }
    started = true;
    told = rate;
    number = nowNumber;
    pool = nowPool;
    drops = nowDrops;
  }

  private void grow(int sent, long packets, long moreDrops) {
    windowSamples += sent;
    windowPackets += packets;
    if (moreDrops <= MOST_DROPS) {
      windowDrops += moreDrops;
      counters.add(IngestCounter.SAMPLES_LOST_AT_EXPORTER, moreDrops);
    }
    if (windowSamples >= WINDOW) {
      effective = Math.max(1, windowPackets / windowSamples);
      dropped = windowDrops > 0;
      restartWindow();
    }
  }

  private void restartWindow() {
    windowSamples = 0;
    windowPackets = 0;
    windowDrops = 0;
  }

  /**
   * The rate of the samples: their own, or the effective one if they have none, or if it is higher
   * and the agent says that it dropped samples.
   */
  public long rate() {
    return told == 0 || (dropped && effective > told) ? effective : told;
  }

  public void setCounters(InterfaceCounters now) {
    last = now;
  }

  Optional<InterfaceCounters> interfaceCounters() {
    return Optional.ofNullable(last);
  }
}

package org.flowmon.ingest.decode.exporter;

import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/**
 * Follows the sequence numbers of one exporter and domain and claims their losses. They have 32
 * bits, wrap, and number a datagram's first unit: v5 counts flows, IPFIX records, v9 datagrams.
 *
 * <p>Not all comply: softflowd's IPFIX counts the flows including the message, some leave out
 * options records, some count flows in v9. So a datagram is compared with three ways to count. If
 * the expected one fails and another fits two in a row, that is it, and the claimed loss is taken
 * back.
 */
public final class SequenceTracker {
  /** A larger jump is a restart. */
  static final int MAX_LOSS = 1 << 24;

  /** The furthest step back of a late datagram; a larger step is a restart. */
  static final int MAX_LATE = 1 << 16;

  /** A run of so many "late" datagrams, each following the last, is a restart. */
  static final int RESTART_RUN = 3;

  /** In a session with more resets for its datagrams in order, these say nothing of restarts. */
  private static final int ORDERED_FOR_A_RESET = 8;

  /** A datagram that continues the last one may hold so many flows. */
  private static final int MOST_FLOWS = 1 << 14;

  /** After all times. */
  private static final long UNKNOWN_BEGIN = Long.MAX_VALUE;

  private static final int WAYS = 3;
  private static final int NONE = -1;

  private final LossClaims claims;
  private final IngestCounters counters;
  private final LifeClock clock = new LifeClock();
  private boolean started;
  private boolean clockIsAnew;
  // Datagrams in order and resets, from the session's first one on.
  private long ordered;
  private long resets;

  // The exporter's; another that fitted when this one failed last.
  private int way;
  private int otherWay = NONE;

  private int sequence;
  private final int[] advance = new int[WAYS - 1];
  // Units that the unread sets of the last datagram may have held.
  private long mayHold;
  private final HeldDatagram nothingHeld;
  private HeldDatagram heldBefore;
  private int lateNext;
  private int lateRun;
  private long lateSince;
  private long lifeBegan = UNKNOWN_BEGIN;

  SequenceTracker(LossClaims claims, HeldDatagram nothingHeld, IngestCounters counters) {
    this.claims = claims;
    this.counters = counters;
    this.nothingHeld = nothingHeld;
    this.heldBefore = nothingHeld;
  }

  /** The next datagram's number has nothing to do with the last one's. */
  void restart() {
    started = false;
    clock.forget();
    clockIsAnew = false;
    mayHold = 0;
  }

  LossClaims claims() {
    return claims;
  }

  /** The next datagram's uptime (ms) and export time (µs since 1970, 0 if unknown). */
  public void observeUptime(int now, long exportTime) {
    clock.observe(now, exportTime);
    clockIsAnew = clock.isAnew();
  }

  /** Of the datagrams so far. */
  LifeClock clock() {
    return clock;
  }

  /**
   * Whether the exporter began anew with the next datagram, before its sets are read: by its
   * uptime, unless the sequence continues, or because the sequence fell.
   */
  public boolean beginsAnew(int number) {
    boolean anew =
        clockIsAnew
            ? clock.beginsLife() && !(started && mayContinue(number))
            : started && falls(number);
    boolean isLate = !clockIsAnew && lateRun > 0 && number == lateNext;
    lifeBegan = isLate ? lateSince : UNKNOWN_BEGIN;
    if (anew && started) {
      started = false;
      mayHold = 0;
      otherWay = NONE;
      claims.settle();
      countReset();
    }
    return anew;
  }

  /**
   * Arrival of the new life's first datagram, if {@link #beginsAnew} had taken it for a late one;
   * else after all times.
   */
  long lifeBegan() {
    return lifeBegan;
  }

  private boolean mayContinue(int number) {
    if (way == WAYS - 1 || otherWay == WAYS - 1) {
      int step = number - sequence;
      return step >= 0 && step <= MOST_FLOWS;
    }
    int beyond = number - expected(way, 0);
    return (beyond >= 0 && beyond <= mayHold) || number == expected(1 - way, 0);
  }

  /** As a new life's first number, which is 0, or those that follow it. */
  private boolean falls(int number) {
    int last = way == WAYS - 1 ? sequence : expected(way, 0);
    int step = number - last;
    boolean isReset =
        step > MAX_LOSS
            ? Integer.compareUnsigned(number, last) < 0
            : step < -MAX_LATE || (step < 0 && lateRun + 1 >= RESTART_RUN && number == lateNext);
    return isReset && ordered >= ORDERED_FOR_A_RESET * resets;
  }

  private void countReset() {
    resets++;
    counters.increment(IngestCounter.SEQUENCE_RESETS);
  }

  /** Observes the next datagram, all of whose sets were read. */
  public void observe(int number, int units, int records, int flows, long arrival) {
    observe(number, units, records, flows, 0, nothingHeld, arrival);
  }

  /**
   * Observes the next datagram.
   *
   * @param units the expected step to the next number, else {@code records}
   * @param flows the step from the previous number for an exporter that includes them
   * @param unread units that its unread sets may hold
   * @param held is told how many they were
   * @param arrival µs
   */
  public void observe(
      int number, int units, int records, int flows, long unread, HeldDatagram held, long arrival) {
    claims.received(units, arrival);
    if (clockIsAnew && started && !continues(number, flows)) {
      started = false;
      countReset();
    }
    clockIsAnew = false;
    int step = started ? number - expected(way, flows) : 0;
    if (step != 0 && changesWay(number, flows)) {
      step = 0;
    }
    if (step > 0 && step <= mayHold) {
      heldBefore.told(step);
    } else if (step > 0 && step <= MAX_LOSS) {
      claims.claim(step);
    } else if (step < 0
        && step >= -MAX_LATE
        && otherWay == NONE
        && !isRestart(number, units, arrival)) {
      claims.cameLate(units);
      counters.increment(IngestCounter.SEQUENCE_LATE_DATAGRAMS);
      return;
    } else if (step != 0 && otherWay == NONE) {
      countReset();
      claims.startAnew();
    } else if (started && step == 0) {
      ordered++;
    }
    if (!started) {
      claims.startAnew();
    }
    started = true;
    sequence = number;
    advance[0] = units;
    advance[1] = records;
    mayHold = unread;
    heldBefore = held;
    lateRun = 0;
  }

  private boolean continues(int number, int flows) {
    int beyond = number - expected(way, flows);
    boolean continues = beyond >= 0 && beyond <= mayHold;
    for (int by = 0; by < WAYS; by++) {
      continues |= number == expected(by, flows);
    }
    return continues;
  }

  private int expected(int by, int flows) {
    return sequence + (by < WAYS - 1 ? advance[by] : flows);
  }

  private boolean changesWay(int number, int flows) {
    if (mayHold > 0) {
      otherWay = NONE; // no number to compare with
      return false;
    }
    if (otherWay != NONE && number == expected(otherWay, flows)) {
      way = otherWay;
      otherWay = NONE;
      claims.takeBack();
      return true;
    }
    otherWay = NONE;
    claims.settle();
    for (int by = 0; by < WAYS && otherWay == NONE; by++) {
      if (by != way && number == expected(by, flows)) {
        otherWay = by;
      }
    }
    return false;
  }

  private boolean isRestart(int number, int units, long arrival) {
    boolean follows = lateRun > 0 && number == lateNext;
    lateSince = follows ? lateSince : arrival;
    lateRun = follows ? lateRun + 1 : 1;
    lateNext = number + units;
    return lateRun >= RESTART_RUN;
  }
}

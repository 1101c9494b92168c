package org.flowmon.ingest.decode.exporter;

import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/**
 * Decides how many of the losses that an exporter's sequence numbers claim count: anyone can send a
 * datagram whose number lies far ahead.
 *
 * <p>A claim is believed up to the credit. A minute between datagrams earns {@link #FACTOR} times
 * the session's units in the busier of its last two minutes; kept is a minute's worth, or the
 * earnings since the last datagram if more. So one datagram earns nothing, nor does waiting alone:
 * in all, at most {@link #FACTOR} times the received units are believed. (A minute of {@link
 * #LEAST_PER_MINUTE} units is there at first.) A stranger's believed losses are unproven until it
 * becomes known; the rest of a claim stays so.
 */
final class LossClaims {
  /** Losses that are believed for each received unit: one of nine sent units came. */
  static final int FACTOR = 8;

  /** The assumed least units a minute of a session. */
  static final int LEAST_PER_MINUTE = 60;

  private static final double MINUTE = 60_000_000;

  private final Exporter exporter;
  private final IngestCounter lost;
  private final IngestCounter unproven;
  private final IngestCounters counters;
  private double credit = FACTOR * LEAST_PER_MINUTE;
  // The units that may still be believed in all.
  private long left = FACTOR * LEAST_PER_MINUTE;
  private boolean heard;
  private long last;
  private long minuteFrom;
  private long minuteUnits;
  private long minuteUnitsBefore;
  // Believed while the exporter was a stranger; they become losses once it is known.
  private long held;
  // Claimed units that may still come late: believed ones, and others.
  private long missing;
  private long missingBeyond;
  // The last claim, which may be taken back.
  private long lastBelieved;
  private long lastBeyond;

  /** {@code lost} is the counter for a known exporter's losses: flows or datagrams. */
  LossClaims(Exporter exporter, IngestCounter lost, IngestCounters counters) {
    this.exporter = exporter;
    this.lost = lost;
    this.unproven =
        lost == IngestCounter.SEQUENCE_LOST_FLOWS
            ? IngestCounter.SEQUENCE_UNPROVEN_FLOWS
            : IngestCounter.SEQUENCE_UNPROVEN_DATAGRAMS;
    this.counters = counters;
  }

  /** Records the arrival of a datagram with so many units at a time (µs). */
  void received(long units, long now) {
    if (!heard) {
      heard = true;
      last = now;
      minuteFrom = now;
    }
    double minute = FACTOR * (double) Math.max(LEAST_PER_MINUTE, mostInAMinute());
    double earned = minute * (Math.max(0, now - last) / MINUTE);
    credit = Math.min(credit + earned, Math.max(minute, earned));
    last = now;
    long passed = now - minuteFrom;
    if (passed < 0 || passed >= MINUTE) {
      minuteUnitsBefore = passed < 2 * MINUTE ? minuteUnits : 0;
      minuteUnits = 0;
      minuteFrom = now;
    }
    minuteUnits += units;
    left += FACTOR * units;
  }

  private long mostInAMinute() {
    return Math.max(minuteUnitsBefore, minuteUnits);
  }

  void claim(long units) {
    lastBelieved = Math.min(units, Math.min(left, (long) credit));
    lastBeyond = units - lastBelieved;
    spend(lastBelieved);
    missing += lastBelieved;
    missingBeyond += lastBeyond;
    count(lastBelieved);
    counters.add(unproven, lastBeyond);
  }

  void settle() {
    lastBelieved = 0;
    lastBeyond = 0;
  }

  /** The last claim was wrong: nothing was missing. */
  void takeBack() {
    missing -= lastBelieved;
    missingBeyond -= lastBeyond;
    spend(-lastBelieved);
    count(-lastBelieved);
    counters.add(unproven, -lastBeyond);
    settle();
  }

  void cameLate(long units) {
    long back = Math.min(missing, units);
    missing -= back;
    spend(-back);
    count(-back);
    long beyond = Math.min(missingBeyond, units - back);
    missingBeyond -= beyond;
    counters.add(unproven, -beyond);
  }

  void startAnew() {
    missing = 0;
    missingBeyond = 0;
  }

  /** The exporter has become known: believed losses are losses. */
  void prove() {
    counters.add(unproven, -held);
    counters.add(lost, held);
    held = 0;
  }

  private void spend(long units) {
    credit -= units;
    left -= units;
  }

  private void count(long units) {
    if (exporter.isEstablished()) {
      counters.add(lost, units);
    } else {
      counters.add(unproven, units);
      held += units;
    }
  }
}

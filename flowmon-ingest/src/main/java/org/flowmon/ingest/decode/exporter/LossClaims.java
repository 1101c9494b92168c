package org.flowmon.ingest.decode.exporter;

import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/**
 * Decides how much of what an exporter's sequence numbers claim to be lost is counted as lost.
 * Anyone can send a datagram whose number lies far ahead.
 *
 * <p>A claim is believed as far as there is credit, which the time between datagrams earns: {@link
 * #FACTOR} times what came from this session in the busier of its last two minutes, at most a
 * minute's worth beside what the time since the last datagram earns. So one datagram earns nothing.
 * Nor is more believed in all than {@link #FACTOR} times the units that came, so that waiting alone
 * earns nothing either. (What a minute of {@link #LEAST_PER_MINUTE} units earns is there at first.)
 * What is believed of a stranger is counted as unproven and becomes a loss when its exporter
 * becomes known; the rest of a claim stays unproven.
 */
final class LossClaims {
  /** Losses that are believed for each unit that came: of nine that were sent one came. */
  static final int FACTOR = 8;

  /** Units a minute of a session that has sent fewer. */
  static final int LEAST_PER_MINUTE = 60;

  private static final double MINUTE = 60_000_000;

  private final Exporter exporter;
  private final IngestCounter lost;
  private final IngestCounter unproven;
  private final IngestCounters counters;
  private double credit = FACTOR * LEAST_PER_MINUTE;
  // What may still be believed in all.
  private long left = FACTOR * LEAST_PER_MINUTE;
  private boolean heard;
  private long last;
  private long minuteFrom;
  private long minuteUnits;
  private long minuteUnitsBefore;
  // Believed while the exporter was a stranger: losses once it is known.
  private long held;
  // Of what was claimed, units that may still come late: believed ones, and others.
  private long missing;
  private long missingBeyond;
  // The last claim, as it may have been none.
  private long lastBelieved;
  private long lastBeyond;

  /**
   * @param lost what counts the losses of a known exporter: flows or datagrams
   */
  LossClaims(Exporter exporter, IngestCounter lost, IngestCounters counters) {
    this.exporter = exporter;
    this.lost = lost;
    this.unproven =
        lost == IngestCounter.SEQUENCE_LOST_FLOWS
            ? IngestCounter.SEQUENCE_UNPROVEN_FLOWS
            : IngestCounter.SEQUENCE_UNPROVEN_DATAGRAMS;
    this.counters = counters;
  }

  /** Takes in that a datagram of so many units came at a time (µs). */
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

  /** Takes in that units are missing, by the sequence numbers. */
  void claim(long units) {
    lastBelieved = Math.min(units, Math.min(left, (long) credit));
    lastBeyond = units - lastBelieved;
    spend(lastBelieved);
    missing += lastBelieved;
    missingBeyond += lastBeyond;
    count(lastBelieved);
    counters.add(unproven, lastBeyond);
  }

  /** The last claim is not to be taken back any more. */
  void settle() {
    lastBelieved = 0;
    lastBeyond = 0;
  }

  /** Takes the last claim back: nothing was missing. */
  void takeBack() {
    missing -= lastBelieved;
    missingBeyond -= lastBeyond;
    spend(-lastBelieved);
    count(-lastBelieved);
    counters.add(unproven, -lastBeyond);
    settle();
  }

  /** Takes in that units which may have been claimed came after all. */
  void cameLate(long units) {
    long back = Math.min(missing, units);
    missing -= back;
    spend(-back);
    count(-back);
    long beyond = Math.min(missingBeyond, units - back);
    missingBeyond -= beyond;
    counters.add(unproven, -beyond);
  }

  /** Nothing that was claimed so far will still come. */
  void startAnew() {
    missing = 0;
    missingBeyond = 0;
  }

  /** The exporter has become known: what was believed of it are losses. */
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

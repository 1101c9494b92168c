package org.flowmon.ingest.decode.exporter;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Tells from the uptimes (32 bits of ms) and export times of an exporter's datagrams whether it
 * began anew: its uptime fell, or is shorter than the time that passed since the last datagram. It
 * goes on if its uptime grew by that time, also past its wrap after 49.7 days. If that happens
 * again and again, two exporters share the datagrams, and it tells nothing.
 */
final class LifeClock {
  /** ms: what clocks, rounding and datagrams out of order may do. */
  static final int TOLERANCE = 10_000;

  /** Datagrams that go on for each life; with fewer of them these are no lives of one exporter. */
  private static final int GOING_ON_FOR_A_LIFE = 8;

  private boolean known;
  private int uptime;
  // ms since 1970, 0 if unknown.
  private long exportTime;

  private boolean anew;
  private boolean goesOn;
  // Since the first datagram, without the last one.
  private long lives;
  private long goingOn;

  /** The next datagram's uptime and export time (µs since 1970, 0 if unknown). */
  void observe(int nextUptime, long exportMicros) {
    long export = exportMicros / 1000;
    lives += anew ? 1 : 0;
    goingOn += goesOn ? 1 : 0;
    anew = known && nextUptime != uptime && isAnew(nextUptime, export);
    goesOn = known && nextUptime != uptime && !anew;
    known = true;
    uptime = nextUptime;
    exportTime = export;
  }

  private boolean isAnew(int nextUptime, long export) {
    int grown = nextUptime - uptime;
    long passed = exportTime > 0 && export > 0 ? export - exportTime : 0;
    int beyond = grown - (int) passed; // modulo 2^32, as the uptime
    if (beyond >= -TOLERANCE && beyond <= TOLERANCE) {
      return false;
    }
    return grown < -TOLERANCE || (nextUptime & 0xFFFF_FFFFL) < passed - TOLERANCE;
  }

  /** Whether a datagram came before. */
  boolean isKnown() {
    return known;
  }

  /** Whether the last datagram is of another life than the one before. */
  boolean isAnew() {
    return anew;
  }

  /** Whether that is the next life of one exporter, and not another one's datagram in between. */
  boolean beginsLife() {
    return anew && goingOn >= GOING_ON_FOR_A_LIFE * lives;
  }

  /** Whether they are of the same life; neither is known of an uptime that never changes. */
  boolean goesOn() {
    return goesOn;
  }

  /** The next datagram is compared with none before. */
  void forget() {
    known = false;
    anew = false;
    goesOn = false;
    lives = 0;
    goingOn = 0;
  }

  void copy(LifeClock other) {
    known = other.known;
    uptime = other.uptime;
    exportTime = other.exportTime;
  }

  void write(DataOutputStream out) throws IOException {
    out.writeBoolean(known);
    out.writeInt(uptime);
    out.writeLong(exportTime);
  }

  void read(DataInputStream in) throws IOException {
    known = in.readBoolean();
    uptime = in.readInt();
    exportTime = in.readLong();
  }
}

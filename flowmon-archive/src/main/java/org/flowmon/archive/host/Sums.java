package org.flowmon.archive.host;

import java.math.BigInteger;

/** Flows and bytes of a host with a peer, by a service or in an hour. */
class Sums {
  long flows;
  BigInteger sent = BigInteger.ZERO;
  BigInteger received = BigInteger.ZERO;

  void add(long count, BigInteger out, BigInteger back, boolean isDestination) {
    flows += count;
    sent = sent.add(isDestination ? back : out);
    received = received.add(isDestination ? out : back);
  }

  /** Those of a service, with its peers in all, in the latest window and before. */
  static final class OfService extends Sums {
    long peers;
    long now;
    long before;
  }

  /** Flows with a time of a contact or a peer, and those of them in the latest window. */
  static final class Times {
    long timed;
    long recent;

    void add(long more, long recentOfThem) {
      timed += more;
      recent += recentOfThem;
    }

    boolean isNow() {
      return recent > 0;
    }

    boolean isBefore() {
      return timed > recent;
    }
  }
}

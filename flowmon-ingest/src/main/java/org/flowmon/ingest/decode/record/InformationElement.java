package org.flowmon.ingest.decode.record;

import java.util.Locale;

/**
 * A use of an element of IANA's "IP Flow Information Export (IPFIX) Entities", which NetFlow v9
 * shares, or of a vendor's: what its value becomes. {@code elements.tsv} has them all.
 *
 * @param rank the lower wins if a template has two elements for one slot
 * @param transform how its value becomes the slot's
 */
record InformationElement(Slot slot, int rank, Transform transform) {
  /** How a value becomes that of its slot. */
  enum Transform {
    AS_IS,
    /** To µs, as the next ones. */
    MILLISECONDS,
    SECONDS,
    /** Seconds since 1900 and their binary fraction (RFC 7011 sections 6.1.9, 6.1.10). */
    NTP,
    /** What exporters that are wrong write instead. */
    MICROSECONDS,
    NANOSECONDS,
    /** As NTP, but since 1970. */
    NTP_OF_1970,
    /** The 20 bits before class and bottom of an entry of an MPLS stack. */
    LABEL,
    MAC;

    static final Transform[] ALL = values();

    /** What the number of an absolute time may mean. */
    static final Transform[] TIMES = {
      MILLISECONDS, SECONDS, MICROSECONDS, NANOSECONDS, NTP, NTP_OF_1970
    };

    static Transform of(String name) {
      return name.equals("-") ? AS_IS : valueOf(name.toUpperCase(Locale.ROOT));
    }
  }

  private static final int LABEL_BYTES = 3;
  private static final int MAC_BYTES = 6;

  boolean takes(int length) {
    return switch (transform) {
      case NTP -> length == Long.BYTES;
      case LABEL -> length == LABEL_BYTES;
      case MAC -> length == MAC_BYTES;
      default -> slot.takes(length);
    };
  }
}

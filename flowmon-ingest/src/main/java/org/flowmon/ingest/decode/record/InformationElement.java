package org.flowmon.ingest.decode.record;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An element of IANA's "IP Flow Information Export (IPFIX) Entities", which NetFlow v9 shares, or
 * its reverse (RFC 5103), with the slot of its value.
 *
 * @param rank the lower wins if a template has two elements for one slot
 * @param transform how its value becomes the slot's
 */
record InformationElement(Slot slot, int rank, int transform) {
  /** The enterprise number of reverse elements (RFC 5103 section 6.1). */
  static final int REVERSE_PEN = 29305;

  /** octetDeltaCount after the exporter, in which some count the way back. */
  static final int POST_OCTETS = 23;

  static final int POST_PACKETS = 24;

  static final int AS_IS = 0;
  static final int MILLISECONDS = 1;
  static final int SECONDS = 2;

  /** Seconds since 1900 and their binary fraction (RFC 7011 sections 6.1.9, 6.1.10). */
  static final int NTP = 3;

  private static final Map<Long, InformationElement> KNOWN = new HashMap<>();

  private static void add(int id, Slot slot, int rank, int transform) {
    KNOWN.put((long) id, new InformationElement(slot, rank, transform));
  }

  private static void add(Slot slot, int... ids) {
    for (int rank = 0; rank < ids.length; rank++) {
      add(ids[rank], slot, rank, AS_IS);
    }
  }

  private static void addReverse(Slot slot, int... ids) {
    for (int rank = 0; rank < ids.length; rank++) {
      KNOWN.put((long) REVERSE_PEN << 32 | ids[rank], new InformationElement(slot, rank, AS_IS));
    }
  }

  static {
    add(Slot.SRC4, 8);
    add(Slot.SRC6, 27);
    add(Slot.DST4, 12);
    add(Slot.DST6, 28);
    add(Slot.NEXT_HOP4, 15, 18);
    add(Slot.NEXT_HOP6, 62, 63);
    add(Slot.SRC_PORT, 7, 180, 182);
    add(Slot.DST_PORT, 11, 181, 183);
    add(Slot.PROTOCOL, 4);
    add(Slot.BYTES, 1, 85, 231, POST_OCTETS);
    add(Slot.PACKETS, 2, 86, 298, POST_PACKETS);
    add(Slot.REVERSE_BYTES, 232);
    add(Slot.REVERSE_PACKETS, 299);
    addReverse(Slot.REVERSE_BYTES, 1, 85);
    addReverse(Slot.REVERSE_PACKETS, 2, 86);
    add(Slot.TCP_FLAGS, 6);
    add(Slot.TOS, 5);
    add(Slot.INPUT_IF, 10, 252);
    add(Slot.OUTPUT_IF, 14, 253);
    add(Slot.SRC_AS, 16);
    add(Slot.DST_AS, 17);
    add(Slot.SRC_MASK4, 9);
    add(Slot.SRC_MASK6, 29);
    add(Slot.DST_MASK4, 13);
    add(Slot.DST_MASK6, 30);
    add(Slot.VLAN, 58, 243);
    add(Slot.FLOW_DIRECTION, 61);
    add(Slot.FLOW_END_REASON, 136);
    add(Slot.ENGINE_TYPE, 38);
    add(Slot.ENGINE_ID, 39);
    add(152, Slot.START, 0, MILLISECONDS);
    add(154, Slot.START, 1, NTP);
    add(156, Slot.START, 2, NTP);
    add(150, Slot.START, 3, SECONDS);
    add(153, Slot.END, 0, MILLISECONDS);
    add(155, Slot.END, 1, NTP);
    add(157, Slot.END, 2, NTP);
    add(151, Slot.END, 3, SECONDS);
    add(
        323,
        Slot.END,
        4,
        MILLISECONDS); // the observation time of an event: firewalls have no other time
    add(Slot.START_UPTIME, 22);
    add(Slot.END_UPTIME, 21);
    add(Slot.START_DELTA, 158);
    add(Slot.END_DELTA, 159);
    add(161, Slot.DURATION, 1, MILLISECONDS);
    add(162, Slot.DURATION, 0, AS_IS);
    add(Slot.ICMP4, 32);
    add(Slot.ICMP6, 139);
    add(Slot.ICMP4_TYPE, 176);
    add(Slot.ICMP4_CODE, 177);
    add(Slot.ICMP6_TYPE, 178);
    add(Slot.ICMP6_CODE, 179);
    add(Slot.SAMPLER, 48, 302);
    add(Slot.SAMPLING_INTERVAL, 34, 50, 305);
    add(Slot.SAMPLING_SPACE, 306);
    add(Slot.SAMPLING_SIZE, 309);
    add(Slot.SAMPLING_POPULATION, 310);
    add(Slot.SAMPLING_MODE, 35, 49);
    add(Slot.SELECTOR_ALGORITHM, 304);
    add(160, Slot.SYSTEM_INIT, 0, MILLISECONDS);
  }

  boolean takes(int length) {
    return transform == NTP ? length == 8 : slot.takes(length);
  }

  static @Nullable InformationElement find(int pen, int id) {
    return KNOWN.get((pen & 0xFFFF_FFFFL) << 32 | id);
  }
}

package org.flowmon.ingest.decode.record;

import java.util.function.LongPredicate;
import org.flowmon.flow.TableHash;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;

/**
 * Turns counters since a flow's start (octetTotalCount and alike) into counts since its last
 * export, so that a flow that is exported several times counts once. It remembers flows by key and
 * start: another start is another flow.
 *
 * <p>A flow that is not remembered has its whole total, unless one with a start as late or later
 * has been forgotten to make room in its bucket: it may be that one, and its counters stay NULL,
 * counted. So no byte counts twice while an exporter's domain is remembered. The table is one array
 * of buckets:
 *
 * <pre>
 * bucket: 4 × (key, 0 if free | last export, µs of arrival | start, µs | 6 totals)
 *         | latest start that was forgotten
 * </pre>
 */
public final class FlowTotals {
  private static final Slot[] TOTALS = {
    Slot.TOTAL_BYTES,
    Slot.TOTAL_PACKETS,
    Slot.TOTAL_REVERSE_BYTES,
    Slot.TOTAL_REVERSE_PACKETS,
    Slot.TOTAL_POST_BYTES,
    Slot.TOTAL_POST_PACKETS
  };

  private static final Slot[] SINCE_LAST = {
    Slot.BYTES,
    Slot.PACKETS,
    Slot.REVERSE_BYTES,
    Slot.REVERSE_PACKETS,
    Slot.POST_BYTES,
    Slot.POST_PACKETS
  };

  /** Parts of a flow's key beside its addresses and start. */
  private static final Slot[] KEY = {
    Slot.SRC_PORT,
    Slot.DST_PORT,
    Slot.PROTOCOL,
    Slot.INPUT_IF,
    Slot.VLAN,
    Slot.INGRESS_VRF,
    Slot.FLOW_DIRECTION,
    Slot.FLOW_ID,
    Slot.ICMP4,
    Slot.ICMP6
  };

  private static final Slot[] ADDRESSES = {Slot.SRC4, Slot.DST4, Slot.SRC6, Slot.DST6};
  private static final int WAYS = 4;
  private static final int ENTRY = 3 + 6;
  private static final int SEEN = 1;
  private static final int START = 2;
  private static final int FIRST_TOTAL = 3;
  private static final int BUCKET = WAYS * ENTRY + 1;
  private static final int FIRST_BUCKETS = 16;
  private static final int MOST_BUCKETS = 1 << 16;

  /** Estimated heap beside the table (bytes). */
  private static final int BYTES = 128;

  private static final long UNKNOWN = Long.MIN_VALUE;

  /** A start by an uptime whose time nobody knows. */
  private static final long UNPLACED = UNKNOWN + 1;

  /** µs by which a start may differ from export to export, as it is made of an uptime. */
  private static final long JITTER = 2_000_000;

  /** µs after which a flow has hardly another export. */
  private static final long IDLE = 2 * 3_600_000_000L;

  private static final long LATEST = Long.MAX_VALUE - JITTER;
  private static final int ACTIVE_TIMEOUT = 2;
  private static final int LAST_END_REASON = 5;
  private static final int FLOW_DELETED = 2;
  private static final int FLOW_DENIED = 3;

  private final IngestCounters counters;
  private final LongPredicate room;
  // By counter: the number at which it begins again in this block's records, 0 if there is none.
  private final long[] wraps = new long[TOTALS.length];
  private long[] table = {};
  private int buckets;

  /** {@code room} takes so many bytes more, or says no. */
  public FlowTotals(IngestCounters counters, LongPredicate room) {
    this.counters = counters;
    this.room = room;
  }

  /** The counters that a template has only since the flow's start: one bit for each. */
  static int counters(int[] fieldOf) {
    int found = 0;
    for (int i = 0; i < TOTALS.length; i++) {
      boolean isTotal = fieldOf[TOTALS[i].ordinal()] >= 0 && fieldOf[SINCE_LAST[i].ordinal()] < 0;
      found |= isTotal ? 1 << i : 0;
    }
    return found;
  }

  /** Sets the block's counters; those of a flow of which that cannot be said stay NULL. */
  public void apply(RecordBlock block, DatagramHeader header) {
    for (int i = 0; i < TOTALS.length; i++) {
      int length = block.program().length(TOTALS[i]);
      wraps[i] = length < Long.BYTES ? 1L << (8 * length) : 0;
    }
    for (int row = 0; row < block.rows(); row++) {
      apply(block, header, row);
    }
  }

  private void apply(RecordBlock block, DatagramHeader header, int row) {
    boolean ended = hasEnded(block, row);
    long start = start(block, header, row);
    if (start == UNKNOWN) {
      if (ended) { // no earlier export was taken
        takeWhole(block, row);
      } else {
        counters.increment(IngestCounter.TOTALS_DROPPED_NO_START);
      }
      return;
    }
    long key = key(block, row);
    int at = buckets == 0 ? -1 : find(key, key);
    if (at >= 0) {
      takeSinceLast(block, row, at, header.arrival);
      return;
    }
    long forgotten = buckets == 0 ? UNKNOWN : table[forgottenAt(key)];
    if (forgotten != UNKNOWN && start <= forgotten + JITTER) {
      counters.increment(IngestCounter.TOTALS_DROPPED_FORGOTTEN);
    } else if (ended || buckets > 0 || grow()) {
      takeWhole(block, row);
    } else {
      counters.increment(IngestCounter.TOTALS_DROPPED_FORGOTTEN); // nothing can be remembered
      return;
    }
    if (!ended) {
      remember(block, row, key, start, header.arrival);
    }
  }

  /** Whether this is the flow's last export: by flowEndReason, or an ASA's event. */
  private static boolean hasEnded(RecordBlock block, int row) {
    if (block.isSet(Slot.FLOW_END_REASON, row)) {
      long reason = block.values(Slot.FLOW_END_REASON)[row];
      return reason >= 1 && reason <= LAST_END_REASON && reason != ACTIVE_TIMEOUT;
    }
    long event = block.isSet(Slot.FIREWALL_EVENT, row) ? block.values(Slot.FIREWALL_EVENT)[row] : 0;
    return event == FLOW_DELETED || event == FLOW_DENIED;
  }

  private static long start(RecordBlock block, DatagramHeader header, int row) {
    if (block.isSet(Slot.START, row)) {
      return FlowTimes.micros(block.values(Slot.START)[row], block.transform(Slot.START));
    }
    if (!block.isSet(Slot.START_UPTIME, row)) {
      return UNKNOWN;
    }
    long uptime = block.values(Slot.START_UPTIME)[row];
    if (uptime == 0 && header.zeroStartIsUnknown) {
      return UNKNOWN;
    }
    boolean isPlaced = header.hasUptime && header.exportTime != 0;
    return isPlaced ? header.timeOfUptime(header.exportTime, uptime) : UNPLACED;
  }

  private static long key(RecordBlock block, int row) {
    long sum = TableHash.start();
    int place = 0;
    for (Slot slot : KEY) {
      sum = TableHash.add(sum, place++, block.isSet(slot, row) ? block.values(slot)[row] : -1);
    }
    for (Slot slot : ADDRESSES) {
      boolean isSet = block.isSet(slot, row);
      sum = TableHash.add(sum, place++, isSet ? block.values(slot)[row] : 0);
      sum = TableHash.add(sum, place++, isSet && slot.isAddress6() ? block.high(slot)[row] : 0);
    }
    // As it stands in the record, which no export time changes.
    Slot start = block.isSet(Slot.START, row) ? Slot.START : Slot.START_UPTIME;
    sum = TableHash.add(sum, place, block.values(start)[row]);
    long key = TableHash.finish(sum);
    return key == 0 ? 1 : key;
  }

  private static void takeWhole(RecordBlock block, int row) {
    for (int i = 0; i < TOTALS.length; i++) {
      if (has(block, row, i)) {
        block.setOfTotals(SINCE_LAST[i], row, block.values(TOTALS[i])[row]);
      }
    }
  }

  private static boolean has(RecordBlock block, int row, int counter) {
    return (block.program().totals() >>> counter & 1) != 0 && block.isSet(TOTALS[counter], row);
  }

  private void takeSinceLast(RecordBlock block, int row, int at, long arrival) {
    for (int i = 0; i < TOTALS.length; i++) {
      if (has(block, row, i) && grown(block, row, at, i) < 0) {
        counters.increment(IngestCounter.TOTALS_DROPPED_LATE);
        return;
      }
    }
    table[at + SEEN] = arrival;
    for (int i = 0; i < TOTALS.length; i++) {
      if (has(block, row, i)) {
        block.setOfTotals(SINCE_LAST[i], row, grown(block, row, at, i));
        table[at + FIRST_TOTAL + i] = block.values(TOTALS[i])[row];
      }
    }
  }

  /** Below 0 if a later export came before. One that fell by half of its range has wrapped. */
  private long grown(RecordBlock block, int row, int at, int counter) {
    long last = table[at + FIRST_TOTAL + counter];
    long grown = block.values(TOTALS[counter])[row] - last;
    long wrap = wraps[counter];
    return last < wrap && grown < -(wrap >>> 1) ? grown + wrap : grown;
  }

  private int bucket(long key) {
    return ((int) key & (buckets - 1)) * BUCKET;
  }

  private int forgottenAt(long key) {
    return bucket(key) + WAYS * ENTRY;
  }

  private void remember(RecordBlock block, int row, long key, long start, long arrival) {
    int at = find(0, key);
    while (at < 0) {
      boolean isIdle = arrival - table[oldest(key) + SEEN] > IDLE;
      at = isIdle || !grow() ? forgetOldest(key) : find(0, key);
    }
    table[at] = key;
    table[at + SEEN] = arrival;
    table[at + START] = start;
    for (int i = 0; i < TOTALS.length; i++) {
      table[at + FIRST_TOTAL + i] = has(block, row, i) ? block.values(TOTALS[i])[row] : 0;
    }
  }

  /** The entry with the value in the bucket of a key, −1 if there is none. */
  private int find(long value, long key) {
    int at = bucket(key);
    for (int end = at + WAYS * ENTRY; at < end; at += ENTRY) {
      if (table[at] == value) {
        return at;
      }
    }
    return -1;
  }

  private int oldest(long key) {
    int oldest = bucket(key);
    for (int at = oldest, end = at + WAYS * ENTRY; at < end; at += ENTRY) {
      oldest = table[at + SEEN] < table[oldest + SEEN] ? at : oldest;
    }
    return oldest;
  }

  private int forgetOldest(long key) {
    int oldest = oldest(key);
    int forgotten = forgottenAt(key);
    long start = table[oldest + START];
    long latest = start == UNPLACED ? LATEST : Math.min(start, LATEST);
    table[forgotten] = Math.max(table[forgotten], latest);
    return oldest;
  }

  private boolean grow() {
    int more = Math.max(FIRST_BUCKETS, buckets);
    if (buckets + more > MOST_BUCKETS
        || !room.test((long) more * BUCKET * Long.BYTES + (buckets == 0 ? BYTES : 0))) {
      return false;
    }
    long[] old = table;
    int oldBuckets = buckets;
    buckets += more;
    table = new long[buckets * BUCKET];
    for (int b = 0; b < buckets; b++) {
      table[b * BUCKET + WAYS * ENTRY] =
          oldBuckets == 0 ? UNKNOWN : old[b % oldBuckets * BUCKET + WAYS * ENTRY];
    }
    for (int b = 0; b < oldBuckets; b++) {
      for (int w = 0; w < WAYS; w++) {
        int from = b * BUCKET + w * ENTRY;
        if (old[from] != 0) {
          int to = find(0, old[from]);
          System.arraycopy(old, from, table, to, ENTRY);
        }
      }
    }
    return true;
  }
}

package org.flowmon.ingest.meter;

import java.util.Arrays;
import org.flowmon.flow.TableHash;
import org.flowmon.ingest.decode.packet.IpHeader;

/**
 * The open flows of a meter: a hash table with chains, and two lists in the order of their last
 * packets, one of flows whose TCP connection has ended. It grows to its bound and never shrinks.
 *
 * <pre>
 * flow, 11 words: source 2 | destination 2 | key | first | last | touched | bytes | packets | rest
 * key:  ICMP 1 bit | ports 1 bit | protocol 8 | source port 16 | destination port or ICMP type 16
 * rest: TCP 1 bit | flags 16 | ToS 8 | smallest TTL 8 | largest TTL 8 | VLAN 12
 * </pre>
 */
final class MeteredFlows {
  static final int NONE = -1;
  static final int SRC_HI = 0;
  static final int SRC_LO = 1;
  static final int DST_HI = 2;
  static final int DST_LO = 3;
  static final int KEY = 4;
  static final int FIRST = 5;
  static final int LAST = 6;
  static final int TOUCHED = 7;
  static final int BYTES = 8;
  static final int PACKETS = 9;
  static final int REST = 10;

  private static final int WORDS = 11;
  private static final int FEWEST = 1024;
  private static final long HAS_PORTS = 1L << 40;
  private static final long HAS_ICMP = 1L << 41;
  private static final long HAS_FLAGS = 1L << 52;
  private static final int TTL_MASK = 0xFF;

  private final int maxFlows;
  private long[] words;
  private int[] heads;
  private int[] chain;
  private int[] before;
  private int[] after;
  private boolean[] ended;
  // By list: flows that go on, flows that have ended.
  private final int[] oldest = {NONE, NONE};
  private final int[] newest = {NONE, NONE};
  private int free = NONE;
  private int used;
  private int size;

  MeteredFlows(int maxFlows) {
    this.maxFlows = maxFlows;
    int capacity = Math.min(maxFlows, FEWEST);
    words = new long[capacity * WORDS];
    chain = new int[capacity];
    before = new int[capacity];
    after = new int[capacity];
    ended = new boolean[capacity];
    heads = emptyHeads(capacity);
  }

  private static int[] emptyHeads(int capacity) {
    int[] heads = new int[Integer.highestOneBit(Math.max(1, capacity * 2 - 1))];
    Arrays.fill(heads, NONE);
    return heads;
  }

  static boolean hasPorts(long key) {
    return (key & HAS_PORTS) != 0;
  }

  static boolean hasIcmp(long key) {
    return (key & HAS_ICMP) != 0;
  }

  static int protocol(long key) {
    return (int) (key >>> 32) & 0xFF;
  }

  static int srcPort(long key) {
    return (int) (key >>> 16) & 0xFFFF;
  }

  static int dstPort(long key) {
    return (int) key & 0xFFFF;
  }

  static boolean hasFlags(long rest) {
    return (rest & HAS_FLAGS) != 0;
  }

  static int flags(long rest) {
    return (int) (rest >>> 36) & 0xFFFF;
  }

  static int tos(long rest) {
    return (int) (rest >>> 28) & 0xFF;
  }

  static int minTtl(long rest) {
    return (int) (rest >>> 20) & TTL_MASK;
  }

  static int maxTtl(long rest) {
    return (int) (rest >>> 12) & TTL_MASK;
  }

  static int vlan(long rest) {
    return (int) rest & 0xFFF;
  }

  int size() {
    return size;
  }

  boolean isFull() {
    return size == maxFlows;
  }

  long word(int flow, int word) {
    return words[flow * WORDS + word];
  }

  long first(int flow) {
    return word(flow, FIRST);
  }

  long last(int flow) {
    return word(flow, LAST);
  }

  /** The clock at its last packet. */
  long touched(int flow) {
    return word(flow, TOUCHED);
  }

  boolean isEnded(int flow) {
    return ended[flow];
  }

  /** The flow whose last packet came first, {@link #NONE} without any. */
  int oldest(boolean ofEnded) {
    return oldest[list(ofEnded)];
  }

  private static int list(boolean ofEnded) {
    return ofEnded ? 1 : 0;
  }

  private static long key(IpHeader ip) {
    long key = (long) ip.protocol << 32;
    if (ip.srcPort != IpHeader.NONE) {
      return key | HAS_PORTS | (long) ip.srcPort << 16 | ip.dstPort;
    }
    return ip.icmpTypeCode == IpHeader.NONE ? key : key | HAS_ICMP | ip.icmpTypeCode;
  }

  private int place(long srcHi, long srcLo, long dstHi, long dstLo, long key) {
    long hash = TableHash.of(TableHash.of(srcHi, srcLo) + key, TableHash.of(dstHi, dstLo));
    return (int) (hash ^ hash >>> 32) & (heads.length - 1);
  }

  private int place(int flow) {
    int at = flow * WORDS;
    return place(
        words[at + SRC_HI],
        words[at + SRC_LO],
        words[at + DST_HI],
        words[at + DST_LO],
        words[at + KEY]);
  }

  int find(IpHeader ip) {
    long key = key(ip);
    int flow = heads[place(ip.srcHi, ip.srcLo, ip.dstHi, ip.dstLo, key)];
    while (flow != NONE && !isOf(flow, ip, key)) {
      flow = chain[flow];
    }
    return flow;
  }

  private boolean isOf(int flow, IpHeader ip, long key) {
    int at = flow * WORDS;
    return words[at + KEY] == key
        && words[at + SRC_LO] == ip.srcLo
        && words[at + DST_LO] == ip.dstLo
        && words[at + SRC_HI] == ip.srcHi
        && words[at + DST_HI] == ip.dstHi;
  }

  /** A flow without packets; the caller has made room. */
  int add(IpHeader ip, int vlan, long time) {
    int flow = free;
    if (flow != NONE) {
      free = chain[flow];
    } else {
      if (used == chain.length) {
        grow();
      }
      flow = used++;
    }
    size++;
    int at = flow * WORDS;
    words[at + SRC_HI] = ip.srcHi;
    words[at + SRC_LO] = ip.srcLo;
    words[at + DST_HI] = ip.dstHi;
    words[at + DST_LO] = ip.dstLo;
    words[at + KEY] = key(ip);
    words[at + FIRST] = time;
    words[at + LAST] = time;
    words[at + BYTES] = 0;
    words[at + PACKETS] = 0;
    words[at + REST] =
        (long) ip.tos << 28 | (long) TTL_MASK << 20 | (vlan == IpHeader.NONE ? 0 : vlan);
    ended[flow] = false;
    link(flow, place(flow));
    append(flow, 0);
    return flow;
  }

  private void link(int flow, int place) {
    chain[flow] = heads[place];
    heads[place] = flow;
  }

  private void grow() {
    int capacity = Math.min(maxFlows, 2 * chain.length);
    words = Arrays.copyOf(words, capacity * WORDS);
    chain = Arrays.copyOf(chain, capacity);
    before = Arrays.copyOf(before, capacity);
    after = Arrays.copyOf(after, capacity);
    ended = Arrays.copyOf(ended, capacity);
    heads = emptyHeads(capacity);
    for (int flow = 0; flow < used; flow++) {
      link(flow, place(flow)); // all are in use, as none was free
    }
  }

  /** Adds a packet. */
  void count(int flow, IpHeader ip, long time, long clock, boolean isEnd) {
    int at = flow * WORDS;
    words[at + FIRST] = Math.min(words[at + FIRST], time);
    words[at + LAST] = Math.max(words[at + LAST], time);
    words[at + TOUCHED] = clock;
    words[at + BYTES] += bytes(ip);
    words[at + PACKETS]++;
    long rest = words[at + REST];
    int min = Math.min(minTtl(rest), ip.ttl);
    int max = Math.max(maxTtl(rest), ip.ttl);
    rest &= ~((long) TTL_MASK << 20 | (long) TTL_MASK << 12);
    rest |= (long) min << 20 | (long) max << 12;
    if (ip.tcpFlags != IpHeader.NONE) {
      rest |= HAS_FLAGS | (long) ip.tcpFlags << 36;
    }
    words[at + REST] = rest;
    unlist(flow);
    ended[flow] = isEnd;
    append(flow, list(isEnd));
  }

  /** Without a length in its header (segmented by the network card) what was captured of it. */
  private static long bytes(IpHeader ip) {
    if (ip.length > 0) {
      return ip.length;
    }
    return Math.max(0L, ip.end - ip.transportAt) + (ip.version == 4 ? 20 : 40);
  }

  void remove(int flow) {
    int place = place(flow);
    if (heads[place] == flow) {
      heads[place] = chain[flow];
    } else {
      int at = heads[place];
      while (chain[at] != flow) {
        at = chain[at];
      }
      chain[at] = chain[flow];
    }
    unlist(flow);
    chain[flow] = free;
    free = flow;
    size--;
  }

  private void append(int flow, int list) {
    before[flow] = newest[list];
    after[flow] = NONE;
    if (newest[list] == NONE) {
      oldest[list] = flow;
    } else {
      after[newest[list]] = flow;
    }
    newest[list] = flow;
  }

  private void unlist(int flow) {
    int list = list(ended[flow]);
    if (before[flow] == NONE) {
      oldest[list] = after[flow];
    } else {
      after[before[flow]] = after[flow];
    }
    if (after[flow] == NONE) {
      newest[list] = before[flow];
    } else {
      before[after[flow]] = before[flow];
    }
  }
}

package org.flowmon.jobs.enrich;

import java.time.Instant;

/**
 * A file in MaxMind's format (MaxMind DB File Format Specification 2.0), which maps networks to
 * records:
 *
 * <pre>
 *   search tree    node_count nodes of two record numbers of 24, 28 or 32 bits: the next node, or
 *                  node_count for nothing, or more for a place in the data
 *   16 bytes of 0
 *   data           values with a control byte: type and size; maps, arrays, texts, numbers, pointers
 *   AB CD EF "MaxMind.com"
 *   metadata       a map
 * </pre>
 *
 * <p>The bytes are not trusted. No value is built but the texts and numbers that are asked for; the
 * walks through tree and data are loops with budgets. (MaxMind's own reader builds what a record
 * says, of any depth and size; a test compares with it.)
 */
final class MmdbFile {
  /** Larger files are refused. */
  static final int MAX_BYTES = 512 << 20;

  private static final byte[] MARKER = {
    (byte) 0xab, (byte) 0xcd, (byte) 0xef, 'M', 'a', 'x', 'M', 'i', 'n', 'd', '.', 'c', 'o', 'm'
  };
  private static final int MAX_METADATA = 128 << 10;
  private static final int SEPARATOR = 16;

  /** How often the data may be passed on the way to fields: real files need less than once. */
  private static final int DATA_PASSES = 8;

  private final byte[] bytes;
  private final int nodes;
  private final int recordSize;
  private final boolean isIpv6;
  private final String type;
  private final Instant built;
  private final MmdbValues values;
  private final int dataFrom;
  private final int dataTo;

  /** Receives a network, in ascending order, and the place of its record. */
  @FunctionalInterface
  interface NetworkSink {
    void add(boolean isIpv4, long hi, long lo, int length, int record);
  }

  /** Throws {@link EnrichmentException} that says what is wrong with the bytes. */
  MmdbFile(byte[] bytes) {
    this.bytes = bytes;
    int marker = marker();
    int metadata = marker + MARKER.length;
    MmdbValues of = new MmdbValues(bytes, metadata, bytes.length, MAX_METADATA * 8L);
    this.nodes = (int) number(of, metadata, "node_count", 0, Integer.MAX_VALUE);
    this.recordSize = (int) number(of, metadata, "record_size", 24, 32);
    if (recordSize % 4 != 0) {
      throw new EnrichmentException("record_size is " + recordSize + ", expected 24, 28 or 32");
    }
    this.isIpv6 = number(of, metadata, "ip_version", 4, 6) == 6;
    number(of, metadata, "binary_format_major_version", 2, 2);
    this.built = Instant.ofEpochSecond(number(of, metadata, "build_epoch", 0, 1L << 40));
    String name = of.text(of.field(metadata, "database_type"));
    this.type = name == null ? "" : name;
    long tree = (long) nodes * (recordSize / 4);
    if (tree + SEPARATOR > marker) {
      throw new EnrichmentException(
          "the tree of %,d nodes does not fit into the file: it is cut off or damaged"
              .formatted(nodes));
    }
    this.dataFrom = (int) tree + SEPARATOR;
    this.dataTo = marker;
    this.values =
        new MmdbValues(bytes, dataFrom, dataTo, (long) DATA_PASSES * bytes.length + (1 << 20));
  }

  private int marker() {
    for (int at = bytes.length - MARKER.length;
        at >= 0 && at >= bytes.length - MAX_METADATA;
        at--) {
      int same = 0;
      while (same < MARKER.length && bytes[at + same] == MARKER[same]) {
        same++;
      }
      if (same == MARKER.length) {
        return at;
      }
    }
    throw new EnrichmentException(
        "is not in MaxMind's format: it has no metadata; expected an .mmdb file, which may have"
            + " been packed (.gz, .tar.gz)");
  }

  private static long number(MmdbValues of, int map, String key, long least, long most) {
    Long value = of.number(of.field(map, key));
    if (value == null || value < least || value > most) {
      throw new EnrichmentException(
          "metadata %s is %s, expected %d … %d".formatted(key, value, least, most));
    }
    return value;
  }

  String type() {
    return type;
  }

  Instant built() {
    return built;
  }

  MmdbValues values() {
    return values;
  }

  /**
   * Gives each network with a record, IPv4 first. Networks that an IPv6 tree has for IPv4 under
   * other prefixes (as 2002::/16) are left out.
   */
  void networks(NetworkSink sink) {
    if (nodes == 0) {
      return;
    }
    Walk walk = new Walk(sink);
    if (!isIpv6) {
      walk.from(0, 0, true);
      return;
    }
    long ipv4 = ipv4Start();
    if (ipv4 > nodes) {
      sink.add(true, 0, 0, 0, record(ipv4));
    } else if (ipv4 < nodes) {
      walk.ipv4Start = ipv4;
      walk.from(ipv4, 0, true);
    }
    walk.from(0, 0, false);
  }

  /** The node or record of ::/96, whose last 32 bits are IPv4 addresses. */
  private long ipv4Start() {
    long node = 0;
    for (int i = 0; i < 96 && node < nodes; i++) {
      node = child((int) node, 0);
    }
    return node;
  }

  private long child(int node, int side) {
    int at = node * (recordSize / 4);
    return switch (recordSize) {
      case 24 -> unsigned(at + side * 3, 3);
      case 28 -> {
        int middle = bytes[at + 3] & 0xff;
        long top = side == 0 ? middle >>> 4 : middle & 0xf;
        yield top << 24 | unsigned(at + side * 4, 3);
      }
      default -> unsigned(at + side * 4, 4);
    };
  }

  private long unsigned(int at, int length) {
    long value = 0;
    for (int i = 0; i < length; i++) {
      value = value << 8 | (bytes[at + i] & 0xff);
    }
    return value;
  }

  private int record(long pointer) {
    long at = pointer - nodes - SEPARATOR + dataFrom;
    if (at < dataFrom || at >= dataTo) {
      throw new EnrichmentException("the tree points behind the data: the file is damaged");
    }
    return (int) at;
  }

  /** A walk in depth first order, without recursion. */
  private final class Walk {
    private final NetworkSink sink;
    private final long[] pending = new long[130];
    private final int[] depths = new int[130];
    private final long[] highs = new long[130];
    private final long[] lows = new long[130];
    private long left = 4L * nodes + 1000; // a tree has each node once, and aliases of IPv4
    private long ipv4Start = -1; // none

    Walk(NetworkSink sink) {
      this.sink = sink;
    }

    /** Prefixes are of 32 bits at the top of {@code hi} if the tree is one of IPv4. */
    void from(long root, int depth, boolean isIpv4) {
      int top = 0;
      push(top++, root, depth, 0, 0);
      while (top > 0) {
        top--;
        long node = pending[top];
        int length = depths[top];
        long hi = highs[top];
        long lo = lows[top];
        if (node == nodes || (!isIpv4 && node == ipv4Start)) {
          continue; // nothing, or IPv4
        } else if (node > nodes) {
          sink.add(isIpv4, hi, lo, length, record(node));
          continue;
        }
        if (length == (isIpv4 ? 32 : 128) || --left < 0) {
          throw new EnrichmentException("its tree is none: the file is damaged");
        }
        long bitHi = length < 64 ? 1L << (63 - length) : 0;
        long bitLo = length < 64 ? 0 : 1L << (127 - length);
        push(top++, child((int) node, 1), length + 1, hi | bitHi, lo | bitLo);
        push(top++, child((int) node, 0), length + 1, hi, lo);
      }
    }

    private void push(int at, long node, int depth, long hi, long lo) {
      pending[at] = node;
      depths[at] = depth;
      highs[at] = hi;
      lows[at] = lo;
    }
  }
}

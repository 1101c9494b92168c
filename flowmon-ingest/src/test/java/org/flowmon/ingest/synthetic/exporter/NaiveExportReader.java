package org.flowmon.ingest.synthetic.exporter;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.IpAddress;

/**
 * A plain reader of well-formed v5, v9 and IPFIX datagrams, written from the RFCs and not from the
 * encoders: every record becomes a map from information element to number. Fails on the first
 * error.
 */
final class NaiveExportReader {
  final List<ExportedRow> rows = new ArrayList<>();
  final Map<Integer, Integer> samplingByDomain = new HashMap<>();
  int templatesSeen;
  private final Map<Long, int[][]> templates = new HashMap<>();
  private final Map<Long, int[][]> optionsTemplates = new HashMap<>();
  private final Map<Long, Long> nextSequence = new HashMap<>();

  void read(ByteBuffer in) {
    int version = in.getShort(in.position());
    switch (version) {
      case 5 -> v5(in);
      case 9 -> v9(in);
      case 10 -> ipfix(in);
      default -> throw new AssertionError("version " + version);
    }
    require(!in.hasRemaining(), in.remaining() + " bytes left over");
  }

  private void v5(ByteBuffer in) {
    in.getShort();
    int count = in.getShort();
    long uptime = in.getInt() & 0xFFFF_FFFFL;
    long now = (in.getInt() & 0xFFFF_FFFFL) * 1000 + in.getInt() / 1_000_000;
    sequence(5, in.getInt(), count);
    int domain = in.getShort() & 0xFFFF;
    int sampling = in.getShort();
    if (sampling != 0) {
      samplingByDomain.put(domain, sampling & 0x3FFF);
    }
    for (int i = 0; i < count; i++) {
      Map<Integer, BigInteger> r = new HashMap<>();
      int[][] layout = {
        {8, 4}, {12, 4}, {15, 4}, {10, 2}, {14, 2}, {2, 4}, {1, 4}, {22, 4}, {21, 4}, {7, 2},
        {11, 2}, {0, 1}, {6, 1}, {4, 1}, {5, 1}, {16, 2}, {17, 2}, {9, 1}, {13, 1}, {0, 2}
      };
      fields(in, layout, r);
      rows.add(row(r, now - uptime));
    }
  }

  private void v9(ByteBuffer in) {
    in.getShort();
    int count = in.getShort();
    long uptime = in.getInt() & 0xFFFF_FFFFL;
    long now = (in.getInt() & 0xFFFF_FFFFL) * 1000;
    int sequence = in.getInt();
    int domain = in.getInt();
    sequence((9L << 32) + domain, sequence, 1);
    int found = sets(in, 9, domain, now - uptime);
    require(found == count, "count " + count + " but " + found + " records");
  }

  private void ipfix(ByteBuffer in) {
    int length = in.remaining();
    in.getShort();
    require(in.getShort() == length, "length");
    in.getInt();
    int sequence = in.getInt();
    int domain = in.getInt();
    int templatesBefore = templatesSeen;
    int found = sets(in, 10, domain, 0);
    sequence((10L << 32) + domain, sequence, found - (templatesSeen - templatesBefore));
  }

  private void sequence(long key, int sequence, int step) {
    long expected = nextSequence.getOrDefault(key, 0L);
    require(sequence == expected, "sequence " + sequence + ", expected " + expected);
    nextSequence.put(key, expected + step);
  }

  private int sets(ByteBuffer in, int version, int domain, long boot) {
    int records = 0;
    while (in.hasRemaining()) {
      int start = in.position();
      int id = in.getShort() & 0xFFFF;
      int length = in.getShort() & 0xFFFF;
      require(length % 4 == 0 && length >= 4, "set length " + length);
      ByteBuffer set = in.slice(start + 4, length - 4);
      in.position(start + length);
      int templateSet = version == 9 ? 0 : 2;
      if (id == templateSet) {
        while (set.remaining() >= 4) {
          int template = set.getShort();
          templates.put(key(domain, template), specs(set, set.getShort()));
          records++;
          templatesSeen++;
        }
      } else if (id == templateSet + 1) {
        int template = set.getShort();
        int first = set.getShort();
        int second = set.getShort();
        optionsTemplates.put(
            key(domain, template), specs(set, version == 9 ? (first + second) / 4 : first));
        records++;
        templatesSeen++;
      } else {
        records += data(set, domain, id, boot);
      }
    }
    return records;
  }

  private int data(ByteBuffer set, int domain, int id, long boot) {
    int records = 0;
    int[][] options = optionsTemplates.get(key(domain, id));
    int[][] layout = options != null ? options : templates.get(key(domain, id));
    require(layout != null, "no template " + id + " in domain " + domain);
    int size = 0;
    for (int[] f : layout) {
      size += f[1];
    }
    while (set.remaining() >= size) {
      Map<Integer, BigInteger> r = new HashMap<>();
      fields(set, layout, r);
      if (options != null) {
        samplingByDomain.put(domain, r.get(34).intValueExact());
      } else {
        rows.add(row(r, boot));
      }
      records++;
    }
    require(set.remaining() < 4, set.remaining() + " bytes of padding");
    return records;
  }

  private static long key(int domain, int template) {
    return ((long) domain << 16) + template;
  }

  private static int[][] specs(ByteBuffer set, int count) {
    int[][] specs = new int[count][];
    for (int i = 0; i < count; i++) {
      specs[i] = new int[] {set.getShort() & 0xFFFF, set.getShort() & 0xFFFF};
    }
    return specs;
  }

  private static void fields(ByteBuffer in, int[][] layout, Map<Integer, BigInteger> into) {
    for (int[] f : layout) {
      byte[] bytes = new byte[f[1]];
      in.get(bytes);
      into.put(f[0], new BigInteger(1, bytes));
    }
  }

  private static ExportedRow row(Map<Integer, BigInteger> r, long boot) {
    boolean v4 = r.containsKey(8);
    int protocol = number(r, 4);
    int dstPort = number(r, 11);
    if (protocol == 58) {
      dstPort = number(r, 139);
    } else if (protocol == 1 && r.containsKey(32)) {
      dstPort = number(r, 32);
    }
    return new ExportedRow(
        v4 ? IpAddress.ofIpv4(number(r, 8)) : address(r.get(27)),
        v4 ? IpAddress.ofIpv4(number(r, 12)) : address(r.get(28)),
        number(r, 7),
        dstPort,
        protocol,
        number(r, 5),
        number(r, 6),
        r.get(1).longValueExact(),
        r.get(2).longValueExact(),
        r.containsKey(152) ? r.get(152).longValueExact() : boot + r.get(22).longValueExact(),
        r.containsKey(153) ? r.get(153).longValueExact() : boot + r.get(21).longValueExact(),
        number(r, 15),
        number(r, 10),
        number(r, 14),
        number(r, 16),
        number(r, 17),
        number(r, v4 ? 9 : 29),
        number(r, v4 ? 13 : 30));
  }

  private static int number(Map<Integer, BigInteger> r, int element) {
    return r.getOrDefault(element, BigInteger.ZERO).intValue();
  }

  private static IpAddress address(BigInteger value) {
    return new IpAddress(value.shiftRight(64).longValue(), value.longValue());
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}

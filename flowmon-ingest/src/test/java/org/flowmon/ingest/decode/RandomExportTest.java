package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.junit.jupiter.api.Test;

/** Compares random templates and records with the rows that they were made from. */
class RandomExportTest {
  private static final long SEED = 20261121;
  private static final long SECONDS = 1_750_000_000L;
  private static final int VARIABLE = 0xFFFF;
  private static final IpAddress EXPORTER = IpAddress.parse("2001:db8::1");

  /** An element of a field; each element has its own column. A larger value is NULL. */
  private record Element(FlowColumn column, int id, int pen, int maxLength, long maxValue) {
    Element(FlowColumn column, int id, int pen, int maxLength) {
      this(column, id, pen, maxLength, Long.MAX_VALUE);
    }
  }

  private static final List<Element> ELEMENTS =
      List.of(
          new Element(FlowColumn.BYTES, 1, 0, 8),
          new Element(FlowColumn.PACKETS, 2, 0, 8),
          new Element(FlowColumn.SRC_PORT, 7, 0, 2),
          new Element(FlowColumn.DST_PORT, 11, 0, 2),
          new Element(FlowColumn.PROTOCOL, 4, 0, 1),
          new Element(FlowColumn.TCP_FLAGS, 6, 0, 2),
          new Element(FlowColumn.TOS, 5, 0, 1),
          new Element(FlowColumn.INPUT_IF, 10, 0, 4),
          new Element(FlowColumn.OUTPUT_IF, 14, 0, 4),
          new Element(FlowColumn.SRC_AS, 16, 0, 4),
          new Element(FlowColumn.VLAN, 58, 0, 2),
          new Element(FlowColumn.FLOW_DIRECTION, 61, 0, 1, 1),
          new Element(FlowColumn.FLOW_END_REASON, 136, 0, 1),
          new Element(FlowColumn.IPV6_FLOW_LABEL, 31, 0, 4, 0xF_FFFF),
          new Element(FlowColumn.REVERSE_BYTES, 1, 29305, 8),
          new Element(FlowColumn.REVERSE_PACKETS, 2, 29305, 8),
          new Element(FlowColumn.REVERSE_TCP_FLAGS, 6, 29305, 2),
          new Element(FlowColumn.POST_BYTES, 23, 0, 8),
          new Element(FlowColumn.POST_PACKETS, 24, 0, 8),
          new Element(FlowColumn.FORWARDING_STATUS, 89, 0, 1),
          new Element(FlowColumn.FIREWALL_EVENT, 233, 0, 1),
          new Element(FlowColumn.NAT_EVENT, 230, 0, 1),
          new Element(FlowColumn.INGRESS_VRF, 234, 0, 4),
          new Element(FlowColumn.EGRESS_VRF, 235, 0, 4),
          new Element(FlowColumn.POST_VLAN, 254, 0, 2),
          new Element(FlowColumn.MIN_TTL, 52, 0, 1),
          new Element(FlowColumn.MAX_TTL, 53, 0, 1),
          new Element(FlowColumn.FRAGMENT_FLAGS, 197, 0, 1),
          new Element(FlowColumn.FRAGMENT_ID, 54, 0, 4),
          new Element(FlowColumn.SAMPLER_ID, 302, 0, 8),
          new Element(FlowColumn.TCP_RETRANSMITS, 109, 35632, 4),
          new Element(FlowColumn.SRC_ADDR, 8, 0, 4),
          new Element(FlowColumn.DST_ADDR, 28, 0, 16),
          new Element(FlowColumn.END_TIME, 153, 0, 8),
          // Not decoded: unknown, of an enterprise, of a length that the element cannot have.
          new Element(null, 300, 0, 16),
          new Element(null, 1, 9999, 8),
          new Element(null, 12, 0, 3));

  private record Field(Element element, int length) {}

  @Test
  void rowsAreWhatTheRecordsWereMadeOf() {
    for (int round = 0; round < 500; round++) {
      Random random = new Random(SEED + round);
      boolean ipfix = random.nextBoolean();
      List<Field> fields = fields(random, ipfix);
      List<Map<FlowColumn, Object>> expected = new ArrayList<>();
      ExportBytes sets = new ExportBytes();
      sets.set(ipfix ? 2 : 0, template(fields, ipfix));
      int setCount = 1 + random.nextInt(3);
      for (int s = 0; s < setCount; s++) {
        ExportBytes body = new ExportBytes();
        int records = random.nextInt(150);
        for (int i = 0; i < records; i++) {
          expected.add(record(random, fields, body));
        }
        sets.set(256, body.toBytes());
      }
      byte[] datagram =
          ipfix
              ? ExportBytes.ipfix(SECONDS, 7, 5, sets.toBytes())
              : ExportBytes.v9(expected.size() + 1, 10_000, SECONDS, 7, 5, sets.toBytes());
      String where = "seed " + (SEED + round) + ", " + fields;
      if (ipfix && datagram.length > 0xFFFF) {
        continue;
      }
      IngestCounters counters = new IngestCounters();
      FlowRecorder recorder = new FlowRecorder(1 + random.nextInt(200));
      byte[] shifted = new byte[datagram.length + 3];
      System.arraycopy(datagram, 0, shifted, 3, datagram.length);
      new ExportDecoder(
              counters, new BadDatagramSamples(1), ProtectedNetworks.NONE, DecoderLimits.defaults())
          .decode(shifted, 3, datagram.length, EXPORTER, 1, 99, recorder);
      assertEquals(1, counters.get(IngestCounter.DATAGRAMS_DECODED), where + counters);
      assertEquals(expected.size(), recorder.rows().size(), where + counters);
      for (int i = 0; i < expected.size(); i++) {
        compare(expected.get(i), recorder.rows().get(i), where + ", row " + i);
      }
    }
  }

  private static void compare(
      Map<FlowColumn, Object> expected, Map<FlowColumn, Object> row, String where) {
    for (Element element : ELEMENTS) {
      FlowColumn column = element.column();
      if (column != null && column != FlowColumn.END_TIME) {
        assertEquals(expected.get(column), row.get(column), where + ", " + column);
      }
    }
    Object end = expected.getOrDefault(FlowColumn.END_TIME, SECONDS * 1_000_000);
    assertEquals(end, row.get(FlowColumn.END_TIME), where);
    assertEquals(99L, row.get(FlowColumn.ARRIVAL), where);
    assertEquals(EXPORTER, row.get(FlowColumn.EXPORTER), where);
    assertEquals(5L, row.get(FlowColumn.OBSERVATION_DOMAIN), where);
    assertEquals(7L, row.get(FlowColumn.FLOW_SEQUENCE), where);
  }

  private static List<Field> fields(Random random, boolean ipfix) {
    List<Field> fields = new ArrayList<>();
    Set<FlowColumn> used = new HashSet<>();
    int count = 1 + random.nextInt(25);
    for (int i = 0; i < count; i++) {
      Element element = ELEMENTS.get(random.nextInt(ELEMENTS.size()));
      if ((element.pen() != 0 && !ipfix)
          || (element.column() != null && !used.add(element.column()))) {
        continue;
      }
      boolean fixed =
          element.column() != null
              && (element.column().type() == org.flowmon.flow.ColumnType.ADDRESS
                  || element.column() == FlowColumn.END_TIME);
      int length =
          fixed || element.id() == 12
              ? element.maxLength()
              : element.column() == null && ipfix && random.nextInt(3) == 0
                  ? VARIABLE
                  : 1 + random.nextInt(element.maxLength());
      fields.add(new Field(element, length));
    }
    if (fields.isEmpty()) {
      fields.add(new Field(ELEMENTS.get(0), 4));
    }
    return fields;
  }

  private static byte[] template(List<Field> fields, boolean ipfix) {
    ExportBytes bytes = new ExportBytes().u16(256).u16(fields.size());
    for (Field field : fields) {
      int pen = ipfix ? field.element().pen() : 0;
      bytes.u16(field.element().id() | (pen != 0 ? 0x8000 : 0)).u16(field.length());
      if (pen != 0) {
        bytes.u32(pen);
      }
    }
    return bytes.toBytes();
  }

  private static Map<FlowColumn, Object> record(Random random, List<Field> fields, ExportBytes to) {
    Map<FlowColumn, Object> row = new TreeMap<>();
    for (Field field : fields) {
      FlowColumn column = field.element().column();
      if (column == null) {
        unknown(random, field.length(), to);
      } else if (column == FlowColumn.SRC_ADDR) {
        int address = random.nextInt();
        to.u32(address);
        row.put(column, IpAddress.ofIpv4(address));
      } else if (column == FlowColumn.DST_ADDR) {
        IpAddress address = new IpAddress(random.nextLong(), random.nextLong());
        to.u64(address.hi()).u64(address.lo());
        row.put(column, address);
      } else if (column == FlowColumn.END_TIME) {
        // Between the years 2000 and 2025; 0 and a time in a hundred years are unknown.
        long millis =
            switch (random.nextInt(6)) {
              case 0 -> 0;
              case 1 -> SECONDS * 1000 + 100L * 365 * 86_400_000;
              default -> 946_684_800_000L + (random.nextLong() >>> 1) % 803_315_200_000L;
            };
        to.u64(millis);
        if (millis > 0 && millis <= SECONDS * 1000) {
          row.put(column, millis * 1000);
        }
      } else {
        long value = random.nextLong() >>> random.nextInt(64);
        value = field.length() < 8 ? value & ((1L << (8 * field.length())) - 1) : value;
        to.number(value, field.length());
        boolean isPlausible = value >= 0 && value <= field.element().maxValue();
        if (isPlausible && !(column == FlowColumn.SRC_AS && value == 0)) {
          row.put(column, value);
        }
      }
    }
    return row;
  }

  private static void unknown(Random random, int length, ExportBytes to) {
    int bytes = length;
    if (length == VARIABLE) {
      bytes = random.nextInt(8) == 0 ? 255 + random.nextInt(10) : random.nextInt(40);
      if (bytes < 255 && random.nextBoolean()) {
        to.u8(bytes);
      } else {
        to.u8(255).u16(bytes); // the long form may carry short lengths, too
      }
    }
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    to.bytes(content);
  }
}

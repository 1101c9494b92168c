package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.record.OwnElement;
import org.flowmon.ingest.decode.record.RecordProgram;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * Elements that fill users' columns. These are the process's, so each test runs in a process of its
 * own.
 */
class OwnElementsTest {
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");
  private static final long SEED = 20261126;
  private static final int VENDOR = 9;
  private static final int VARIABLE = 0xFFFF;

  @Test
  void randomRecordsGiveTheValuesThatTheyWereMadeOf() throws Exception {
    run("values");
  }

  @Test
  void wrongDefinitionsAreRefused() throws Exception {
    run("refused");
  }

  private static void run(String test) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OwnElementsTest.class.getName(),
                test)
            .redirectErrorStream(true)
            .start();
    try {
      String out = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      child.waitFor(1, TimeUnit.MINUTES);
      assertEquals(0, child.exitValue(), out);
    } finally {
      child.destroyForcibly();
    }
  }

  /** Runs one test. */
  public static void main(String[] args) {
    if (args[0].equals("values")) {
      new Values().test();
    } else {
      refused();
    }
  }

  private static void refused() {
    FlowColumn text = FlowColumn.define(200, "name", ColumnType.TEXT, "");
    FlowColumn wait = FlowColumn.define(201, "wait", ColumnType.DURATION, "us");
    refused(text, "9/1:unsigned32", "does not fit column name of type text; it fits uint8, ");
    refused(text, "9/1:string:ms", "is no duration: leave the unit out, as in '9/1:string'");
    refused(text, "noSuchElement", "no element 'noSuchElement'");
    refused(text, "9/70000:string", "an element 16");
    refused(text, "4294967296/1:string", "an enterprise has 32 bits");
    refused(text, "9/1:basicList", "no column takes the type 'basicList'");
    refused(wait, "9/1:unsigned32", "add its unit, as in '9/1:unsigned32:ms'");
    OwnElement.define(wait, "9/1:unsigned32:ms");
    OwnElement.define(wait, "flowActiveTimeout"); // the registry has its unit
    OwnElement.define(text, "interfaceName");
  }

  private static void refused(FlowColumn column, String element, String why) {
    String message =
        Assertions.assertThrows(
                IllegalArgumentException.class, () -> OwnElement.define(column, element))
            .getMessage();
    Assertions.assertTrue(message.contains(why), message);
  }

  /** A field with a random value, and what its column must have; null: nothing. */
  private interface Field {
    Object write(Random random, ExportBytes out);
  }

  private record Element(FlowColumn column, int id, int length, Field field) {}

  /** Random templates of users' elements between others, of fixed and of variable length. */
  private static final class Values {
    private final IngestCounters counters = new IngestCounters();
    private final Map<Integer, Element> elements = new TreeMap<>();

    private void add(int id, String type, ColumnType column, String unit, int length, Field field) {
      FlowColumn own = FlowColumn.define(192 + id, "own_" + id, column, unit);
      OwnElement.define(own, VENDOR + "/" + id + ":" + type);
      elements.put(id, new Element(own, id, length, field));
    }

    void test() {
      add(
          1,
          "unsigned32",
          ColumnType.UINT16,
          "",
          4,
          (r, out) -> {
            long value = r.nextInt(1 << 17);
            out.u32(value);
            return value > 0xFFFF ? null : value;
          });
      add(
          2,
          "signed16",
          ColumnType.NUMBER,
          "",
          2,
          (r, out) -> {
            short value = (short) r.nextInt();
            out.u16(value);
            return (long) value;
          });
      add(
          3,
          "float64",
          ColumnType.NUMBER,
          "ms/1000",
          8,
          (r, out) -> {
            double value = r.nextInt(9) == 0 ? Double.NaN : r.nextGaussian() * 100;
            out.u64(Double.doubleToLongBits(value));
            return Double.isNaN(value) ? null : Math.round(value * 1000);
          });
      add(
          4,
          "float32",
          ColumnType.NUMBER,
          "",
          4,
          (r, out) -> {
            float value = r.nextInt(9) == 0 ? Float.POSITIVE_INFINITY : r.nextInt(1 << 20);
            out.u32(Float.floatToIntBits(value));
            return Float.isInfinite(value) ? null : (long) value;
          });
      add(
          5,
          "unsigned64:ns",
          ColumnType.DURATION,
          "us",
          8,
          (r, out) -> {
            long nanos = r.nextInt(1 << 20) * 1000L;
            out.u64(nanos);
            return nanos / 1000;
          });
      add(
          6,
          "boolean",
          ColumnType.BOOLEAN,
          "",
          1,
          (r, out) -> {
            int value = r.nextInt(4);
            out.u8(value);
            return value == 1 ? 1L : value == 2 ? (Object) 0L : null;
          });
      add(
          7,
          "ipv4Address",
          ColumnType.ADDRESS,
          "",
          4,
          (r, out) -> {
            int value = r.nextInt();
            out.u32(value);
            return IpAddress.ofIpv4(value);
          });
      add(
          8,
          "ipv6Address",
          ColumnType.ADDRESS,
          "",
          16,
          (r, out) -> {
            IpAddress value = new IpAddress(r.nextLong(), r.nextLong());
            out.u64(value.hi()).u64(value.lo());
            return value;
          });
      add(
          9,
          "macAddress",
          ColumnType.TEXT,
          "",
          6,
          (r, out) -> {
            out.u16(0x001B).u32(0x213C_9DF8L);
            return "00:1b:21:3c:9d:f8";
          });
      add(
          10,
          "dateTimeMilliseconds",
          ColumnType.TIMESTAMP,
          "us",
          8,
          (r, out) -> {
            long millis = r.nextLong() >>> 20;
            out.u64(millis);
            return millis <= Long.MAX_VALUE / 1000 ? (Object) (millis * 1000) : null;
          });
      add(
          11,
          "unsigned64",
          ColumnType.COUNT,
          "B",
          3,
          (r, out) -> {
            long value = r.nextInt(1 << 24);
            out.number(value, 3);
            return value;
          });
      add(
          12,
          "string",
          ColumnType.TEXT,
          "",
          8,
          (r, out) -> {
            byte[] text = text(r, 8);
            out.bytes(Arrays.copyOf(text, 8));
            return text.length == 0 ? null : new String(text, StandardCharsets.US_ASCII);
          });
      add(
          13,
          "string",
          ColumnType.TEXT,
          "",
          VARIABLE,
          (r, out) -> {
            byte[] text = text(r, 300);
            if (r.nextBoolean() || text.length >= 255) {
              out.u8(255).u16(text.length);
            } else {
              out.u8(text.length);
            }
            out.bytes(text);
            int kept = Math.min(128, text.length);
            return kept == 0 ? null : new String(text, 0, kept, StandardCharsets.US_ASCII);
          });
      add(
          14,
          "unsigned32",
          ColumnType.UINT32,
          "",
          VARIABLE,
          (r, out) -> {
            int length = r.nextInt(10);
            long value = r.nextInt(256);
            out.u8(length).number(value, length);
            return length == 0 || length > 8 ? null : (Object) value;
          });
      Random random = new Random(SEED);
      for (int round = 0; round < 400; round++) {
        round(random, 1 + random.nextInt(90), random.nextBoolean());
      }
      assertEquals(0, counters.get(IngestCounter.DATAGRAMS_DAMAGED), counters.toString());
      // The stated length of a text takes no room for each record.
      int[] fields = {VENDOR, 12, 60_000, VENDOR, 13, VARIABLE};
      assertEquals(16, RecordProgram.compile(fields).stride());
      hostile(random);
    }

    private static byte[] text(Random random, int most) {
      byte[] text = new byte[random.nextInt(most + 1)];
      for (int i = 0; i < text.length; i++) {
        text[i] = (byte) ('a' + random.nextInt(26));
      }
      return text;
    }

    private void round(Random random, int records, boolean variable) {
      List<Element> chosen =
          elements.values().stream()
              .filter(e -> random.nextBoolean() && (variable || e.length != VARIABLE))
              .toList();
      ExportBytes template = new ExportBytes().u16(256).u16(2 * chosen.size() + 1).u16(4).u16(1);
      for (Element element : chosen) {
        template.u16(element.id | 0x8000).u16(element.length).u32(VENDOR);
        template.u16(999).u16(3); // no element that is decoded
      }
      FlowRecorder recorder = new FlowRecorder(100);
      ExportDecoder decoder = decoder();
      send(decoder, recorder, new ExportBytes().set(2, template.toBytes()));
      for (int i = 0; i < records; i++) {
        ExportBytes data = new ExportBytes().u8(i);
        Map<FlowColumn, Object> expected = new TreeMap<>();
        for (Element element : chosen) {
          Object value = element.field.write(random, data);
          if (value != null) {
            expected.put(element.column, value);
          }
          data.number(random.nextInt(), 3);
        }
        send(decoder, recorder, new ExportBytes().set(256, data.toBytes()));
        Map<FlowColumn, Object> row = new TreeMap<>(recorder.rows().get(i));
        assertEquals((long) i, row.get(FlowColumn.PROTOCOL));
        row.keySet().removeIf(column -> column.id() < FlowColumn.FIRST_OWN_ID);
        assertEquals(expected, row, "record " + i);
      }
    }

    /** Fields of any length, and data that ends anywhere: nothing is thrown. */
    private void hostile(Random random) {
      for (int round = 0; round < 2000; round++) {
        ExportBytes template = new ExportBytes().u16(256).u16(14);
        for (int id = 1; id <= 14; id++) {
          int length = random.nextInt(3) == 0 ? VARIABLE : random.nextInt(20);
          template.u16(id | 0x8000).u16(length).u32(VENDOR);
        }
        byte[] data = new byte[random.nextInt(1000)];
        random.nextBytes(data);
        byte[] sets = new ExportBytes().set(2, template.toBytes()).set(256, data).toBytes();
        byte[] datagram = ExportBytes.ipfix(1_750_000_000L, 0, 0, sets);
        FlowRecorder recorder = new FlowRecorder(100);
        decoder().decode(datagram, 0, datagram.length, EXPORTER, 2055, 1, recorder);
        recorder.rows();
      }
    }

    private ExportDecoder decoder() {
      return new ExportDecoder(
          counters, new BadDatagramSamples(1), ProtectedNetworks.NONE, DecoderLimits.defaults());
    }

    private static void send(ExportDecoder decoder, FlowRecorder recorder, ExportBytes sets) {
      byte[] datagram = ExportBytes.ipfix(1_750_000_000L, 0, 0, sets.toBytes());
      decoder.decode(datagram, 0, datagram.length, EXPORTER, 2055, 1, recorder);
    }
  }
}

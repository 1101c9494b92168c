package org.flowmon.ingest.file.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapReaderTest {
  private static final long SEED = 20261121;
  private static final byte[] PAYLOAD = {1, 2, 3, 4, 5};
  private static final long SECONDS = 1_750_000_000L;

  @TempDir private Path folder;
  private final IngestCounters counters = new IngestCounters();

  @Test
  void everyLinkLayerLeadsToTheDatagram() throws IOException {
    byte[] ip = ipv4(0, 17, udp());
    byte[] ip6 = ipv6(udp());
    byte[][] packets = {
      concat(new byte[12], u16(0x0800), ip),
      concat(new byte[12], u16(0x8100), u16(5), u16(0x86DD), ip6),
      concat(new byte[12], u16(0x88A8), u16(5), u16(0x8100), u16(6), u16(0x0800), ip),
      ip,
      ip6,
      concat(new byte[] {2, 0, 0, 0}, ip),
      concat(new byte[14], u16(0x0800), ip),
      concat(u16(0x86DD), new byte[18], ip6),
    };
    int[] links = {1, 1, 1, 101, 101, 0, 113, 276};
    for (int i = 0; i < packets.length; i++) {
      for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
        expectDatagram(write(pcap(order, links[i], packets[i]), i % 2 == 0), 1, 123_456);
        expectDatagram(write(pcapng(order, links[i], packets[i]), i % 2 == 1), 1, 123_456);
      }
    }
  }

  @Test
  void whatIsNoWholeDatagramIsLeftOutByReason() throws IOException {
    byte[] udp = udp();
    byte[] file =
        pcap(
            ByteOrder.BIG_ENDIAN,
            101,
            ipv4(0x2000, 17, udp),
            ipv4(5, 17, udp),
            ipv4(0, 6, udp),
            Arrays.copyOf(ipv4(0, 17, udp), 26),
            Arrays.copyOf(ipv4(0, 17, udp), 32),
            new byte[0],
            ipv4(0, 17, udp));
    expectDatagram(write(file, false), 1, 123_456);
    assertEquals(7, counters.get(IngestCounter.PACKETS_READ));
    assertEquals(2, counters.get(IngestCounter.PACKETS_SKIPPED_FRAGMENT));
    assertEquals(2, counters.get(IngestCounter.PACKETS_SKIPPED_NOT_UDP));
    assertEquals(2, counters.get(IngestCounter.PACKETS_SKIPPED_TRUNCATED));
  }

  @Test
  void aFileThatEndsWithinAPacketGivesThoseBefore() throws IOException {
    byte[] packet = ipv4(0, 17, udp());
    byte[] file = pcap(ByteOrder.LITTLE_ENDIAN, 101, packet, packet);
    expectDatagram(write(Arrays.copyOf(file, file.length - 3), false), 1, 123_456);
    assertEquals(1, counters.get(IngestCounter.PACKETS_SKIPPED_TRUNCATED));
  }

  @Test
  void aFileThatIsNoCaptureIsNamed() throws IOException {
    Path file = write(new byte[] {'h', 'e', 'l', 'l', 'o'}, false);
    IOException thrown = assertThrows(IOException.class, () -> PcapReader.open(file, counters));
    assertTrue(thrown.getMessage().contains(file.toString()), thrown.getMessage());
    assertThrows(
        UnknownFormatException.class, () -> InputFormat.detect(file, ColumnNames.DEFAULTS));
  }

  @Test
  void mutatedCapturesAreReadOrRefusedWithTheirName() throws IOException {
    byte[] packet = concat(new byte[12], u16(0x0800), ipv4(0, 17, udp()));
    byte[][] files = {
      pcap(ByteOrder.LITTLE_ENDIAN, 1, packet, packet, packet),
      pcapng(ByteOrder.BIG_ENDIAN, 1, packet, packet, packet),
    };
    Random random = new Random(SEED);
    for (int round = 0; round < 2000; round++) {
      byte[] bytes = files[round % 2].clone();
      for (int f = 0; f <= random.nextInt(4); f++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      Path file = write(Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)), false);
      try (PcapReader reader = PcapReader.open(file, counters)) {
        int read = 0;
        while (reader.next()) {
          assertTrue(reader.offset() + reader.length() <= reader.bytes().length);
          read++;
        }
        assertTrue(read <= 4, "seed " + SEED + ", round " + round);
      } catch (IOException e) {
        assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
      }
    }
  }

  @Test
  void anIpfixFileIsReadMessageByMessage() throws IOException {
    Path file = TestData.path("fixtures/ipfixcol2/doc/data/ipfix/example_flows.ipfix");
    assertEquals(InputFormat.IPFIX, InputFormat.detect(file, ColumnNames.DEFAULTS));
    FlowRecorder recorder = new FlowRecorder(100);
    new ExportsOfFile(
            counters,
            new BadDatagramSamples(1),
            ProtectedNetworks.NONE,
            DecoderLimits.defaults(),
            TunnelHeaders.INNER)
        .read(file, recorder);
    assertEquals(68, counters.get(IngestCounter.DATAGRAMS_DECODED), counters.toString());
    assertEquals(200_032, counters.get(IngestCounter.BYTES_RECEIVED));
    assertEquals(0, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    // tshark's count and sum.
    assertEquals(3979, recorder.rows().size());
    assertEquals(49_001_404, sum(recorder, FlowColumn.BYTES));
    assertEquals(56_695, sum(recorder, FlowColumn.PACKETS));
    assertEquals(0, counters.get(IngestCounter.VALUES_DROPPED_IMPLAUSIBLE));
    for (Map<FlowColumn, Object> row : recorder.rows()) {
      assertFalse(row.containsKey(FlowColumn.EXPORTER), "a file does not know who exported it");
    }
    assertEquals(recorder.rows().size(), counters.get(IngestCounter.FLOWS_DECODED));
  }

  private static long sum(FlowRecorder recorder, FlowColumn column) {
    return recorder.rows().stream().mapToLong(row -> (Long) row.getOrDefault(column, 0L)).sum();
  }

  private void expectDatagram(Path file, int count, long micros) throws IOException {
    try (PcapReader reader = PcapReader.open(file, counters)) {
      int seen = 0;
      while (reader.next()) {
        assertArrayEquals(
            PAYLOAD,
            Arrays.copyOfRange(reader.bytes(), reader.offset(), reader.offset() + reader.length()));
        assertEquals(1111, reader.sourcePort());
        assertTrue(
            reader.source().equals(IpAddress.parse("10.0.0.1"))
                || reader.source().equals(IpAddress.parse("2001:db8::1")),
            reader.source().toString());
        assertEquals(SECONDS * 1_000_000 + micros, reader.timeMicros());
        seen++;
      }
      assertEquals(count, seen, file.toString());
    }
  }

  private Path write(byte[] bytes, boolean gzip) throws IOException {
    Path file = folder.resolve("capture" + (gzip ? ".gz" : ""));
    try (OutputStream raw = Files.newOutputStream(file);
        OutputStream out = gzip ? new GZIPOutputStream(raw) : raw) {
      out.write(bytes);
    }
    return file;
  }

  private static byte[] pcap(ByteOrder order, int link, byte[]... packets) {
    ByteBuffer out = ByteBuffer.allocate(10_000).order(order);
    boolean nanos = order == ByteOrder.BIG_ENDIAN;
    out.putInt(nanos ? PcapPackets.NANOSECONDS : PcapPackets.MICROSECONDS);
    out.putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(65535).putInt(link);
    for (byte[] packet : packets) {
      out.putInt((int) SECONDS).putInt(nanos ? 123_456_789 : 123_456);
      out.putInt(packet.length).putInt(packet.length).put(packet);
    }
    return Arrays.copyOf(out.array(), out.position());
  }

  private static byte[] pcapng(ByteOrder order, int link, byte[]... packets) {
    ByteBuffer out = ByteBuffer.allocate(10_000).order(order);
    out.putInt(PcapngPackets.SECTION_HEADER).putInt(28).putInt(0x1A2B3C4D);
    out.putShort((short) 1).putShort((short) 0).putLong(-1).putInt(28);
    boolean binary = order == ByteOrder.BIG_ENDIAN; // units of 2^-20 s, else 10^-9 s
    out.putInt(1).putInt(32).putShort((short) link).putShort((short) 0).putInt(0);
    out.putShort((short) 9).putShort((short) 1).put((byte) (binary ? 0x94 : 9));
    out.put(new byte[3]).putInt(0).putInt(32);
    out.putInt(0x0BAD).putInt(16).putInt(7).putInt(16); // a block of an unknown type
    long time =
        binary
            ? (SECONDS << 20) + ((123_456L << 20) + 999_999) / 1_000_000
            : SECONDS * 1_000_000_000 + 123_456_789;
    for (byte[] packet : packets) {
      int padded = (packet.length + 3) & ~3;
      out.putInt(6).putInt(32 + padded).putInt(0).putInt((int) (time >>> 32)).putInt((int) time);
      out.putInt(packet.length).putInt(packet.length).put(packet);
      out.put(new byte[padded - packet.length]).putInt(32 + padded);
    }
    return Arrays.copyOf(out.array(), out.position());
  }

  private static byte[] udp() {
    return concat(u16(1111), u16(2055), u16(8 + PAYLOAD.length), u16(0), PAYLOAD);
  }

  private static byte[] ipv4(int fragment, int protocol, byte[] body) {
    ByteBuffer ip = ByteBuffer.allocate(20 + body.length);
    ip.put((byte) 0x45).put((byte) 0).putShort((short) ip.capacity()).putShort((short) 1);
    ip.putShort((short) fragment).put((byte) 64).put((byte) protocol).putShort((short) 0);
    ip.putInt(0x0A000001).putInt(0x0A000002).put(body);
    return ip.array();
  }

  /** With a hop-by-hop header and the header of an atomic fragment. */
  private static byte[] ipv6(byte[] body) {
    ByteBuffer ip = ByteBuffer.allocate(56 + body.length);
    ip.putInt(0x60000000).putShort((short) (16 + body.length)).put((byte) 0).put((byte) 64);
    ip.putLong(0x20010DB800000000L).putLong(1).putLong(0x20010DB800000000L).putLong(2);
    ip.put((byte) 44).put((byte) 0).put(new byte[6]);
    ip.put((byte) 17).put((byte) 0).put(new byte[6]).put(body);
    return ip.array();
  }

  private static byte[] u16(int value) {
    return new byte[] {(byte) (value >>> 8), (byte) value};
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}

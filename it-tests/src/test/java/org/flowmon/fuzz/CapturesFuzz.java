package org.flowmon.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Captures and IPFIX files: pcap in both byte orders, pcapng, IPFIX, plain or gzipped. */
final class CapturesFuzz implements FuzzTarget {
  @Override
  public String name() {
    return "captures";
  }

  @Override
  public String about() {
    return "pcap, pcapng and IPFIX files, plain or gzipped; exports in them, and flows of their"
        + " packets";
  }

  @Override
  public List<byte[]> seeds() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    byte[] packet = udp(ExportBytes.v5(2));
    seeds.add(pcap(packet, ByteOrder.LITTLE_ENDIAN));
    seeds.add(pcap(packet, ByteOrder.BIG_ENDIAN));
    seeds.add(pcapng(packet));
    byte[] template = new ExportBytes().set(2, ExportBytes.flowTemplate(256)).toBytes();
    byte[] data = new ExportBytes().set(256, ExportBytes.flowRecord(1)).toBytes();
    ByteArrayOutputStream ipfix = new ByteArrayOutputStream();
    ipfix.writeBytes(ExportBytes.ipfix(template));
    ipfix.writeBytes(ExportBytes.ipfix(data));
    seeds.add(ipfix.toByteArray());
    seeds.add(pcap(PacketsFuzz.frame(), ByteOrder.LITTLE_ENDIAN));
    seeds.add(FileReading.gzip(pcap(packet, ByteOrder.LITTLE_ENDIAN)));
    return seeds;
  }

  /** Ethernet, IPv4 and UDP headers before a datagram. */
  private static byte[] udp(byte[] datagram) {
    ByteBuffer packet = ByteBuffer.allocate(42 + datagram.length);
    packet.position(12);
    packet.putShort((short) 0x0800).put((byte) 0x45).put((byte) 0);
    packet.putShort((short) (28 + datagram.length)).putInt(0).put((byte) 64).put((byte) 17);
    packet.putShort((short) 0).putInt(0xC0000202).putInt(0xC0000203);
    packet.putShort((short) 4000).putShort((short) 2055);
    packet.putShort((short) (8 + datagram.length)).putShort((short) 0).put(datagram);
    return packet.array();
  }

  private static byte[] pcap(byte[] packet, ByteOrder order) {
    ByteBuffer file = ByteBuffer.allocate(24 + 16 + packet.length).order(order);
    file.putInt(0xA1B2C3D4).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0);
    file.putInt(65535).putInt(1);
    file.putInt(1_790_000_000).putInt(5).putInt(packet.length).putInt(packet.length).put(packet);
    return file.array();
  }

  private static byte[] pcapng(byte[] packet) {
    int padded = (packet.length + 3) & ~3;
    ByteBuffer file = ByteBuffer.allocate(28 + 20 + 32 + padded).order(ByteOrder.LITTLE_ENDIAN);
    file.putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D);
    file.putShort((short) 1).putShort((short) 0).putLong(-1).putInt(28);
    file.putInt(1).putInt(20).putShort((short) 1).putShort((short) 0).putInt(0).putInt(20);
    file.putInt(6).putInt(32 + padded).putInt(0).putInt(0x00065C12).putInt(0x7B3C4000);
    file.putInt(packet.length).putInt(packet.length).put(packet);
    file.position(file.capacity() - 4);
    file.putInt(32 + padded);
    return file.array();
  }

  /** A file that does not begin as one of these is read as text. */
  @Override
  public long allocationLimit(byte[] input) {
    return 2 * FileReading.allocationLimit(input);
  }

  @Override
  public void run(byte[] input) throws IOException {
    FileReading.read(input);
    FileReading.readPackets(input);
  }
}

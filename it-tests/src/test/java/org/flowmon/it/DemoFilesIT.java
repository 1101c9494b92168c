package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo with files in place of routers, as a user runs it. */
final class DemoFilesIT {
  private static final int SECONDS = 1_790_000_000;

  @TempDir Path directory;

  @Test
  void ofADamagedFileTheFlowsBeforeAreStoredTheOthersAreTakenAndAllIsTold() throws Exception {
    Path bad = Files.write(directory.resolve("bad.pcap"), capture(500, true));
    Path good = Files.write(directory.resolve("good.pcap"), capture(200, false));
    Path lines =
        Files.writeString(
            directory.resolve("flows.csv"),
            "end_time,src_addr\n2026-09-21T14:13:30Z,10.0.0.1\n2026-09-21T14:13:31Z,nobody\n");
    try (Program demo =
        Program.flowmon(
            directory,
            "demo",
            "demo",
            "--json",
            "--dir",
            directory.resolve("all").toString(),
            "--input",
            bad.toString(),
            good.toString(),
            lines.toString())) {
      assertEquals(3, demo.await(), demo.printed());
      JsonNode json = new ObjectMapper().readTree(demo.output());
      String said = demo.printed();
      assertEquals(702, json.get("sent").asLong(), said);
      assertEquals(701, json.get("stored").asLong(), said);
      assertEquals(1, json.get("dropped").get("bad_address").asLong(), said);
      assertEquals(1, json.get("not_understood").get("datagrams_dropped_unknown_version").asLong());
      assertEquals(1, json.get("left_out").size(), said);
      JsonNode left = json.get("left_out").get(0);
      assertEquals(bad.toString(), left.get("file").asText(), said);
      assertEquals(500, left.get("flows").asLong(), said);
      assertEquals(0, left.get("reason").asText().indexOf("byte "), said);
      assertFalse(said.contains("ERROR"), said);
    }
  }

  /** A capture of so many flows, each in a datagram of NetFlow v5 (Cisco's format). */
  private static byte[] capture(int flows, boolean damaged) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteBuffer header = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
    header.putInt(0xA1B2C3D4).putShort((short) 2).putShort((short) 4).putInt(16, 65_535);
    out.writeBytes(header.putInt(20, 101).array()); // raw IP
    for (int i = 0; i < flows; i++) {
      out.writeBytes(packet(i, 5));
    }
    out.writeBytes(
        damaged
            ? new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}
            : packet(flows, 77));
    out.writeBytes(damaged ? new byte[100] : "".getBytes(StandardCharsets.US_ASCII));
    return out.toByteArray();
  }

  private static byte[] packet(int number, int version) {
    int udp = 8 + 72;
    ByteBuffer out = ByteBuffer.allocate(16 + 20 + udp);
    out.order(ByteOrder.LITTLE_ENDIAN).putInt(SECONDS + number / 100).putInt(0);
    out.putInt(20 + udp).putInt(20 + udp).order(ByteOrder.BIG_ENDIAN);
    out.put((byte) 0x45).put((byte) 0).putShort((short) (20 + udp)).putInt(0);
    out.put((byte) 64).put((byte) 17).putShort((short) 0).putInt(0x0A000001).putInt(0x0A000002);
    out.putShort((short) 4_000).putShort((short) 2_055).putShort((short) udp).putShort((short) 0);
    out.putShort((short) version).putShort((short) 1).putInt(60_000);
    out.putInt(SECONDS + number / 100).putInt(0).putInt(number);
    return out.array();
  }
}

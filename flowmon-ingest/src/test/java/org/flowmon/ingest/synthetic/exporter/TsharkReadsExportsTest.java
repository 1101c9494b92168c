package org.flowmon.ingest.synthetic.exporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.flowmon.flow.SourceKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Wireshark's dissector reads the encoders' datagrams, field by field. */
final class TsharkReadsExportsTest {
  private static final int PORT = 2055;

  /** A tshark field, and its expected values over all flows in order. */
  private record Field(
      String name, Predicate<ExportedRow> has, Function<ExportedRow, Object> value) {}

  private static final List<Field> FIELDS =
      List.of(
          new Field("cflow.srcaddr", TsharkReadsExportsTest::isIpv4, ExportedRow::src),
          new Field("cflow.dstaddr", TsharkReadsExportsTest::isIpv4, ExportedRow::dst),
          new Field("cflow.srcaddrv6", r -> !isIpv4(r), ExportedRow::src),
          new Field("cflow.dstaddrv6", r -> !isIpv4(r), ExportedRow::dst),
          new Field("cflow.srcport", r -> true, ExportedRow::srcPort),
          new Field("cflow.protocol", r -> true, ExportedRow::protocol),
          new Field("cflow.octets", r -> true, ExportedRow::bytes),
          new Field("cflow.packets", r -> true, ExportedRow::packets),
          new Field("cflow.inputint", r -> true, ExportedRow::inputIf),
          new Field("cflow.outputint", r -> true, ExportedRow::outputIf),
          new Field("cflow.srcas", r -> true, ExportedRow::srcAs),
          new Field("cflow.dstas", r -> true, ExportedRow::dstAs),
          new Field("cflow.srcmask", TsharkReadsExportsTest::isIpv4, ExportedRow::srcMask),
          new Field("cflow.dstmask", TsharkReadsExportsTest::isIpv4, ExportedRow::dstMask));

  private static boolean isIpv4(ExportedRow row) {
    return row.src().isIpv4();
  }

  @TempDir Path directory;

  @BeforeEach
  void tsharkIsThere() throws Exception {
    boolean there;
    try {
      there = run(List.of("tshark", "--version")).get(0).contains("TShark");
    } catch (IOException e) {
      there = false;
    }
    if (!there && "1".equals(System.getenv("FLOWMON_REQUIRE_TOOLS"))) {
      fail("tshark is not installed, and FLOWMON_REQUIRE_TOOLS=1");
    }
    if (!there) {
      abort("skipped: tshark is not installed");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NETFLOW_V5", "NETFLOW_V9", "IPFIX"})
  void everyFieldIsAsItWentIn(SourceKind version) throws Exception {
    ExportEncoderTest.Exported exported =
        ExportEncoderTest.export(new SimulatedRouter(version, 258, 10, 1), 4, 3_000, 1);
    Path pcap = directory.resolve("export.pcap");
    writePcap(pcap, exported.datagrams());
    List<String> command =
        new ArrayList<>(
            List.of("tshark", "-n", "-r", pcap.toString(), "-d", "udp.port==" + PORT + ",cflow"));
    command.addAll(
        List.of("-T", "fields", "-E", "separator=;", "-E", "aggregator=,", "-E", "occurrence=a"));
    for (Field field : FIELDS) {
      command.addAll(List.of("-e", field.name()));
    }
    command.addAll(List.of("-e", "_ws.malformed", "-e", "_ws.expert"));
    List<String> lines = run(command);
    assertEquals(exported.datagrams().size(), lines.size());
    for (int f = 0; f < FIELDS.size(); f++) {
      Field field = FIELDS.get(f);
      int at = f;
      List<String> found =
          lines.stream()
              .map(line -> line.split(";", -1)[at])
              .filter(cell -> !cell.isEmpty())
              .flatMap(cell -> Arrays.stream(cell.split(",")))
              .toList();
      List<String> expected =
          exported.rows().stream()
              .filter(field.has())
              .map(r -> field.value().apply(r).toString())
              .toList();
      assertEquals(expected, found, version + " " + field.name());
    }
    for (String line : lines) {
      assertEquals("", line.split(";", -1)[FIELDS.size()], "malformed");
      assertEquals("", line.split(";", -1)[FIELDS.size() + 1], "expert information");
    }
  }

  private List<String> run(List<String> command) throws IOException, InterruptedException {
    Path errors = directory.resolve("errors.txt");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new AssertionError(command + " failed: " + Files.readString(errors));
    }
    return lines;
  }

  /** Raw IPv4 packets (link type 101) from 127.0.0.1 to itself; checksums are left 0. */
  private static void writePcap(Path file, List<byte[]> datagrams) throws IOException {
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
      out.writeInt(0xA1B2_C3D4);
      out.writeShort(2);
      out.writeShort(4);
      out.writeLong(0);
      out.writeInt(65_535);
      out.writeInt(101);
      int second = (int) (ExportEncoderTest.NOW / 1000);
      for (byte[] datagram : datagrams) {
        int length = 28 + datagram.length;
        out.writeInt(second);
        out.writeInt(0);
        out.writeInt(length);
        out.writeInt(length);
        out.writeInt(0x4500_0000 | length);
        out.writeInt(0);
        out.writeInt(0x4011_0000);
        out.writeInt(0x7F00_0001);
        out.writeInt(0x7F00_0001);
        out.writeShort(PORT);
        out.writeShort(PORT);
        out.writeShort(8 + datagram.length);
        out.writeShort(0);
        out.write(datagram);
      }
    }
  }
}

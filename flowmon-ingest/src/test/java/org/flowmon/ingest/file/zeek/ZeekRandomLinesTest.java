package org.flowmon.ingest.file.zeek;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.flowmon.ingest.TestData;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares random and mutated lines with the naive reader. */
class ZeekRandomLinesTest {
  private static final List<String> NAMES =
      List.of(
          "ts",
          "uid",
          "id.orig_h",
          "id.orig_p",
          "id.resp_h",
          "id.resp_p",
          "proto",
          "service",
          "duration",
          "orig_bytes",
          "resp_bytes",
          "conn_state",
          "local_orig",
          "missed_bytes",
          "history",
          "orig_pkts",
          "orig_ip_bytes",
          "resp_pkts",
          "resp_ip_bytes",
          "vlan");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void randomLinesReadAsTheNaiveReaderReadsThem(long seed) throws IOException {
    Random random = new Random(seed);
    StringBuilder log = new StringBuilder();
    for (int part = 0; part < 3; part++) {
      List<String> names = new ArrayList<>(NAMES);
      Collections.shuffle(names, random);
      log.append("#path\tconn\n#fields\t").append(String.join("\t", names)).append('\n');
      for (int line = 0; line < 2000; line++) {
        List<String> values = new ArrayList<>();
        for (String name : names) {
          values.add(random.nextInt(8) == 0 ? "-" : value(name, random));
        }
        log.append(String.join("\t", values)).append(random.nextInt(50) == 0 ? "\r\n" : "\n");
      }
    }
    assertSame(log.toString().getBytes(StandardCharsets.UTF_8), seed);
  }

  private static String value(String name, Random random) {
    boolean odd = random.nextInt(60) == 0;
    return switch (name) {
      case "ts", "duration" -> odd ? oddDecimal(random) : decimal(random);
      case "id.orig_h", "id.resp_h" ->
          odd
              ? List.of("", "1.2.3", "01.2.3.4", "::g", "1.2.3.4.", "(empty)")
                  .get(random.nextInt(6))
              : address(random);
      case "id.orig_p", "id.resp_p" -> odd ? "65536" : "" + random.nextInt(300);
      case "proto" ->
          List.of("tcp", "udp", "icmp", "unknown_transport", "89", "sctp").get(random.nextInt(6))
              + (odd ? List.of("x", "\0", "xxxxxx").get(random.nextInt(3)) : "");
      case "conn_state" ->
          odd
              ? List.of("S9", "\0SF", "SFSFSFSF").get(random.nextInt(3))
              : List.of("SF", "S0", "RSTRH").get(random.nextInt(3));
      case "local_orig" -> odd ? "X" : random.nextBoolean() ? "T" : "F";
      case "uid" -> "C" + Long.toString(random.nextLong() >>> 1, 36);
      case "service", "history" ->
          odd
              ? "é".repeat(random.nextInt(700))
              : List.of("dns", "ssl,http", "(empty)", "").get(random.nextInt(4));
      case "vlan" -> odd ? "70000" : "" + random.nextInt(4096);
      default ->
          odd ? "" + random.nextLong() + "0" : "" + random.nextLong(1L << random.nextInt(1, 63));
    };
  }

  private static String decimal(Random random) {
    String whole = "" + random.nextLong(1L << random.nextInt(1, 37));
    int digits = random.nextInt(12);
    StringBuilder fraction = new StringBuilder();
    for (int i = 0; i < digits; i++) {
      fraction.append(random.nextInt(3) == 0 ? "5" : random.nextInt(2) == 0 ? "9" : "0");
    }
    return (random.nextInt(20) == 0 ? "-" : "") + whole + (digits == 0 ? "" : "." + fraction);
  }

  private static String oddDecimal(Random random) {
    return List.of(
            "",
            "-.",
            ".",
            "1.",
            ".5",
            "1e3",
            "4.76837158203125e-06",
            "1E+2",
            "1e",
            "e5",
            "1e-40",
            "1e30",
            "+1",
            " 1",
            "1 ",
            "0x1",
            "253402300801",
            "-253402300801",
            "NaN",
            "1.2.3")
        .get(random.nextInt(20));
  }

  private static String address(Random random) {
    if (random.nextBoolean()) {
      return random.nextInt(256) + "." + random.nextInt(256) + ".0." + random.nextInt(256);
    }
    return random.nextBoolean()
        ? "2001:db8::" + Integer.toHexString(random.nextInt(65536))
        : "::ffff:10.0.0." + random.nextInt(256);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
  void mutatedLinesReadAsTheNaiveReaderReadsThemAndNeverThrow(long seed) throws IOException {
    Random random = new Random(seed);
    byte[] log = TestData.read(TestData.path("zeek/rita-odd/open_conns/closed/conn.log"));
    String text = new String(log, StandardCharsets.UTF_8);
    int values = text.indexOf("\n1517") + 1;
    StringBuilder mutated = new StringBuilder(text.substring(0, values));
    String rest = text.substring(values);
    for (int copy = 0; copy < 20; copy++) {
      StringBuilder some = new StringBuilder(rest);
      for (int i = 0; i < 40; i++) {
        mutate(some, random);
      }
      mutated.append(some).append('\n');
    }
    assertSame(mutated.toString().getBytes(StandardCharsets.UTF_8), seed);
  }

  private static void mutate(StringBuilder text, Random random) {
    int at = random.nextInt(text.length());
    String some = "0123456789.-\t\nTFeS:é";
    switch (random.nextInt(4)) {
      case 0 -> text.setCharAt(at, some.charAt(random.nextInt(some.length())));
      case 1 -> text.deleteCharAt(at);
      case 2 -> text.insert(at, some.charAt(random.nextInt(some.length())));
      default -> text.delete(at, Math.min(text.length(), at + random.nextInt(30)));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24})
  void anyBytesAreReadWithoutAnExceptionAndEveryLineIsAccountedFor(long seed) throws IOException {
    Random random = new Random(seed);
    for (String name : List.of("open_conns/open/conn.log", "json_with_all_fields/conn.log")) {
      byte[] bytes = TestData.read(TestData.path("zeek/rita-odd/" + name));
      for (int i = 0; i < 400; i++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      ReadLog read = ReadLog.of(bytes, folder);
      assertEquals(
          read.summary().rejectedTotal(), read.rejects().size(), "seed " + seed + " " + name);
      assertEquals(read.summary().rows(), read.rows().size(), "seed " + seed + " " + name);
    }
  }

  private void assertSame(byte[] log, long seed) throws IOException {
    NaiveZeekLog naive = new NaiveZeekLog(log);
    ReadLog read = ReadLog.of(log, folder);
    String[] lines = new String(log, StandardCharsets.UTF_8).split("\n", -1);
    assertEquals(
        naive.rejectedLines,
        read.rejectedLines(),
        () ->
            "seed "
                + seed
                + ", rejected by one only: "
                + difference(naive.rejectedLines, read.rejectedLines()).stream()
                    .map(number -> number + ": " + lines[number - 1])
                    .toList());
    assertEquals(naive.rows.size(), read.rows().size(), "seed " + seed);
    for (int i = 0; i < naive.rows.size(); i++) {
      assertEquals(naive.rows.get(i), read.rows().get(i), "seed " + seed + ", row " + i);
    }
  }

  private static List<Integer> difference(List<Integer> some, List<Integer> others) {
    List<Integer> difference = new ArrayList<>(some);
    difference.removeAll(others);
    List<Integer> back = new ArrayList<>(others);
    back.removeAll(some);
    difference.addAll(back);
    return difference;
  }
}

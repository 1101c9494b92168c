package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.serve.access.Tokens;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code flowmon host --server} and {@code flowmon seen --server} print what they print with the
 * server's archive.
 */
class RemoteLookupTest {
  private static final int FLOWS = 4000;
  private static final String SCANNER = "10.0.0.7";

  @TempDir Path folder;
  private Path archive;
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    Random random = new Random(22);
    StringBuilder csv =
        new StringBuilder(
            "start_time,end_time,arrival,src_addr,dst_addr,src_port,dst_port,protocol,bytes\n");
    for (int i = 0; i < FLOWS; i++) {
      String time = String.format("2026-11-%02dT%02d:%02d:00Z", 18 + i / 1600, i / 70 % 24, i % 60);
      boolean isScan = i % 4 == 0;
      csv.append(String.join(",", time, time, time))
          .append(
              ",%s,192.0.2.%d,%d,%d,%d,%d%n"
                  .formatted(
                      isScan ? SCANNER : "10.0.0." + random.nextInt(20),
                      random.nextInt(90),
                      40_000 + random.nextInt(1000),
                      isScan ? i + 1 : 443,
                      random.nextInt(9) == 0 ? 17 : 6,
                      random.nextInt(100_000)));
    }
    archive = TestServer.archive(folder, csv.toString());
    server = TestServer.start(folder, archive);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static CommandRun run(String place, Object where, String... arguments) {
    List<Object> all = new ArrayList<>(List.of((Object[]) arguments));
    all.addAll(List.of(place, where));
    return CommandRun.of(all.toArray());
  }

  private CommandRun assertSame(int code, String... arguments) {
    CommandRun local = run("--archive", archive, arguments);
    CommandRun remote = run("--server", server.url("/"), arguments);
    assertEquals(code, local.code(), local.err());
    assertEquals(code, remote.code(), remote.err());
    assertEquals(local.out(), remote.out());
    assertEquals(local.err(), remote.err());
    return remote;
  }

  @Test
  void hostsAreThoseOfTheArchive() {
    CommandRun scanner = assertSame(0, "host", SCANNER);
    assertTrue(scanner.out().startsWith(SCANNER + ": 1,"), scanner.out());
    assertTrue(scanner.out().contains(" ports "), scanner.out());
    for (String format : List.of("table", "json")) {
      assertSame(0, "host", SCANNER, "--format", format, "--confidence", "-");
      assertSame(0, "host", "192.0.2.5", "--format", format, "--limit", "3", "--ranges");
      assertSame(0, "host", "192.0.2.5", "--format", format, "--raw", "--window", "90m");
      assertSame(
          0,
          "host",
          "10.0.0.3",
          "--format",
          format,
          "--from",
          "2026-11-18 05:00:00.000001",
          "--to",
          "2026-11-19",
          "--window",
          "1500ms");
      assertSame(0, "host", "2001:db8::1", "--format", format);
    }
    CommandRun quiet = assertSame(0, "host", "10.0.0.3", "--window", "1ms");
    assertTrue(quiet.err().contains("has none of its flows"), quiet.err());
  }

  @Test
  void seenAddressesAreThoseOfTheArchive() {
    for (String format : List.of("table", "csv", "json")) {
      assertSame(0, "seen", SCANNER, "192.0.2.5", "--days", "1", "--format", format);
      assertSame(1, "seen", SCANNER, "2001:db8::1", "--format", format, "--confidence", "-");
      assertSame(0, "seen", "10.0.0.3", "--as-of", "2026-11-19T00:00:00Z", "--format", format);
    }
  }

  @Test
  void errorsAreThoseOfTheArchive() {
    assertSame(2, "host", "10.0.0.999");
    assertSame(2, "host", SCANNER, "--format", "csv");
    assertSame(2, "host", SCANNER, "--from", "yesterday");
    assertSame(2, "seen", "10.0.0.3", "10.0.0.999");
    assertSame(2, "seen", "10.0.0.3", "--days", "0");
    CommandRun threads = run("--server", server.url(""), "host", SCANNER, "--threads", "2");
    assertEquals(2, threads.code());
    assertTrue(threads.err().contains("--threads is for --archive"), threads.err());
    for (String command : List.of("host", "seen")) {
      CommandRun neither = CommandRun.of(command, SCANNER);
      assertEquals(2, neither.code());
      assertTrue(neither.err().contains("--archive DIR is missing, or --server"), neither.err());
      CommandRun none = run("--server", "http://127.0.0.1:1", command, SCANNER);
      assertEquals(3, none.code());
      assertTrue(none.err().contains("; start it with flowmon serve"), none.err());
    }
  }

  @Test
  void theServerWantsItsToken() throws Exception {
    String secret = "0123456789abcdefSECRET";
    Path tokens = Files.writeString(folder.resolve("tokens"), "read ann " + secret + "\n");
    String token = Files.writeString(folder.resolve("token"), secret + "\n").toString();
    Path other = Files.createDirectory(folder.resolve("guarded"));
    try (TestServer guarded =
        TestServer.start(
            other, archive, Tokens.read(tokens), Optional.empty(), Duration.ofSeconds(30))) {
      for (String command : List.of("host", "seen")) {
        String url = guarded.url("");
        CommandRun allowed = run("--server", url, command, SCANNER, "--token-file", token);
        CommandRun local = run("--archive", archive, command, SCANNER);
        assertEquals(local.code(), allowed.code(), allowed.err());
        assertEquals(local.out(), allowed.out());
        CommandRun refused = run("--server", url, command, SCANNER);
        assertEquals(3, refused.code());
        assertTrue(refused.err().contains("--token-file FILE"), refused.err());
      }
    }
  }
}

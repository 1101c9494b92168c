package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.serve.access.Tokens;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code flowmon query --server} prints what it prints with the server's archive. */
class RemoteQueryTest {
  private static final int FLOWS = 5000;

  @TempDir Path folder;
  private Path archive;
  private TestServer server;

  @BeforeEach
  void start() throws Exception {
    StringBuilder csv =
        new StringBuilder(
            "start_time,end_time,arrival,src_addr,dst_addr,dst_port,protocol,bytes,service\n");
    for (int i = 0; i < FLOWS; i++) {
      String time = String.format("2026-11-20T%02d:%02d:%02dZ", i / 300, i / 5 % 60, i % 60);
      csv.append(String.join(",", time, time, time))
          .append(
              ",10.0.%d.%d,192.0.2.%d,%d,%d,%d,%s%n"
                  .formatted(
                      i % 7,
                      i % 200,
                      i % 90,
                      i % 3 == 0 ? 53 : 443,
                      i % 3 == 0 ? 17 : 6,
                      i * 10L,
                      i % 4 == 0 ? "\"=é\u001b[31m\"" : ""));
    }
    archive = TestServer.archive(folder, csv.toString());
    server = TestServer.start(folder, archive);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static CommandRun query(String place, Object where, List<String> arguments) {
    List<Object> all = new ArrayList<>(List.of("query"));
    all.addAll(arguments);
    all.addAll(List.of(place, where));
    return CommandRun.of(all.toArray());
  }

  /** Without the time that a query took, which differs. */
  private static String plain(String text) {
    return text.replaceAll("in [\\d.,]+ ms", "in T ms");
  }

  private void assertSame(int code, String... arguments) {
    CommandRun local = query("--archive", archive, List.of(arguments));
    CommandRun remote = query("--server", server.url("/"), List.of(arguments));
    assertEquals(code, local.code(), local.err());
    assertEquals(local.code(), remote.code(), remote.err());
    assertEquals(local.out(), remote.out());
    assertEquals(plain(local.err()), plain(remote.err()));
  }

  @Test
  void rowsRemarksAndCodesAreThoseOfTheArchive() {
    String groups =
        "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS b, AVG(bytes) AS mean FROM flows"
            + " WHERE dst_port IN (:port) GROUP BY src_addr ORDER BY b DESC, src_addr LIMIT 20";
    for (String format : List.of("table", "csv", "json")) {
      assertSame(0, "SELECT * FROM flows ORDER BY end_time, bytes", "--format", format);
      assertSame(0, groups, "--param", "port=443", "--param", "port=53", "--format", format);
      assertSame(0, "SELECT * FROM flows WHERE bytes < 0", "--format", format, "-v");
      assertSame(0, "SELECT QUANTILES(bytes) AS sizes FROM flows", "--format", format);
      assertSame(
          0,
          "SELECT MAX(bytes) AS most FROM flows WHERE end_time < :now",
          "--param",
          "now=2026-11-20T05:00:00Z",
          "--format",
          format);
    }
    assertSame(0, "EXPLAIN SELECT COUNT(*) AS n FROM flows WHERE dst_port = 53");
    assertSame(0, "SELECT COUNT(*) AS n FROM flows", "--explain", "--format", "csv");
    assertSame(0, "SELECT COUNT(*) AS n FROM flows", "--format", "csv", "--confidence", "-");
  }

  @Test
  void errorsAreThoseOfTheArchiveWithTheirPlace() {
    assertSame(2, "SELECT src_adr FROM flows");
    assertSame(2, "SELECT uid FROM flows\nWHERE bytes >");
    assertSame(2, " explain SELECT uid FROM flow");
    assertSame(2, "SELECT COUNT(*) AS n FROM flows WHERE dst_port = :port");
    assertSame(2, "SELECT COUNT(*) AS n FROM flows", "--param", "port=1");
    assertSame(2, "SELECT COUNT(*) AS n FROM flows", "--row-limit", "0");
    assertSame(3, "SELECT SUM(bytes) AS b FROM flows WHERE bytes > 7", "--row-limit", "10");
    CommandRun run =
        query("--server", server.url(""), List.of("SELECT uid FROM flows WHERE x = 1"));
    assertTrue(run.err().contains("\n                              ^\n"), run.err());
  }

  @Test
  void aServerThatIsNotThereOrIsNoFlowmonIsNamed() throws Exception {
    String sql = "SELECT COUNT(*) AS n FROM flows";
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    CommandRun none = query("--server", "http://127.0.0.1:" + free, List.of(sql));
    assertEquals(3, none.code());
    assertTrue(none.err().contains("127.0.0.1:" + free + " does not answer: "), none.err());
    assertTrue(none.err().contains("; start it with flowmon serve"), none.err());
    CommandRun other = query("--server", server.url("/docs"), List.of(sql));
    assertEquals(3, other.code());
    assertEquals(2, query("--server", "ftp://x", List.of(sql)).code());
    assertEquals(2, query("--server", server.url(""), List.of(sql, "--threads", "2")).code());
    CommandRun both = query("--server", server.url(""), List.of(sql, "--archive", "x"));
    assertEquals(2, both.code());
    assertTrue(both.err().contains("--archive"), both.err());
    CommandRun neither = CommandRun.of("query", sql);
    assertEquals(2, neither.code());
    assertTrue(neither.err().contains("--archive DIR is missing, or --server URL"), neither.err());
  }

  @Test
  void aTokenComesFromAFileAndIsNotSentInClear() throws Exception {
    String secret = "0123456789abcdefSECRET";
    Path tokens = Files.writeString(folder.resolve("tokens"), "read ann " + secret + "\n");
    Path token = Files.writeString(folder.resolve("token"), secret + "\n");
    Path wrong = Files.writeString(folder.resolve("wrong"), secret + "x\n");
    String sql = "SELECT COUNT(*) AS n FROM flows";
    Path other = Files.createDirectory(folder.resolve("guarded"));
    try (TestServer guarded =
        TestServer.start(
            other, archive, Tokens.read(tokens), Optional.empty(), Duration.ofSeconds(30))) {
      String url = guarded.url("");
      CommandRun allowed = query("--server", url, List.of(sql, "--token-file", "" + token));
      assertEquals(0, allowed.code(), allowed.err());
      for (List<String> arguments :
          List.of(List.of(sql), List.of(sql, "--token-file", "" + wrong))) {
        CommandRun refused = query("--server", url, arguments);
        assertEquals(3, refused.code());
        assertTrue(refused.err().contains("--token-file FILE"), refused.err());
      }
    }
    CommandRun open =
        query("--server", "http://192.0.2.9:8060", List.of(sql, "--token-file", "" + token));
    assertEquals(2, open.code());
    assertTrue(open.err().contains("a token goes over https only"), open.err());
    assertFalse(open.err().contains(secret), open.err());
  }

  @Test
  void anAnswerThatIsCutOffIsNoAnswer() throws Exception {
    try (ServerSocket half = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answers =
          new Thread(
              () -> {
                try (var socket = half.accept()) {
                  int unused = socket.getInputStream().read(new byte[4096]);
                  String part = "{\"rows\":\"n\\n1\\n\"}\n";
                  socket
                      .getOutputStream()
                      .write(
                          ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                  + Integer.toHexString(part.length())
                                  + "\r\n"
                                  + part
                                  + "\r\n")
                              .getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      answers.start();
      CommandRun run =
          query(
              "--server",
              "http://127.0.0.1:" + half.getLocalPort(),
              List.of("SELECT COUNT(*) AS n FROM flows", "--format", "csv"));
      answers.join();
      assertEquals(3, run.code(), run.err());
      assertTrue(run.err().contains(" is cut off"), run.err());
    }
  }
}

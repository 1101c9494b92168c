package org.flowmon.jobs.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.StoredFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A server with arbitrary answers: each call ends in time, in an error or the right answer. */
class HostileS3Test {
  private static final int ATTEMPTS = 2;
  // Two attempts of a second, a second each for a running read, and pauses.
  private static final Duration IN_TIME = Duration.ofSeconds(20);
  private static final String DATE = "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\n";

  /** The answer to a request. */
  private interface Answer {
    void send(String request, OutputStream out) throws IOException, InterruptedException;
  }

  @TempDir Path folder;
  private ServerSocket listener;
  private ExecutorService threads;
  private volatile Answer answer;
  private S3ObjectStore store;

  @BeforeEach
  void start() throws IOException {
    listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "hostile-server");
              thread.setDaemon(true);
              return thread;
            });
    threads.execute(this::accept);
    store = store(Duration.ofSeconds(1));
  }

  private S3ObjectStore store(Duration timeout) throws IOException {
    Path secret = Files.writeString(folder.resolve("secret"), "s");
    return new S3ObjectStore(
        URI.create("s3://bucket/dir"),
        new S3Options(
            URI.create("http://127.0.0.1:" + listener.getLocalPort()),
            "us-east-1",
            true,
            null,
            "key",
            secret,
            ATTEMPTS,
            timeout));
  }

  /** For answers that are all errors: attempts end sooner. */
  private void hurry() throws IOException {
    store.close();
    store = store(Duration.ofMillis(300));
  }

  @AfterEach
  void stop() throws IOException {
    store.close();
    listener.close();
    threads.shutdownNow();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        threads.execute(() -> serve(socket));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      String request = head(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      answer.send(request, out);
      out.flush();
    } catch (IOException | InterruptedException e) {
      // The client has gone, as expected.
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = in.read();
      if (b < 0) {
        throw new IOException("gone");
      }
      head.append((char) b);
    }
    return head.toString();
  }

  private static void send(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  private static String ok(String more, String body) {
    return "HTTP/1.1 200 OK\r\n" + DATE + more + "Connection: close\r\n\r\n" + body;
  }

  private static String xml(String body) {
    return ok("Content-Type: application/xml\r\nContent-Length: " + body.length() + "\r\n", body);
  }

  private static String listing(String... keys) {
    StringBuilder body = new StringBuilder("<ListBucketResult><IsTruncated>false</IsTruncated>");
    for (String key : keys) {
      body.append("<Contents><Key>").append(key).append("</Key><Size>3</Size>");
      body.append("<LastModified>2026-11-02T10:00:00.000Z</LastModified></Contents>");
    }
    return body.append("</ListBucketResult>").toString();
  }

  private static Answer always(String text) {
    return (request, out) -> send(out, text);
  }

  /** Answers bytes without end, after a head. */
  private static Answer endless(String head, byte[] part) {
    return (request, out) -> {
      send(out, head);
      while (true) {
        out.write(part);
      }
    };
  }

  /** Answers a byte each tenth of a second, after a head. */
  private static Answer slow(String head, String rest) {
    return (request, out) -> {
      send(out, head);
      for (int i = 0; ; i++) {
        send(out, rest.charAt(i % rest.length()) + "");
        Thread.sleep(100);
      }
    };
  }

  private static final byte[] MEGABYTE =
      "<a>x</a>".repeat(1 << 17).getBytes(StandardCharsets.US_ASCII);

  /** Returns the invalid answers, by name. */
  private static Map<String, Answer> hostile() {
    Map<String, Answer> all = new LinkedHashMap<>();
    all.put("nothing", (request, out) -> {});
    all.put("noise", always("\u0001\u0002 what is this\r\n\r\n"));
    all.put("a length that is no number", always(ok("Content-Length: many\r\n", "abc")));
    all.put("a negative length", always(ok("Content-Length: -5\r\n", "abc")));
    all.put("no length, and no end", endless(ok("", ""), MEGABYTE));
    all.put(
        "chunks without end",
        endless(
            ok("Transfer-Encoding: chunked\r\n", ""),
            "4\r\n<a/>\r\n".repeat(10_000).getBytes(StandardCharsets.US_ASCII)));
    all.put("a length of 100 GB", endless(ok("Content-Length: 100000000000\r\n", ""), MEGABYTE));
    all.put("a length of 500 MB", endless(ok("Content-Length: 500000000\r\n", ""), MEGABYTE));
    all.put("a page for people", always(ok("", "<html><body>it works</body></html>")));
    all.put("less than it says", always(ok("Content-Length: 4000\r\n", "abc")));
    all.put("slow heads", slow("HTTP/1.1 200 OK\r\n", "X-A: b\r\n"));
    all.put("slow bodies", slow(ok("Content-Length: 4000\r\n", ""), "<a></a>"));
    all.put(
        "heads without end",
        endless(
            "HTTP/1.1 200 OK\r\n",
            "X-Header: y\r\n".repeat(1000).getBytes(StandardCharsets.US_ASCII)));
    all.put(
        "redirects to itself",
        (request, out) ->
            send(
                out,
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1"
                    + request.split(" ", -1)[1]
                    + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
    all.put(
        "errors without end",
        endless("HTTP/1.1 500 Oh\r\nContent-Type: application/xml\r\n\r\n<Error>", MEGABYTE));
    return all;
  }

  private interface Call {
    Object run() throws IOException;
  }

  /** Checks that a call ends in time in the store's error, and allocates within the limit. */
  private void fails(String context, Call call) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = threads.getCurrentThreadAllocatedBytes();
    long begun = System.nanoTime();
    IOException e = assertThrows(IOException.class, call::run, context);
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    assertTrue(took.compareTo(IN_TIME) < 0, context + " took " + took);
    long bytes = threads.getCurrentThreadAllocatedBytes() - allocated;
    assertTrue(bytes < 1 << 30, context + " allocated " + bytes);
    assertTrue(e.getMessage().contains("s3://bucket/dir/"), context + ": " + e);
  }

  @Test
  void whateverAServerSaysEachCallEndsInTimeInAnError() throws IOException {
    hurry();
    hostile()
        .forEach(
            (name, sent) -> {
              answer = sent;
              fails(name + ", read", () -> store.read("manifest/1.commit", 1 << 20));
              fails(name + ", range", () -> store.readRange("segments/x", 0, 1000));
              fails(name + ", list", () -> store.list("segments"));
            });
  }

  @Test
  void writesAndLooksEndInTime() throws IOException {
    hurry();
    for (String name :
        List.of("nothing", "slow heads", "heads without end", "errors without end")) {
      answer = hostile().get(name);
      fails(name + ", put", () -> store.putIfAbsent("manifest/1.commit", new byte[10]));
      fails(name + ", length", () -> store.length("segments/x"));
      fails(name + ", delete", () -> store.delete("segments/x"));
    }
  }

  @Test
  void aFileToBeWrittenIsNotMissing() {
    answer = always("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    for (Executable put :
        List.<Executable>of(
            () -> store.putIfAbsent("manifest/1.commit", new byte[10]),
            () -> store.put("manifest/1.commit", new byte[10]))) {
      IOException e = assertThrows(IOException.class, put);
      assertTrue(e.getMessage().startsWith("could not write s3://bucket/dir/"), e.toString());
    }
  }

  @Test
  void aServerThatIgnoresRangesOrGivesOthersIsNotBelieved() throws IOException {
    String whole = "0123456789".repeat(100);
    answer = always(ok("Content-Length: 1000\r\n", whole));
    fails("the whole file", () -> store.readRange("segments/x", 500, 100));
    answer =
        always(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 400-499/1000\r\n"
                + "Content-Length: 100\r\nConnection: close\r\n\r\n"
                + whole.substring(0, 100));
    fails("another range", () -> store.readRange("segments/x", 500, 100));
    answer =
        always(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 500-599/1000\r\n"
                + "ETag: \"wrong\"\r\nContent-Length: 100\r\nConnection: close\r\n\r\n"
                + whole.substring(0, 100));
    assertArrayEquals(
        whole.substring(0, 100).getBytes(StandardCharsets.US_ASCII),
        store.readRange("segments/x", 500, 100));
  }

  @Test
  void aListThatNamesWhatIsNotInTheFolderIsRefused() throws IOException {
    answer = always(xml(listing("dir/segments/a.parquet", "dir/segments/b.idx")));
    assertEquals(
        List.of("segments/a.parquet", "segments/b.idx"),
        store.list("segments").stream().map(StoredFile::name).toList());
    for (String key :
        List.of(
            "dir/segments/../../../../etc/passwd",
            "dir/segments/..",
            "dir/segments/a/b",
            "dir/segments/a\\b",
            "/etc/passwd",
            "x",
            "dir/other/a.parquet",
            "dir/segments/a&#9;b")) {
      answer = always(xml(listing(key)));
      fails(key, () -> store.list("segments"));
    }
    answer = always(xml(listing("dir/segments/a", "dir/segments/a")));
    fails("a name twice", () -> store.list("segments"));
    answer = always(xml(listing("dir/segments/a").replace("<Size>3", "<Size>-3")));
    fails("a negative size", () -> store.list("segments"));
    answer = always(xml(listing("dir/segments/a").replace("<Size>3", "<Size>many")));
    fails("a size that is none", () -> store.list("segments"));
    answer =
        always(
            xml(listing("dir/segments/a").replaceAll("<LastModified>[^<]*", "<LastModified>now")));
    fails("a time that is none", () -> store.list("segments"));
  }

  @Test
  void aListWithoutEndAndXmlBombsAreErrors() {
    String more = "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>";
    String truncated = listing().replace("<IsTruncated>false</IsTruncated>", more);
    answer = always(xml(truncated));
    fails("the same page again", () -> store.list("segments"));
    answer = always(xml(truncated.replaceAll("<NextContinuationToken>.*</Next.*Token>", "")));
    fails("a next page without a name", () -> store.list("segments"));
    StringBuilder entities = new StringBuilder("<!DOCTYPE l [<!ENTITY a0 \"ha\">");
    for (int i = 1; i < 30; i++) {
      entities.append("<!ENTITY a%d \"&a%d;&a%d;\">".formatted(i, i - 1, i - 1));
    }
    entities.append("]>");
    String bomb = entities + listing("dir/segments/&a29;");
    answer = always(xml(bomb));
    fails("entities", () -> store.list("segments"));
    Path secret = folder.resolve("secret");
    String file = "<!DOCTYPE l [<!ENTITY f SYSTEM \"" + secret.toUri() + "\">]>";
    answer = always(xml(file + listing("dir/segments/&f;")));
    fails("a file of this host", () -> store.list("segments"));
    answer = always(xml("<ListBucketResult>" + "<a>".repeat(1 << 20)));
    fails("nested", () -> store.list("segments"));
  }

  @Test
  void anArchiveOfAHostileServerIsAnErrorInTime() {
    ArchiveLocation location =
        ArchiveLocation.parse(
            "s3://bucket/dir",
            Map.of(
                "endpoint",
                "http://127.0.0.1:" + listener.getLocalPort(),
                "access_key",
                "key",
                "secret_key_file",
                folder.resolve("secret").toString(),
                "attempts",
                "2",
                "timeout_seconds",
                "1",
                "cache_directory",
                folder.resolve("cache").toString()));
    hostile()
        .forEach(
            (name, sent) -> {
              answer = sent;
              assertThrows(
                  IOException.class,
                  () -> Archive.open(location, ArchiveOptions.DEFAULTS).close(),
                  name);
            });
  }
}

package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.grafana.Dashboards;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a running collector tells over HTTP, of real datagrams. */
class CollectorHttpTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "0123456789abcdef";

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // withCollector sets it
  private RunningCollector collector;

  private long established = DecoderLimits.defaults().establishedMicros();

  private interface Questions {
    void run(String url, InetSocketAddress udp) throws Exception;
  }

  private void withCollector(Optional<String> token, Questions test) throws Exception {
    ListenOption listen = new ListenOption();
    new CommandLine(listen).parseArgs("--listen", "127.0.0.1:0");
    listen.check();
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      FlowTopics.ensure(kafka.bootstrapServers(), "flows", 1);
      try (RunningCollector running =
              new RunningCollector(
                  listen,
                  (own, limits) ->
                      new ExportDecoder(
                          own,
                          new BadDatagramSamples(1),
                          ProtectedNetworks.NONE,
                          limits.withEstablishedAfter(established)));
          ReloadedFiles files = new ReloadedFiles(line -> {});
          CollectorHttp http =
              CollectorHttp.start(
                  UdpCollector.loopback(0), token, new CollectorView(running, files))) {
        running.start(
            List.of(
                FlowPublisher.open(
                    PublisherOptions.of(kafka.bootstrapServers()).withTopic("flows"))),
            Optional.empty(),
            ExporterRules.NONE);
        collector = running;
        test.run(
            "http://127.0.0.1:" + http.address().getPort(), running.sockets().get(0).address());
      }
    }
  }

  /** Two flows of NetFlow v5; {@code ahead}: seconds that the exporter's clock is ahead. */
  private void send(InetSocketAddress to, int sequence, int ahead) throws Exception {
    ByteBuffer out = ByteBuffer.allocate(24 + 2 * 48);
    out.putShort((short) 5).putShort((short) 2).putInt(100_000);
    out.putInt((int) (System.currentTimeMillis() / 1000) + ahead).putInt(0).putInt(sequence);
    send(to, out.array());
  }

  private void send(InetSocketAddress to, byte[] datagram) throws Exception {
    long before = collector.counters().get(IngestCounter.DATAGRAMS_RECEIVED);
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(new DatagramPacket(datagram, datagram.length, to));
    }
    while (collector.counters().get(IngestCounter.DATAGRAMS_RECEIVED) == before) {
      Thread.sleep(1);
    }
  }

  private static HttpResponse<String> ask(String url, String method, String token)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).method(method, HttpRequest.BodyPublishers.noBody());
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void itTellsOfItsExporters() throws Exception {
    withCollector(
        Optional.empty(),
        (url, udp) -> {
          send(udp, 0, 120);
          send(udp, 2, 120);
          HttpResponse<String> health = ask(url + "/health", "GET", "");
          assertEquals(200, health.statusCode());
          assertEquals("ok\n", health.body());
          JsonNode exporters = JSON.readTree(ask(url + "/exporters", "GET", "").body());
          assertEquals(1, exporters.size());
          JsonNode one = exporters.get(0);
          assertEquals("127.0.0.1", one.get("exporter").asText());
          assertEquals("[\"netflow_v5\"]", one.get("versions").toString());
          assertEquals(2, one.get("datagrams").asLong());
          assertEquals(4, one.get("flows").asLong());
          assertEquals(0, one.get("bad_datagrams").asLong());
          double skew = one.get("clock_skew_seconds").asDouble();
          assertTrue(skew > 110 && skew < 121, skew + " s");
          List<String> metrics = ask(url + "/metrics", "GET", "").body().lines().toList();
          assertTrue(metrics.contains("flowmon_collector_flows_decoded_total 4"));
          assertTrue(metrics.contains("flowmon_collector_kafka_away 0"));
          assertTrue(metrics.contains("flowmon_collector_exporters_strangers 1"));
          assertTrue(metrics.contains("flowmon_collector_sequence_lost_flows 0"));
          assertTrue(metrics.contains("flowmon_collector_datagrams_damaged_total 0"));
          String drops =
              "flowmon_collector_socket_drops_total{socket=\"127.0.0.1:%d#1\"} 0"
                  .formatted(udp.getPort());
          assertTrue(metrics.contains(drops) || !Files.exists(Path.of("/proc/net/udp")), drops);
          for (String line : metrics) {
            assertTrue(
                line.matches(
                    "# TYPE \\w+ (counter|gauge)|# HELP \\w+ .+"
                        + "|\\w+(\\{\\w+=\"[^\"\\\\]*\"\\})? -?[0-9.E]+"),
                line);
          }
          assertEquals(404, ask(url + "/", "GET", "").statusCode());
          assertEquals(405, ask(url + "/health", "POST", "").statusCode());
          HttpResponse<String> head = ask(url + "/health", "HEAD", "");
          assertEquals(200, head.statusCode());
          assertEquals("3", head.headers().firstValue("Content-Length").orElseThrow());
          assertEquals("", head.body());
          // As --http has it.
          CommandRun table = CommandRun.of("exporters", "--from", url.replaceFirst("http://", ""));
          assertEquals(ExitCodes.DONE, table.code(), table.toString());
          List<String> lines = table.out().lines().toList();
          lines.forEach(line -> assertTrue(line.length() <= 80, line));
          assertTrue(
              lines.get(0).startsWith("exporter   known  versions    last_heard"), lines.get(0));
          assertTrue(lines.get(2).startsWith("127.0.0.1  false  netflow_v5  20"), lines.get(2));
          assertTrue(table.out().contains("  also: bad_datagrams, "), table.out());
          CommandRun all = CommandRun.of("exporters", "--from", url, "--vertical");
          Set<String> named =
              all.out().lines().map(line -> line.split(" ", -1)[0]).collect(Collectors.toSet());
          Set<String> fields = new HashSet<>();
          one.fieldNames().forEachRemaining(fields::add);
          fields.removeAll(List.of("first_heard"));
          assertEquals(fields, named);
        });
  }

  /** sFlow's counters of an interface (record 1), with its name (record 1005). */
  private static byte[] counters(int sequence, int interfaces, long octets, String name) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    int padded = text.length + 3 & ~3;
    ByteBuffer out = ByteBuffer.allocate(28 + interfaces * (8 + 12 + 8 + 88 + 8 + 4 + padded));
    out.putInt(5).putInt(1).putInt(0xC000_0263).putInt(0).putInt(sequence).putInt(1000);
    out.putInt(interfaces);
    for (int index = 1; index <= interfaces; index++) {
      out.putInt(2).putInt(12 + 8 + 88 + 8 + 4 + padded).putInt(sequence).putInt(index).putInt(2);
      out.putInt(1).putInt(88).putInt(index).putInt(6).putLong(10_000_000_000L).putInt(1).putInt(1);
      out.putLong(octets).putInt(11).putInt(12).putInt(13).putInt(14).putInt(15).putInt(-1);
      out.putLong(-1).putInt(21).putInt(22).putInt(23).putInt(24).putInt(25).putInt(0);
      out.putInt(1005).putInt(4 + padded).putInt(text.length).put(text);
      out.position(out.position() + padded - text.length);
    }
    return out.array();
  }

  @Test
  void countersOfInterfacesAreScraped() throws Exception {
    established = 0;
    withCollector(
        Optional.empty(),
        (url, udp) -> {
          send(udp, counters(1, 2, (1L << 63) + 5, "a\"b\\c\n"));
          List<String> metrics = ask(url + "/metrics", "GET", "").body().lines().toList();
          String labels = "{exporter=\"192.0.2.99\",interface=\"2\",name=\"a\\\"b\\\\c";
          assertEquals(
              List.of(
                  "receive_bytes_total 9223372036854775813",
                  "receive_packets_total 11",
                  "receive_packets_total 12",
                  "receive_packets_total 13",
                  "receive_discards_total 14",
                  "receive_errors_total 15",
                  "transmit_packets_total 21",
                  "transmit_packets_total 22",
                  "transmit_packets_total 23",
                  "transmit_discards_total 24",
                  "transmit_errors_total 25",
                  "speed_bytes 1250000000",
                  "enabled 1",
                  "up 0"),
              metrics.stream()
                  .filter(line -> line.contains(labels) && !line.contains("timestamp"))
                  .map(line -> line.replaceFirst("flowmon_exporter_interface_", ""))
                  .map(line -> line.replaceFirst("\\{.*\\}", ""))
                  .toList());
          Set<String> series = new HashSet<>();
          String type = "";
          for (String line : metrics) {
            type = line.startsWith("# TYPE ") ? line.split(" ", -1)[2] : type;
            assertTrue(
                line.matches(
                    "# TYPE \\w+ (counter|gauge)|# HELP \\w+ .+|\\w+(\\{\\w+=\"(\\\\.|[^\"\\\\])*\""
                        + "(,\\w+=\"(\\\\.|[^\"\\\\])*\")*\\})? -?[0-9.E]+"),
                line);
            if (!line.startsWith("#")) {
              assertTrue(line.startsWith(type), line + " after " + type);
              assertTrue(series.add(line.replaceFirst(" [^ ]*$", "")), "twice: " + line);
            }
          }
          JsonNode one = JSON.readTree(ask(url + "/exporters", "GET", "").body()).get(0);
          assertEquals(2, one.get("interfaces").asInt());
        });
  }

  @Test
  void interfacesAreBoundedAndOfTwoTheNewestIsShown() {
    List<InterfaceCounters> many = new ArrayList<>();
    InterfaceCounters.Counts counts = new InterfaceCounters.Counts(7, 1, 1, 1, 1, 1, 1);
    for (int exporter = 0; exporter < 20; exporter++) {
      for (int index = 0; index < 600; index++) {
        many.add(
            new InterfaceCounters(
                IpAddress.ofIpv4(exporter), exporter, index, "", 1, 6, 8, 1, 3, counts, counts));
      }
    }
    many.add(
        new InterfaceCounters(
            IpAddress.ofIpv4(3), 0, 5, "new", 2_000_000, 6, 8, 1, 3, counts, counts));
    Collections.shuffle(many, new Random(7));
    String text = InterfaceMetrics.text(many);
    long shown = text.lines().filter(line -> line.contains("_up{")).count();
    assertEquals(InterfaceMetrics.MAX_INTERFACES, shown);
    assertTrue(text.contains("flowmon_exporter_interfaces_left_out 7000\n"), "12,000 in all");
    assertTrue(text.contains("_up{exporter=\"0.0.0.3\",interface=\"5\",name=\"new\"} 1\n"));
    assertEquals(
        InterfaceMetrics.MAX_OF_EXPORTER,
        text.lines().filter(line -> line.contains("_up{exporter=\"0.0.0.3\"")).count());
  }

  @Test
  void aTokenIsAskedFor() throws Exception {
    withCollector(
        Optional.of(TOKEN),
        (url, udp) -> {
          assertEquals(401, ask(url + "/metrics", "GET", "").statusCode());
          assertEquals(401, ask(url + "/metrics", "GET", TOKEN + "0").statusCode());
          assertEquals(200, ask(url + "/metrics", "GET", TOKEN).statusCode());
          Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");
          CommandRun refused = CommandRun.of("exporters", "--from", url);
          assertEquals(ExitCodes.FAILED, refused.code(), refused.toString());
          assertTrue(refused.err().contains(" asks for a token: add --token-file"), refused.err());
          Path wrong = Files.writeString(folder.resolve("wrong"), TOKEN + "0\n");
          CommandRun other = CommandRun.of("exporters", "--from", url, "--token-file", wrong);
          assertTrue(other.err().contains(" refuses this token: "), other.err());
          CommandRun taken = CommandRun.of("exporters", "--from", url, "--token-file", file);
          assertEquals(ExitCodes.DONE, taken.code(), taken.toString());
        });
  }

  @Test
  void beyondThisMachineATokenIsNeeded() {
    CommandRun run = CommandRun.of("collect", "--kafka", "127.0.0.1:1", "--http", "0.0.0.0:2080");
    assertEquals(ExitCodes.USAGE, run.code(), run.toString());
    assertTrue(run.err().contains("add --http-token-file"), run.err());
  }

  @Test
  void withoutACollectorTheCommandSaysWhatIsThereAndWhatToDo() throws Exception {
    refused(
        "http://127.0.0.1:1", "no collector listens at http://127.0.0.1:1: start the collector");
    refused("http://no-such-host.invalid:2080", "there is no such host: ");
    assertEquals(ExitCodes.USAGE, CommandRun.of("exporters", "--from", "x y").code());
    HttpServer other = HttpServer.create(UdpCollector.loopback(0), 0);
    other.createContext("/html/exporters", exchange -> answer(exchange, 200, "<html></html>"));
    other.createContext("/json/exporters", exchange -> answer(exchange, 200, "{\"exporters\":[]}"));
    other.createContext("/list/exporters", exchange -> answer(exchange, 200, "[1]"));
    other.createContext("/", exchange -> answer(exchange, 404, "nothing"));
    other.start();
    try {
      String url = "http://127.0.0.1:" + other.getAddress().getPort();
      refused(url, url + " answers 404, so no flowmon collector is there: give --from the address");
      for (String path : List.of("/html", "/json", "/list")) {
        refused(url + path, "does not answer with a list of exporters, so no flowmon collector is");
      }
    } finally {
      other.stop(0);
    }
    try (ServerSocket text = new ServerSocket()) {
      text.bind(UdpCollector.loopback(0));
      Thread greeter =
          new Thread(
              () -> {
                try (Socket socket = text.accept()) {
                  socket.getOutputStream().write("220 mail\r\n".getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                  // the test has ended
                }
              });
      greeter.start();
      refused("http://127.0.0.1:" + text.getLocalPort(), " does not answer in HTTP (");
      greeter.join();
    }
  }

  private static void refused(String from, String why) {
    for (String option : new String[] {"--vertical", "--json"}) {
      if (why.contains("in HTTP") && option.equals("--json")) {
        continue; // it greets once
      }
      CommandRun run = CommandRun.of("exporters", "--from", from, option);
      assertEquals(ExitCodes.FAILED, run.code(), run.toString());
      assertTrue(run.err().contains(why), run.err());
      assertEquals("", run.out());
    }
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    try (exchange) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  @Test
  void aCollectorThatNobodyHasSentToSaysSo() throws Exception {
    withCollector(
        Optional.empty(),
        (url, udp) -> {
          CommandRun run = CommandRun.of("exporters", "--from", url);
          assertEquals(ExitCodes.DONE, run.code(), run.toString());
          assertTrue(run.err().contains("no exporter has sent anything"), run.err());
          assertEquals("[]\n", CommandRun.of("exporters", "--from", url, "--json").out());
        });
  }

  @Test
  void theMetricsOfTheDashboardOfHealthAreServed() throws Exception {
    withCollector(
        Optional.empty(),
        (url, udp) -> {
          String served = ask(url + "/metrics", "GET", "").body();
          Set<String> asked = Dashboards.metrics("flowmon_collector_");
          assertTrue(asked.size() >= 7, asked.toString());
          for (String name : asked) {
            assertTrue(served.contains("# TYPE " + name + " "), name + " in " + served);
          }
        });
  }
}

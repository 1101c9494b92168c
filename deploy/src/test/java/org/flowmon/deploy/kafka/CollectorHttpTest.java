package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.grafana.Dashboards;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.ExporterRules;
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
                          own, new BadDatagramSamples(1), ProtectedNetworks.NONE, limits));
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
    long before = collector.counters().get(IngestCounter.DATAGRAMS_RECEIVED);
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(new DatagramPacket(out.array(), out.capacity(), to));
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
                    "# TYPE \\w+ (counter|gauge)|\\w+(\\{\\w+=\"[^\"\\\\]*\"\\})? -?[0-9.E]+"),
                line);
          }
          assertEquals(404, ask(url + "/", "GET", "").statusCode());
          assertEquals(405, ask(url + "/health", "POST", "").statusCode());
          CommandRun table = CommandRun.of("exporters", "--from", url);
          assertEquals(ExitCodes.DONE, table.code(), table.toString());
          List<String> lines = table.out().lines().toList();
          assertEquals(2, lines.size());
          assertTrue(
              lines.get(0).startsWith("exporter   known  versions    last_heard"), lines.get(0));
          assertTrue(lines.get(1).startsWith("127.0.0.1  false  netflow_v5  20"), lines.get(1));
        });
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
          assertTrue(refused.err().contains("answers 401"), refused.err());
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
  void withoutACollectorTheCommandSaysWhatToDo() {
    CommandRun run = CommandRun.of("exporters", "--from", "http://127.0.0.1:1");
    assertEquals(ExitCodes.FAILED, run.code(), run.toString());
    assertTrue(run.err().contains("start it with --http"), run.err());
    assertEquals(ExitCodes.USAGE, CommandRun.of("exporters", "--from", "x y").code());
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

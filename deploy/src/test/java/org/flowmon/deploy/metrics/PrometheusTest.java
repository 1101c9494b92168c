package org.flowmon.deploy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.Start;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A real Prometheus scrapes a running collector and server; its alert rules fire. */
class PrometheusTest {
  private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\w+) ");

  /** What promtool's linter ends with if it has remarks. */
  private static final int LINT_REMARKS = 3;

  @TempDir Path folder;

  private final List<Process> processes = new ArrayList<>();

  /** Logs as a command does. */
  static final class Logs {
    private Logs() {}

    public static void main(String[] unused) {
      LoggerFactory.getLogger(Logs.class).warn("a \"line\"\n{}", "two", new IOException("why"));
    }
  }

  private Process start(String name, String... command) throws Exception {
    return start(name, Start.class, command);
  }

  private Process start(String name, Class<?> main, String... command) throws Exception {
    List<String> all = new ArrayList<>();
    all.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    all.add("-XX:TieredStopAtLevel=1");
    all.add("-Dlog4j2.configurationFile=log4j2.properties"); // tests of other modules have their own
    all.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    all.addAll(List.of(command));
    ProcessBuilder builder = new ProcessBuilder(all);
    builder.environment().put("FLOWMON_LOG", "json");
    Process process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile())
            .start();
    processes.add(process);
    return process;
  }

  private void stop() throws InterruptedException {
    for (Process process : processes) {
      process.destroy();
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    }
  }

  private static String scrape(String address) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + "/metrics")).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private static Set<String> types(String served) {
    Set<String> names = new TreeSet<>();
    Matcher type = TYPE.matcher(served);
    while (type.find()) {
      assertTrue(names.add(type.group(1)), "twice: " + type.group(1));
    }
    return names;
  }

  @Test
  void targetsAreUpSeriesThereAndAStoppedCollectorIsAnAlert() throws Exception {
    String collector = "127.0.0.1:" + EmbeddedKafka.freePort();
    String server = "127.0.0.1:" + EmbeddedKafka.freePort();
    int port = EmbeddedKafka.freePort();
    Path archive = folder.resolve("archive");
    CommandRun imported =
        CommandRun.of("import", "../docs/examples/flows.csv", "--archive", archive);
    assertEquals(ExitCodes.DONE, imported.code(), imported.toString());
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"));
        PrometheusServer prometheus =
            PrometheusServer.start(
                folder, Map.of("flowmon-collector", collector, "flowmon-serve", server))) {
      FlowTopics.ensure(kafka.bootstrapServers(), "flows", 1);
      Process collect =
          start(
              "collect",
              "collect",
              "--kafka",
              kafka.bootstrapServers(),
              "--listen",
              "127.0.0.1:" + port + ",tcp://127.0.0.1:" + EmbeddedKafka.freePort(),
              "--spool",
              folder.resolve("spool").toString(),
              "--http",
              collector);
      start("serve", "serve", "--archive", archive.toString(), "--listen", server);
      prometheus.await("count(up{job=~'flowmon-.+'} == 1) == 2");
      send(port);
      JsonNode received = prometheus.await("flowmon_collector_datagrams_received_total == 1");
      assertEquals(collector, received.get(0).get("metric").get("instance").asText());
      prometheus.await("flowmon_collector_flows_published_total == 2");
      prometheus.await("flowmon_serve_running_requests{lane='small'}");
      assertEquals(0, prometheus.query("ALERTS{alertname='FlowmonDown', alertstate='firing'} and on(instance) up == 1").size());
      String served = scrape(collector) + scrape(server);
      assertEquals(Metric.all().keySet(), types(served).stream().collect(Collectors.toSet()));
      // An independent judge of names, types and help.
      assertEquals(
          "flowmon_collector_counter_samples_total metric name should not include type 'counter'\n",
          PrometheusServer.promtool(
              LINT_REMARKS,
              Files.writeString(folder.resolve("served.txt"), served),
              "check",
              "metrics"),
          "counter samples are sFlow's name for them");
      collect.destroy();
      JsonNode alert =
          prometheus.await(
              "ALERTS{alertname='FlowmonDown', alertstate='firing', instance='"
                  + collector
                  + "'} and on (instance) (up == 0)");
      assertEquals("critical", alert.get(0).get("metric").get("severity").asText());
    } finally {
      stop();
    }
  }

  /** Two flows of NetFlow v5. */
  private static void send(int port) throws Exception {
    ByteBuffer out = ByteBuffer.allocate(24 + 2 * 48);
    out.putShort((short) 5).putShort((short) 2).putInt(100_000);
    out.putInt((int) (System.currentTimeMillis() / 1000)).putInt(0).putInt(0);
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(
          new DatagramPacket(out.array(), out.capacity(), InetAddress.getLoopbackAddress(), port));
    }
  }

  @Test
  void theAlertRulesAreRightByTheirOwnTests() throws Exception {
    Path none = Files.writeString(folder.resolve("none"), "");
    PrometheusServer.promtool(0, none, "check", "config", "prometheus.yml");
    PrometheusServer.promtool(0, none, "test", "rules", "flowmon-alerts-test.yml");
  }

  @Test
  void withJsonEachLoggedEventIsAnObject() throws Exception {
    assertEquals(0, start("json", Logs.class).waitFor());
    List<String> lines = Files.readAllLines(folder.resolve("json.log"));
    assertEquals(1, lines.size(), lines.toString());
    JsonNode event = new ObjectMapper().readTree(lines.get(0));
    List<String> members = new ArrayList<>();
    event.fieldNames().forEachRemaining(members::add);
    assertEquals(List.of("time", "level", "logger", "thread", "message", "exception"), members);
    assertTrue(event.get("time").asText().endsWith("Z"), event.toString());
    assertEquals("a \"line\"\ntwo", event.get("message").asText());
    assertTrue(event.get("exception").asText().startsWith("java.io.IOException: why\n\tat "));
  }
}

package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.demo.Demo;
import org.flowmon.deploy.demo.service.DemoOptions;
import org.flowmon.ingest.synthetic.Incidents;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo while somebody sends what they like to its collector's port and into its Kafka. */
final class HostileDemoIT {
  private static final long SEED = 20261123;
  private static final int SECONDS = 30;

  @TempDir Path directory;
  private final ByteArrayOutputStream progress = new ByteArrayOutputStream();
  private final AtomicBoolean stop = new AtomicBoolean();

  /** What was sent, and what the quarantine said of it while the demo ran. */
  private record Sent(List<byte[]> messages, int datagrams, String quarantine) {}

  @Test
  void everyFlowIsStoredOrCountedAndTheHeavyTalkerFoundAmongHostileInput() throws Exception {
    Path place = directory.resolve("demo");
    DemoOptions options =
        new DemoOptions(
            Duration.ofSeconds(SECONDS), 10_000, List.of(), true, place, SEED, 1_000_000, 2);
    ByteArrayOutputStream result = new ByteArrayOutputStream();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    boolean balanced;
    Sent sent;
    try {
      Future<Sent> hostile = threads.submit(() -> attack(threads));
      balanced =
          new Demo(options, new PrintStream(progress, true, StandardCharsets.UTF_8))
              .run(new PrintStream(result, true, StandardCharsets.UTF_8))
              .balances();
      sent = hostile.get(60, TimeUnit.SECONDS);
    } finally {
      stop.set(true);
      threads.shutdownNow();
    }
    JsonNode json = new ObjectMapper().readTree(result.toByteArray());
    String said = "seed " + SEED + "\n" + json + "\n" + progress.toString(StandardCharsets.UTF_8);
    assertTrue(balanced, said);
    // Of what the routers sent nothing is missing.
    assertEquals(Set.of("quarantined", "repeated"), Set.copyOf(names(json.get("dropped"))), said);
    assertTrue(json.get("sent").asLong() > 200_000, said);
    assertEquals(
        json.get("sent").asLong()
            + json.get("others").asLong()
            - json.get("dropped").get("quarantined").asLong()
            - json.get("dropped").get("repeated").asLong(),
        json.get("stored").asLong(),
        said);
    assertTrue(json.get("others").asLong() > 1_000, said);
    assertTrue(sent.datagrams() > 300 && sent.messages().size() > 30, said);
    long refused = sent.messages().stream().filter(HostileSenders::isRefused).count();
    assertEquals(refused, json.get("refused_messages").asLong(), said);
    long reasons = 0;
    for (JsonNode messages : json.get("refused_reasons")) {
      reasons += messages.asLong();
    }
    assertEquals(refused, reasons, said);
    assertTrue(json.get("not_understood").get("datagrams_damaged").asLong() > 0, said);
    assertTrue(sent.quarantine().contains("\n" + refused + " messages, "), sent.quarantine());
    assertTrue(
        sent.quarantine().contains("expected at most PT1H (job.arrival_ahead)"), sent.quarantine());

    Incidents truth = new TrafficModel(SEED, TrafficOptions.defaults()).incidents();
    Set<String> found = DemoIT.reportedAsNew(place);
    assertTrue(found.contains(truth.newHeavyTalker().toString()), found + "\n" + said);
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** Sends from when the demo says where, and ends well before the demo does. */
  private Sent attack(ExecutorService threads) throws Exception {
    String kafka = awaitLine("quarantine --kafka (\\S+)").group(1);
    Matcher port = awaitLine("UDP ([0-9.]+):(\\d+)");
    awaitLine("(\\d+) flows sent");
    InetSocketAddress collector =
        new InetSocketAddress(port.group(1), Integer.parseInt(port.group(2)));
    Callable<List<byte[]>> messages =
        () ->
            HostileSenders.amongMessages(
                kafka, "flows", 8, new HostileInput(SEED), (good, message) -> true, stop);
    Callable<Integer> datagrams =
        () -> HostileSenders.amongDatagrams(collector, 20, new HostileInput(SEED + 1), stop);
    Future<List<byte[]>> toKafka = threads.submit(messages);
    Future<Integer> toCollector = threads.submit(datagrams);
    Thread.sleep(Duration.ofSeconds(SECONDS - 12).toMillis());
    stop.set(true);
    List<byte[]> sent = toKafka.get();
    long refused = sent.stream().filter(HostileSenders::isRefused).count();
    String listed = "";
    for (int i = 0; i < 5 && !listed.contains("\n" + refused + " messages, "); i++) {
      try (Program command =
          Program.flowmon(
              directory, "quarantine-" + i, "quarantine", "--kafka", kafka, "--last", "1000")) {
        assertEquals(0, command.await(), command.printed());
        listed = command.output();
      }
    }
    return new Sent(sent, toCollector.get(), listed);
  }

  private Matcher awaitLine(String line) throws InterruptedException {
    Pattern pattern = Pattern.compile(line);
    while (true) {
      Matcher matcher = pattern.matcher(progress.toString(StandardCharsets.UTF_8));
      if (matcher.find()) {
        return matcher;
      }
      Thread.sleep(100); // bounded by the test's timeout
    }
  }
}

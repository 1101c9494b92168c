package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.flowmon.bench.collect.CollectorProcess;
import org.flowmon.bench.collect.TopicFlows;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.ingest.synthetic.exporter.ExporterSimulator;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands at a broker that wants a password at one port, and TLS at another. */
class SecureKafkaTest {
  private static final String PASSWORD = "correct-horse";
  private static final String WRONG = "battery-staple";

  @TempDir private static Path folder;

  private static EmbeddedKafka kafka;
  private static String sasl;
  private static String tls;
  private static Path certificate;

  @BeforeAll
  static void startBroker() throws Exception {
    Path keys = folder.resolve("broker.p12");
    certificate = folder.resolve("broker.pem");
    keytool(
        "-genkeypair",
        "-alias",
        "broker",
        "-keyalg",
        "RSA",
        "-keysize",
        "2048",
        "-validity",
        "30",
        "-dname",
        "CN=127.0.0.1",
        "-ext",
        "SAN=ip:127.0.0.1",
        "-storetype",
        "PKCS12",
        "-keystore",
        keys.toString(),
        "-storepass",
        PASSWORD);
    keytool(
        "-exportcert",
        "-rfc",
        "-alias",
        "broker",
        "-keystore",
        keys.toString(),
        "-storepass",
        PASSWORD,
        "-file",
        certificate.toString());
    sasl = "127.0.0.1:" + EmbeddedKafka.freePort();
    tls = "127.0.0.1:" + EmbeddedKafka.freePort();
    String listeners = "SASL://" + sasl + ",TLS://" + tls;
    Map<String, String> settings = new HashMap<>();
    settings.put("listeners", listeners);
    settings.put("advertised.listeners", listeners);
    settings.put("listener.security.protocol.map", "SASL:SASL_PLAINTEXT,TLS:SSL");
    settings.put("listener.name.sasl.sasl.enabled.mechanisms", "PLAIN");
    settings.put(
        "listener.name.sasl.plain.sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required user_collector=\""
            + PASSWORD
            + "\";");
    settings.put("listener.name.tls.ssl.keystore.type", "PKCS12");
    settings.put("listener.name.tls.ssl.keystore.location", keys.toString());
    settings.put("listener.name.tls.ssl.keystore.password", PASSWORD);
    settings.put("listener.name.tls.ssl.key.password", PASSWORD);
    kafka = EmbeddedKafka.start(folder.resolve("kafka"), 0, settings);
  }

  @AfterAll
  static void stopBroker() {
    if (kafka != null) {
      kafka.close();
    }
  }

  private static void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    assertEquals(0, process.waitFor(), () -> "keytool " + command);
  }

  private static Path saslProperties(String password) throws IOException {
    return Files.writeString(
        folder.resolve(password + ".properties"),
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
            + "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"collector\" password=\""
            + password
            + "\";\n");
  }

  /** Sends 500 flows to a collector, stops it, and looks what Kafka has. */
  private static void assertCollects(String topic, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--topic", topic));
    try (CollectorProcess collector = CollectorProcess.start(false, all);
        ExporterSimulator routers =
            new ExporterSimulator(
                new TrafficModel(1, TrafficOptions.defaults()),
                UdpCollector.loopback(collector.port()),
                ExporterSimulator.defaultExporters())) {
      routers.run(new ExporterSimulator.Pace(1000, 10, Duration.ofMinutes(1), 500));
      Map<String, Long> counts = collector.stop();
      assertEquals(500, counts.get("flows_published"), counts.toString());
      assertEquals(500, TopicFlows.read(kafka.bootstrapServers(), topic).flows());
    }
  }

  @Test
  void aCollectorPublishesToABrokerThatWantsAPassword() throws Exception {
    Path file = saslProperties(PASSWORD);
    assertCollects("sasl", "--bootstrap", sasl, "--kafka-properties", file.toString());
  }

  @Test
  void aCollectorPublishesByTlsWithTheJobsConfiguration() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("flowmon.yaml"),
            "kafka:\n  bootstrap: "
                + tls
                + "\n  properties:\n    security.protocol: SSL\n    ssl.truststore.type: PEM\n"
                + "    ssl.truststore.location: "
                + certificate
                + "\narchive:\n  directory: "
                + folder.resolve("archive")
                + "\njob:\n  checkpoint_directory: "
                + folder.resolve("checkpoints").toUri()
                + "\n");
    assertCollects("tls", "--config", config.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"collect", "reports", "alerts list", "analyses list"})
  void aWrongPasswordIsSaidInOneLineWithoutIt(String command) throws Exception {
    String said = refusal(command, sasl, "--kafka-properties", saslProperties(WRONG).toString());
    assertTrue(
        said.startsWith("the Kafka broker at " + sasl + " refuses: Authentication failed"), said);
    assertTrue(said.contains("check security.protocol, sasl.mechanism and sasl.jaas.config"), said);
    assertFalse(said.contains(WRONG), said);
  }

  /** In a process of its own, so that what Kafka's client logs is seen: a trace of forty lines. */
  @Test
  void aCollectorThatIsNotLetInEndsWithOneLine() throws Exception {
    Path err = folder.resolve("collect.err");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Flowmon.class.getName(),
            "collect",
            "--listen",
            "127.0.0.1:0",
            "--kafka",
            sasl,
            "--kafka-properties",
            saslProperties(WRONG).toString());
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    try {
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      String all = Files.readString(err);
      assertEquals(ExitCodes.FAILED, process.exitValue(), all);
      List<String> said =
          all.lines().filter(line -> !line.startsWith("no Kafka broker has answered at")).toList();
      assertEquals(1, said.size(), all);
      assertTrue(said.get(0).startsWith("flowmon collect: the Kafka broker at " + sasl), all);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aCertificateThatIsNotTrustedIsSaid() {
    String said = refusal("collect", tls, "--kafka-property", "security.protocol=SSL");
    assertTrue(said.startsWith("the Kafka broker at " + tls + " refuses: SSL handshake"), said);
    assertTrue(said.contains("unable to find valid certification path"), said);
    assertTrue(said.contains("ssl.truststore.location"), said);
  }

  @Test
  void aBrokerThatSpeaksNoTlsIsSaid() {
    String place = kafka.bootstrapServers();
    String said = refusal("reports", place, "--kafka-property", "security.protocol=SSL");
    assertTrue(said.startsWith("no Kafka broker answers at " + place + " within 10 s"), said);
    assertTrue(said.contains("that this port is one for security.protocol=SSL"), said);
  }

  @Test
  void theRightPasswordLetsReportsIn() throws Exception {
    String said =
        refusal("reports", sasl, "--kafka-properties", saslProperties(PASSWORD).toString());
    assertTrue(said.startsWith("no topic flowmon.reports.*"), said);
  }

  @Test
  void whatIsWrongWithTheOptionsIsSaid() throws Exception {
    CommandRun none = run("collect");
    assertEquals(ExitCodes.USAGE, none.code(), none.err());
    assertTrue(none.err().contains("--kafka HOST:PORT or --config FILE"), none.err());
    CommandRun both = run("collect", "--kafka", sasl, "--config", "nowhere.yaml");
    assertEquals(ExitCodes.USAGE, both.code(), both.err());
    CommandRun missing =
        run("collect", "--kafka", sasl, "--kafka-properties", folder.resolve("no").toString());
    assertEquals(ExitCodes.FAILED, missing.code(), missing.err());
    assertTrue(missing.err().contains("no such file"), missing.err());
  }

  private static CommandRun run(String... arguments) {
    return CommandRun.of(Flowmon.commandLine(), arguments);
  }

  /** What a command says that ends with code 3. */
  private static String refusal(String command, String place, String... more) {
    List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
    arguments.addAll(List.of("--kafka", place));
    arguments.addAll(List.of(more));
    CommandRun run = run(arguments.toArray(new String[0]));
    assertEquals(ExitCodes.FAILED, run.code(), run.err());
    String prefix = "flowmon " + command + ": ";
    List<String> said = run.err().lines().filter(line -> line.startsWith(prefix)).toList();
    assertEquals(1, said.size(), run.err());
    return said.get(0).substring(prefix.length());
  }
}

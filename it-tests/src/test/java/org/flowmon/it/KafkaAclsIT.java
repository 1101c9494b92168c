package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rights that SECURITY.md gives by {@code kafka-acls.sh} are enough, and each group of people
 * has no more than it should, at a broker that refuses all else.
 */
class KafkaAclsIT {
  private static final String USERS = "collector job starter reader administrator nobody";
  private static final int FLOWS = 1000; // eight hours of them
  private static final String ALERTING =
      OneJvm.elephantsYaml("talkers", "1h", "30m")
          + "\nalerts: [{name: loud, when: bytes > 1, sinks: [kafka]}]\n";

  @TempDir private static Path folder;

  private static EmbeddedKafka kafka;
  private static EmbeddedFlink flink;
  private static String sasl;

  @BeforeAll
  static void startBrokerWithTheRightsOfThePage() throws Exception {
    sasl = "127.0.0.1:" + EmbeddedKafka.freePort();
    StringBuilder users =
        new StringBuilder("org.apache.kafka.common.security.plain.PlainLoginModule required");
    for (String user : USERS.split(" ", -1)) {
      users.append(" user_").append(user).append("=\"").append(user).append("-secret\"");
    }
    kafka =
        EmbeddedKafka.start(
            folder.resolve("kafka"),
            0,
            Map.of(
                "listeners", "SASL://" + sasl,
                "advertised.listeners", "SASL://" + sasl,
                "listener.security.protocol.map", "SASL:SASL_PLAINTEXT",
                "listener.name.sasl.sasl.enabled.mechanisms", "PLAIN",
                "listener.name.sasl.plain.sasl.jaas.config", users + ";",
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "super.users", "User:ANONYMOUS"));
    List<AclBinding> rights =
        KafkaAclsCommand.in(Files.readString(ProjectFiles.root().resolve("SECURITY.md")));
    assertTrue(rights.size() > 20, rights::toString);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      admin.createAcls(rights).all().get(30, TimeUnit.SECONDS);
      admin.createAcls(jobsWithoutCreate(rights, "starter")).all().get(30, TimeUnit.SECONDS);
    }
    flink = EmbeddedFlink.start(folder.resolve("flink"), 2);
    assertEquals(FLOWS, collect("collector"));
    runJob("job", "first");
  }

  /** A job's rights for another user, but to make topics. */
  private static List<AclBinding> jobsWithoutCreate(List<AclBinding> rights, String user) {
    List<AclBinding> others = new ArrayList<>();
    for (AclBinding right : rights) {
      AccessControlEntry entry = right.entry();
      if (entry.principal().equals("User:job") && entry.operation() != AclOperation.CREATE) {
        others.add(
            new AclBinding(
                right.pattern(),
                new AccessControlEntry(
                    "User:" + user, entry.host(), entry.operation(), entry.permissionType())));
      }
    }
    return others;
  }

  @AfterAll
  static void stop() {
    if (flink != null) {
      flink.close();
    }
    if (kafka != null) {
      kafka.close();
    }
  }

  private static Map<String, String> client(String user) {
    return Map.of(
        "security.protocol", "SASL_PLAINTEXT",
        "sasl.mechanism", "PLAIN",
        "sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
                + user
                + "\" password=\""
                + user
                + "-secret\";");
  }

  private static Path clientFile(String user) throws IOException {
    StringBuilder lines = new StringBuilder();
    client(user).forEach((key, value) -> lines.append(key).append('=').append(value).append('\n'));
    return Files.writeString(folder.resolve(user + ".properties"), lines);
  }

  /**
   * What {@code flowmon collect} does of Kafka: it makes the topic, and publishes.
   *
   * @return how many flows the broker took
   */
  private static long collect(String user) throws IOException {
    FlowTopics.ensure(sasl, client(user), "flows", 2, Optional.empty(), Map.of());
    StringBuilder lines =
        new StringBuilder("#fields\tts\tid.orig_h\tid.resp_h\tproto\torig_ip_bytes\n");
    for (int i = 0; i < FLOWS; i++) {
      lines.append(1_700_000_000 + 30 * i).append("\t192.0.2.").append(i % 8);
      lines.append("\t198.51.100.1\tudp\t1000\n");
    }
    Path log = Files.writeString(folder.resolve("conn.log"), lines);
    PublisherOptions options =
        PublisherOptions.of(sasl).withTopic("flows").withProperties(client(user));
    FlowPublisher publisher = FlowPublisher.open(options);
    try (publisher) {
      var summary = FlowFiles.open(log, FileReadOptions.defaults()).read(publisher);
      assertEquals(FLOWS, summary.rows());
      publisher.endOfFile(summary.lastArrival());
    }
    return publisher.stats().flowsProduced();
  }

  private static void runJob(String user, String archive) {
    JobConfig config =
        JobConfig.parse(
            "test",
            String.join(
                "\n",
                "kafka: {bootstrap: '" + sasl + "', properties: " + yaml(client(user)) + "}",
                "archive: {directory: '" + folder.resolve(archive) + "'}",
                "job: {role: all, bounded: true, checkpoint_interval: 1s, parallelism: 1}"));
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1);
    FlowmonJob.build(env, config, List.of(AnalysisConfig.parse("talkers.yaml", ALERTING)));
    JobID job = flink.submit(env, archive);
    flink.awaitEnd(job, Duration.ofMinutes(3));
  }

  private static String yaml(Map<String, String> map) {
    List<String> members = new ArrayList<>();
    map.forEach((key, value) -> members.add(key + ": '" + value + "'"));
    return "{" + String.join(", ", members) + "}";
  }

  /** Runs a command as a user; what it says on both streams. */
  private static String said(int code, String user, String... command) throws IOException {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of("--kafka", sasl, "--kafka-properties", clientFile(user).toString()));
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream both = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
      System.setOut(both);
      System.setErr(both);
      int found = Flowmon.commandLine().execute(all.toArray(new String[0]));
      String text = bytes.toString(StandardCharsets.UTF_8);
      assertEquals(code, found, text);
      return text;
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  @Test
  void theJobHasArchivedWhatTheCollectorSent() throws IOException {
    ResultTable flows = OneJvm.query(folder.resolve("first"), "SELECT COUNT(*) AS n FROM flows");
    assertEquals(FLOWS, flows.longValue(0, 0));
  }

  @Test
  void peopleWhoLookSeeReportsAlertsQuarantineAndAnalyses() throws IOException {
    assertTrue(said(0, "reader", "reports", "--all").contains("talkers"));
    assertTrue(said(0, "reader", "alerts", "list", "--all").contains("loud"));
    said(0, "reader", "quarantine");
    said(0, "reader", "analyses", "list");
  }

  @Test
  void administratorsChangeAnalysesAndResolveAlerts() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("mine.yaml"), OneJvm.elephantsYaml("mine", "1h", "30m") + "\n");
    said(0, "administrator", "analyses", "add", file.toString(), "--wait", "0s");
    said(0, "administrator", "analyses", "remove", "mine", "--wait", "0s");
    said(0, "administrator", "alerts", "resolve", "talkers/loud", "--all", "--wait", "0s");
  }

  @Test
  void peopleWhoLookChangeNothing() throws IOException {
    String said = said(3, "reader", "analyses", "remove", "talkers", "--wait", "0s");
    assertTrue(said.contains("flowmon.analyses"), said);
    said = said(3, "reader", "alerts", "resolve", "talkers/loud", "--all", "--wait", "0s");
    assertTrue(said.contains("flowmon.alerts.resolve"), said);
  }

  @Test
  void aCollectorReadsNothingAndNobodyElseWritesFlows() throws IOException {
    String said = said(3, "collector", "reports");
    assertTrue(said.contains("no topic flowmon.reports"), said);
    assertThrows(IOException.class, () -> collect("nobody"));
    // The job may see the topic; what it sends there is refused.
    assertEquals(0, collect("job"));
  }

  /** Why the page gives the job the right to make topics that exist. */
  @Test
  void aJobThatMayNotMakeItsTopicsDoesNotStartThoughTheyExist() {
    ConfigException e = assertThrows(ConfigException.class, () -> runJob("starter", "second"));
    assertTrue(e.getMessage().contains("cannot be created"), e.getMessage());
  }
}

package org.flowmon.jobs.embedded;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Reader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.topic.KafkaTopics;

/**
 * A Kafka broker that is its own controller (KRaft), in this JVM or, by {@link #main}, in a
 * process. Its data stay in its directory for the next start, even after a kill.
 */
public final class EmbeddedKafka implements AutoCloseable {
  private static final int NODE = 1;

  /** A killed process is back after about 5 s: its old session ends after 1.5 s rather than 9 s. */
  private static final Map<String, String> SHORT_SESSIONS =
      Map.of("broker.session.timeout.ms", "1500", "broker.heartbeat.interval.ms", "300");

  /** The setting of the cluster id that brokers share; without it each has its own. */
  public static final String CLUSTER_ID = "flowmon.cluster.id";

  private static final Set<String> LISTENERS =
      Set.of("listeners", "advertised.listeners", "listener.security.protocol.map");

  private static final int TIMEOUT_SECONDS = 30;
  private static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();

  private final KafkaRaftServer server;
  private final int port;
  private boolean closed;

  private EmbeddedKafka(KafkaRaftServer server, int port) {
    this.server = server;
    this.port = port;
  }

  /** Starts on any free port. */
  public static EmbeddedKafka start(Path directory) {
    return start(directory, 0);
  }

  /**
   * Starts a broker and returns when it takes requests.
   *
   * @param directory its data; created and formatted if it is new
   * @param port on loopback, 0 for any free port
   * @throws EmbeddedServiceException if it does not start
   */
  public static EmbeddedKafka start(Path directory, int port) {
    return start(directory, port, Map.of());
  }

  /**
   * Starts a broker with further settings. The list settings {@code listeners}, {@code
   * advertised.listeners} and {@code listener.security.protocol.map} are added to its own. With
   * {@code controller.quorum.voters} it is one of the cluster {@link #CLUSTER_ID}, by its {@code
   * node.id}.
   */
  public static EmbeddedKafka start(Path directory, int port, Map<String, String> more) {
    KafkaRaftServer server = null;
    int chosen = port;
    try {
      Files.createDirectories(directory);
      chosen = port != 0 ? port : freePort();
      int node = Integer.parseInt(more.getOrDefault("node.id", Integer.toString(NODE)));
      Map<String, String> properties =
          properties(directory, node, chosen, controllerPort(node, chosen, more));
      more.forEach(
          (name, value) ->
              properties.merge(
                  name,
                  value,
                  (own, given) -> LISTENERS.contains(name) ? own + "," + given : given));
      String cluster = properties.remove(CLUSTER_ID);
      format(directory, node, cluster == null ? Uuid.randomUuid().toString() : cluster);
      server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
      server.startup();
      EmbeddedKafka kafka = new EmbeddedKafka(server, chosen);
      kafka.awaitReady();
      return kafka;
    } catch (Exception e) {
      if (server != null) {
        server.shutdown();
      }
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new EmbeddedServiceException(
          "the Kafka broker in "
              + directory
              + " did not start on "
              + HOST
              + ":"
              + chosen
              + ": "
              + e,
          e);
    }
  }

  private static int controllerPort(int node, int broker, Map<String, String> more)
      throws IOException {
    String voters = more.get("controller.quorum.voters");
    if (voters == null) {
      int port = freePort();
      while (port == broker) { // the system may give a port again once it is free
        port = freePort();
      }
      return port;
    }
    for (String voter : voters.split(",", -1)) {
      if (voter.startsWith(node + "@")) {
        return Integer.parseInt(voter.substring(voter.lastIndexOf(':') + 1));
      }
    }
    throw new IllegalArgumentException("node " + node + " is none of the voters " + voters);
  }

  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void format(Path directory, int node, String cluster) throws Exception {
    if (Files.exists(directory.resolve("meta.properties"))) {
      return; // it already has a cluster id, and keeps it
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
      new Formatter()
          .setPrintStream(out)
          .setNodeId(node)
          .setClusterId(cluster)
          .setDirectories(List.of(directory.toString()))
          .setReleaseVersion(MetadataVersion.latestProduction())
          .setControllerListenerName("CONTROLLER")
          .setMetadataLogDirectory(directory.toString())
          .setUnstableFeatureVersionsEnabled(false)
          .setIgnoreFormatted(true)
          .run();
    } catch (Exception e) {
      throw new IOException("formatting failed: " + said.toString(StandardCharsets.UTF_8), e);
    }
  }

  private static Map<String, String> properties(
      Path directory, int node, int port, int controllerPort) {
    Map<String, String> p = new HashMap<>();
    p.put("process.roles", "broker,controller");
    p.put("node.id", Integer.toString(node));
    p.put("controller.quorum.voters", node + "@" + HOST + ":" + controllerPort);
    p.put(
        "listeners",
        "BROKER://" + HOST + ":" + port + ",CONTROLLER://" + HOST + ":" + controllerPort);
    p.put("advertised.listeners", "BROKER://" + HOST + ":" + port);
    p.put("listener.security.protocol.map", "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.put("controller.listener.names", "CONTROLLER");
    p.put("inter.broker.listener.name", "BROKER");
    p.put("log.dirs", directory.toString());
    // A single broker cannot replicate.
    p.put("default.replication.factor", "1");
    p.put("offsets.topic.replication.factor", "1");
    p.put("offsets.topic.num.partitions", "4");
    p.put("transaction.state.log.replication.factor", "1");
    p.put("transaction.state.log.min.isr", "1");
    p.put("transaction.state.log.num.partitions", "4");
    p.put("share.coordinator.state.topic.replication.factor", "1");
    p.put("share.coordinator.state.topic.min.isr", "1");
    p.put("auto.create.topics.enable", "false");
    p.put("group.initial.rebalance.delay.ms", "0");
    // Small: few threads, small buffers of the log cleaner and indexes of the logs.
    p.put("num.network.threads", "2");
    p.put("num.io.threads", "2");
    p.put("num.replica.fetchers", "1");
    p.put("background.threads", "2");
    p.put("log.cleaner.dedupe.buffer.size", Integer.toString(2 << 20));
    p.put("log.index.size.max.bytes", Integer.toString(1 << 20));
    p.put("log.segment.bytes", Integer.toString(128 << 20));
    p.put("message.max.bytes", Integer.toString(16 << 20));
    return p;
  }

  private void awaitReady() throws ExecutionException, InterruptedException, TimeoutException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      admin.describeCluster().nodes().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** {@code host:port} for clients. */
  public String bootstrapServers() {
    return HOST + ":" + port;
  }

  /**
   * Creates a topic with settings such as {@code retention.bytes}, or leaves an existing one
   * unchanged.
   *
   * @throws EmbeddedServiceException if the broker refuses it
   */
  public void createTopic(String name, int partitions, Map<String, String> settings) {
    createTopic(bootstrapServers(), name, partitions, settings);
  }

  /** Creates a topic at a broker of another process. */
  public static void createTopic(
      String bootstrap, String name, int partitions, Map<String, String> settings) {
    NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(settings);
    try {
      KafkaTopics.createAndAwait(Map.of("bootstrap.servers", bootstrap), topic);
    } catch (ConfigException e) {
      throw new EmbeddedServiceException(e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      server.shutdown();
      server.awaitShutdown();
    }
  }

  /**
   * {@code EmbeddedKafka [--detached] DIRECTORY [PORT [PROPERTIES]]}, the last a file with further
   * settings. Prints {@code READY host:port} when it takes requests; runs until a signal, or until
   * standard input ends unless it is detached.
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    boolean isDetached = args.length > 0 && args[0].equals("--detached");
    List<String> words = List.of(args).subList(isDetached ? 1 : 0, args.length);
    if (words.isEmpty() || words.size() > 3) {
      System.err.println("usage: EmbeddedKafka [--detached] DIRECTORY [PORT [PROPERTIES]]");
      System.exit(2);
    }
    Map<String, String> more = new HashMap<>(SHORT_SESSIONS);
    if (words.size() == 3) {
      Properties read = new Properties();
      try (Reader reader = Files.newBufferedReader(Path.of(words.get(2)), StandardCharsets.UTF_8)) {
        read.load(reader);
      }
      read.stringPropertyNames().forEach(name -> more.put(name, read.getProperty(name)));
    }
    int port = words.size() > 1 ? Integer.parseInt(words.get(1)) : 0;
    EmbeddedKafka kafka = start(Path.of(words.get(0)), port, more);
    Runtime.getRuntime().addShutdownHook(new Thread(kafka::close, "stop-broker"));
    System.out.println("READY " + kafka.bootstrapServers());
    if (isDetached) {
      new CountDownLatch(1).await();
    }
    // The parent process holds the other end; when it dies, this ends, too.
    System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }
}

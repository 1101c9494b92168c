package org.flowmon.deploy.cluster;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Writes the configuration of Flink and of the job; files that exist may have been edited. */
final class ClusterConfig {
  private ClusterConfig() {}

  static void write(ClusterFolder folder) throws IOException {
    Path conf = Files.createDirectories(folder.path("flink/conf"));
    Files.createDirectories(folder.path("flink/tmp"));
    writeNew(conf.resolve("config.yaml"), flink(folder));
    writeNew(conf.resolve("zoo.cfg"), zooKeeper(folder));
    for (String name :
        List.of("log4j2.properties", "log4j-console.properties", "log4j-cli.properties")) {
      writeNew(conf.resolve(name), LOG);
    }
    writeNew(folder.config(), job(folder));
  }

  private static void writeNew(Path file, List<String> lines) throws IOException {
    if (!Files.exists(file)) {
      Files.write(file, lines);
    }
  }

  /** A text of YAML. */
  private static String quoted(Object text) {
    return "'" + text.toString().replace("'", "''") + "'";
  }

  private static List<String> job(ClusterFolder folder) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "# Written by flowmon cluster start, once; a change counts when the job starts anew.");
    lines.add("kafka: {bootstrap: " + quoted(folder.address("kafka")) + "}");
    lines.add("archive: {directory: " + quoted(folder.path("archive")) + "}");
    lines.add("postgres:");
    lines.add("  url: jdbc:postgresql://" + folder.address("postgres") + "/flowmon");
    lines.add("  user: flowmon");
    lines.add("  password_file: " + quoted(folder.path("postgres/password")));
    String analyses = folder.setting("analyses");
    if (!analyses.isEmpty()) {
      lines.add("analyses: " + quoted(analyses));
    }
    lines.add("job:");
    int slots = folder.number("taskmanagers") * folder.number("slots");
    lines.add("  parallelism: " + slots);
    lines.add("  checkpoint_interval: 10s");
    return lines;
  }

  private static List<String> flink(ClusterFolder folder) {
    return List.of(
        "# Written by flowmon cluster start, once.",
        "jobmanager.rpc.address: 127.0.0.1",
        "jobmanager.rpc.port: " + folder.setting("port.flink-rpc"),
        "jobmanager.bind-host: 127.0.0.1",
        "jobmanager.memory.process.size: 800m",
        "rest.address: 127.0.0.1",
        "rest.bind-address: 127.0.0.1",
        "rest.port: " + folder.setting("port.flink"),
        "blob.server.port: 0",
        "taskmanager.host: 127.0.0.1",
        "taskmanager.bind-host: 127.0.0.1",
        "taskmanager.numberOfTaskSlots: " + folder.setting("slots"),
        "taskmanager.memory.process.size: 1600m",
        "taskmanager.memory.managed.size: 16m",
        "taskmanager.memory.network.max: 64m",
        "io.tmp.dirs: " + quoted(folder.path("flink/tmp")),
        "env.java.opts.all: --add-opens=java.base/java.util=ALL-UNNAMED"
            + " --add-opens=java.base/java.nio=ALL-UNNAMED",
        "restart-strategy.type: exponential-delay",
        // A JobManager that starts anew finds its jobs there, and their last checkpoints.
        "high-availability.type: zookeeper",
        "high-availability.zookeeper.quorum: " + folder.address("zookeeper"),
        "high-availability.zookeeper.client.session-timeout: 10s",
        "high-availability.zookeeper.client.tolerate-suspended-connections: true",
        "high-availability.storageDir: " + quoted("file://" + folder.path("flink/ha")),
        "high-availability.jobmanager.port: " + folder.setting("port.flink-rpc"),
        // Flink takes %20 for itself: no URI, whose spaces are encoded.
        "execution.checkpointing.dir: " + quoted("file://" + folder.path("flink/checkpoints")),
        "execution.checkpointing.savepoint-dir: "
            + quoted("file://" + folder.path("flink/savepoints")),
        // A job that starts anew goes on from there.
        "execution.checkpointing.externalized-checkpoint-retention: RETAIN_ON_CANCELLATION",
        "state.backend.type: hashmap",
        "parallelism.default: 1");
  }

  private static List<String> zooKeeper(ClusterFolder folder) throws IOException {
    Properties all = new Properties();
    all.setProperty("tickTime", "2000");
    all.setProperty("dataDir", folder.path("zookeeper").toString());
    all.setProperty("clientPort", folder.setting("port.zookeeper"));
    all.setProperty("clientPortAddress", "127.0.0.1");
    all.setProperty("admin.enableServer", "false");
    all.setProperty("autopurge.purgeInterval", "1"); // hours; three snapshots stay
    ByteArrayOutputStream lines =
        new ByteArrayOutputStream(); // store escapes other letters than Latin-1
    all.store(lines, "Written by flowmon cluster start, once.");
    return lines.toString(StandardCharsets.ISO_8859_1).lines().toList();
  }

  /** Flink's own scripts name the file likewise. */
  private static final List<String> LOG =
      List.of(
          "rootLogger.level = INFO",
          "rootLogger.appenderRef.file.ref = file",
          "appender.file.type = RollingFile",
          "appender.file.name = file",
          "appender.file.fileName = ${sys:log.file}",
          "appender.file.filePattern = ${sys:log.file}.%i",
          "appender.file.layout.type = PatternLayout",
          "appender.file.layout.pattern ="
              + " %d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z'}{UTC} %-5p %c{1} - %m%n",
          "appender.file.policies.type = Policies",
          "appender.file.policies.size.type = SizeBasedTriggeringPolicy",
          "appender.file.policies.size.size = 20MB",
          "appender.file.strategy.type = DefaultRolloverStrategy",
          "appender.file.strategy.max = 5");
}

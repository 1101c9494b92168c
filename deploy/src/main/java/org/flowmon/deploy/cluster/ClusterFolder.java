package org.flowmon.deploy.cluster;

import java.io.IOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.flow.files.PrivateFolder;
import org.flowmon.flow.files.UnsafeFolderException;

/**
 * The folder of a cluster, which other users cannot change:
 *
 * <pre>
 * cluster.properties   ports and sizes, as of the first start
 * flowmon.yaml         the job's configuration
 * run/                 a file of each process, and the lock
 * logs/
 * archive/, kafka/, postgres/, flink/
 * </pre>
 */
final class ClusterFolder {
  private static final String SETTINGS = "cluster.properties";

  private final Path root;
  private final Map<String, String> settings = new TreeMap<>();

  private ClusterFolder(Path root) {
    this.root = root;
  }

  /** Opens the folder of a cluster that was started before. */
  static ClusterFolder open(Path root) throws IOException {
    ClusterFolder folder = new ClusterFolder(root.toAbsolutePath().normalize());
    if (!Files.isRegularFile(folder.root.resolve(SETTINGS))) {
      throw new CommandException(
          root + " is no cluster's folder; --dir names it, flowmon cluster start makes it");
    }
    folder.read();
    return folder;
  }

  /**
   * Makes the folder, or opens it.
   *
   * @param defaults of settings, for those that are not kept yet
   * @param given settings
   * @throws CommandException if one is given that differs from what is kept
   */
  static ClusterFolder make(Path root, Map<String, String> defaults, Map<String, String> given)
      throws IOException {
    Path real;
    try {
      real = PrivateFolder.create(root, PrivateFolder.Readers.NONE, "choose another folder");
    } catch (UnsafeFolderException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
    ClusterFolder folder = new ClusterFolder(real.toAbsolutePath().normalize());
    for (String name : List.of("run", "logs")) {
      Files.createDirectories(folder.root.resolve(name));
    }
    if (Files.exists(folder.root.resolve(SETTINGS))) {
      folder.read();
    }
    given.forEach(
        (name, value) -> {
          String kept = folder.settings.putIfAbsent(name, value);
          if (kept != null && !kept.equals(value)) {
            throw new CommandException(
                "the cluster of %s was made with %s=%s, not %s; keep it, or use another --dir"
                    .formatted(root, name, kept, value));
          }
        });
    defaults.forEach(folder.settings::putIfAbsent);
    folder.write();
    return folder;
  }

  private void read() throws IOException {
    Properties read = new Properties();
    try (var in = Files.newBufferedReader(root.resolve(SETTINGS))) {
      read.load(in);
    }
    read.stringPropertyNames().forEach(name -> settings.put(name, read.getProperty(name)));
  }

  private void write() throws IOException {
    Properties all = new Properties();
    settings.forEach(all::setProperty);
    try (Writer out = Files.newBufferedWriter(root.resolve(SETTINGS))) {
      all.store(out, "flowmon cluster: fixed by the first start");
    }
  }

  /** Keeps other commands from starting and stopping at the same time, until it is closed. */
  FileChannel lock() throws IOException {
    FileChannel channel =
        FileChannel.open(
            root.resolve("run/lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = channel.tryLock();
    if (lock == null) {
      channel.close();
      throw new CommandException(
          "another flowmon cluster start or stop is busy with " + root + "; try again later");
    }
    return channel;
  }

  Path root() {
    return root;
  }

  Path path(String name) {
    return root.resolve(name);
  }

  Path config() {
    return root.resolve("flowmon.yaml");
  }

  Path log(String process) {
    return root.resolve("logs").resolve(process + ".log");
  }

  /** Takes what a process prints beside its log. */
  Path printed(String process) {
    return root.resolve("logs").resolve(process + ".out");
  }

  OwnProcess process(String name) {
    return new OwnProcess(name, root.resolve("run").resolve(name + ".pid"));
  }

  /** A setting of {@code cluster.properties}. */
  String setting(String name) {
    String value = settings.get(name);
    if (value == null) {
      throw new CommandException(root.resolve(SETTINGS) + " lacks " + name);
    }
    return value;
  }

  int number(String name) {
    return Integer.parseInt(setting(name));
  }

  /** {@code 127.0.0.1:PORT} of a service. */
  String address(String service) {
    return "127.0.0.1:" + setting("port." + service);
  }

  String url(String service) {
    return "http://" + address(service);
  }

  /** Names of the processes, in the order in which they start. */
  List<String> processes() {
    List<String> names = new java.util.ArrayList<>(List.of("broker", "postgres", "jobmanager"));
    for (int i = 1; i <= number("taskmanagers"); i++) {
      names.add("taskmanager-" + i);
    }
    names.addAll(List.of("collector", "server"));
    return names;
  }
}

package org.flowmon.deploy.cluster;

import java.io.IOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
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
 * archive/, kafka/, postgres/, zookeeper/, flink/
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

  /** Makes the folder, or opens it; {@link #settle} fixes its settings. */
  static ClusterFolder make(Path root) throws IOException {
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
    return folder;
  }

  /**
   * Reads the settings and adds those that are not kept yet. The caller holds the {@link #lock}.
   *
   * @param defaults of settings, for those that are neither kept nor given
   * @throws CommandException if a given one differs from the kept one
   */
  void settle(Map<String, String> defaults, Map<String, String> given) throws IOException {
    if (Files.exists(root.resolve(SETTINGS))) {
      read();
    }
    given.forEach(
        (name, value) -> {
          String kept = settings.putIfAbsent(name, value);
          if (kept != null && !kept.equals(value)) {
            throw new CommandException(
                "the cluster of %s was made with %s=%s, not %s; keep it, or use another --dir"
                    .formatted(root, name, kept, value));
          }
        });
    defaults.forEach(settings::putIfAbsent);
    write();
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
    Path part = root.resolve(SETTINGS + ".part");
    try (Writer out = Files.newBufferedWriter(part)) {
      all.store(out, "flowmon cluster: fixed by the first start");
    }
    Files.move(part, root.resolve(SETTINGS), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Keeps other commands from starting and stopping at the same time, until it is closed. */
  FileChannel lock() throws IOException {
    FileChannel channel =
        FileChannel.open(
            root.resolve("run/lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!isLocked(channel)) {
      channel.close();
      throw new CommandException(
          "another flowmon cluster start or stop is busy with " + root + "; try again later");
    }
    return channel;
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // another thread of this process
    }
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
    List<String> names = new ArrayList<>(List.of("broker", "postgres", "zookeeper", "jobmanager"));
    for (int i = 1; i <= number("taskmanagers"); i++) {
      names.add("taskmanager-" + i);
    }
    names.addAll(List.of("collector", "server"));
    return names;
  }
}

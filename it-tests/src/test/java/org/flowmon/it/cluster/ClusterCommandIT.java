package org.flowmon.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.deploy.Flowmon;
import org.flowmon.it.CommandRun;
import org.flowmon.it.Program;
import org.flowmon.it.ProjectFiles;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code flowmon cluster}: processes that a person starts, kills and stops. */
class ClusterCommandIT {
  private static final List<String> NAMES =
      List.of("broker", "postgres", "jobmanager", "taskmanager-1", "collector", "server");

  @TempDir static Path root;

  private static Path folder() {
    return root.resolve("a cluster's folder");
  }

  private static CommandRun cluster(String what, String... options) {
    List<String> words = new ArrayList<>(List.of("cluster", what, "--dir", folder().toString()));
    words.addAll(List.of(options));
    return CommandRun.of(Flowmon.commandLine(), words.toArray(String[]::new));
  }

  private static CommandRun start() {
    return cluster(
        "start",
        "--job-jar",
        ProjectFiles.root().resolve("flowmon-jobs/target/flowmon-job.jar") + "");
  }

  @AfterAll
  static void stopWhatIsLeft() {
    if (Files.exists(folder().resolve("cluster.properties"))) {
      cluster("stop", "--grace", "20s");
    }
  }

  private static Properties properties(String file) throws IOException {
    Properties read = new Properties();
    try (var in = Files.newBufferedReader(folder().resolve(file))) {
      read.load(in);
    }
    return read;
  }

  private static long pid(String name) throws IOException {
    return Long.parseLong(properties("run/" + name + ".pid").getProperty("pid"));
  }

  private static Map<String, Long> pids() throws IOException {
    Map<String, Long> all = new TreeMap<>();
    for (String name : NAMES) {
      all.put(name, pid(name));
    }
    return all;
  }

  private static String port(String service) throws IOException {
    return properties("cluster.properties").getProperty("port." + service);
  }

  private static long rows() {
    try (Archive archive = Archive.open(folder().resolve("archive"));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.rows();
    } catch (IOException e) {
      return -1;
    }
  }

  /** Sends flows of the office to the collector. */
  private static void send(int flows, int seed) throws IOException {
    CommandRun sent =
        CommandRun.of(
            Flowmon.commandLine(),
            "generate",
            "office",
            "--fast",
            "--flows",
            Integer.toString(flows),
            "--seed",
            Integer.toString(seed),
            "--to",
            "udp://127.0.0.1:" + port("collector"));
    assertEquals(0, sent.code(), sent.err());
  }

  private static void awaitRows(long rows) throws Exception {
    long end = System.nanoTime() + Program.PATIENCE.toNanos();
    while (rows() < rows) {
      assertTrue(System.nanoTime() < end, rows() + " of " + rows + " rows are in the archive");
      Thread.sleep(200);
    }
    assertEquals(rows, rows());
  }

  @Test
  void flowsOutliveKillsAndAStopAndNoOtherProcessIsTouched() throws Exception {
    CommandRun first = start();
    assertEquals(0, first.code(), first.err());
    assertTrue(first.out().contains("the job has started\n"), first.out());
    Map<String, Long> pids = pids();
    send(2000, 1);
    awaitRows(2000);
    assertListensOnLoopbackAlone(pids);

    CommandRun again = start();
    assertEquals(0, again.code(), again.err());
    assertEquals(pids, pids());
    assertTrue(again.out().contains("the job runs already\n"), again.out());

    for (String killed : List.of("taskmanager-1", "collector", "broker")) {
      ProcessHandle.of(pid(killed)).orElseThrow().destroyForcibly();
    }
    awaitStatus(1, "taskmanager-1\\s+not alive");
    assertEquals(0, start().code());
    assertNotEquals(pids.get("broker"), pid("broker"));
    assertEquals(pids.get("server"), pid("server"));
    send(1500, 2);
    awaitRows(3500);
    awaitStatus(0, "job\\s+ok\\s+alive");

    // A number that another process has by now, which started at another time.
    Process other = new ProcessBuilder("sleep", "600").start();
    Path file = folder().resolve("run/server.pid");
    String own = Files.readString(file);
    Files.writeString(file, own.replaceAll("pid=\\d+", "pid=" + other.pid()));
    CommandRun before = cluster("stop");
    Files.writeString(file, own);
    assertEquals(0, before.code(), before.err() + before.out());
    assertTrue(other.isAlive());
    assertTrue(before.out().contains("the job has ended, with a savepoint\n"), before.out());
    assertFalse(before.out().contains("server"), before.out());
    CommandRun stopped = cluster("stop");
    assertEquals(new CommandRun(0, "server has ended\n", ""), stopped);
    for (Map.Entry<String, Long> one : pids.entrySet()) {
      assertFalse(isRunning(one.getValue()), one.toString());
    }
    other.destroyForcibly();

    CommandRun later = start();
    assertEquals(0, later.code(), later.err());
    assertTrue(later.out().contains("the job has started, from savepoint-"), later.out());
    send(500, 3);
    awaitRows(4000);
    assertEquals(0, cluster("stop").code());
    CommandRun status = cluster("status");
    assertTrue(status.out().startsWith("broker          not alive"), status.out());
  }

  /** A process that has ended stays in the system's list until its parent has asked about it. */
  private static boolean isRunning(long pid) throws IOException {
    Path stat = Path.of("/proc/" + pid + "/stat");
    try {
      return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()
          && !Files.readString(stat).contains(") Z ");
    } catch (java.nio.file.NoSuchFileException e) {
      return false;
    }
  }

  private static void awaitStatus(int code, String line) throws Exception {
    Pattern wanted = Pattern.compile(line);
    long end = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    CommandRun status = cluster("status");
    while (status.code() != code || !wanted.matcher(status.out()).find()) {
      assertTrue(System.nanoTime() < end, status.toString());
      Thread.sleep(500);
      status = cluster("status");
    }
  }

  /** By the kernel's own lists of sockets: 0A is the state that listens. */
  private static void assertListensOnLoopbackAlone(Map<String, Long> pids) throws IOException {
    Map<String, String> open = new TreeMap<>();
    int listening = 0;
    for (Map.Entry<String, Long> one : pids.entrySet()) {
      Path process = Path.of("/proc", one.getValue().toString());
      if (!Files.isDirectory(process)) {
        return; // not Linux
      }
      List<String> inodes = new ArrayList<>();
      try (Stream<Path> files = Files.list(process.resolve("fd"))) {
        for (Path file : files.toList()) {
          String target = Files.readSymbolicLink(file).toString();
          if (target.startsWith("socket:[")) {
            inodes.add(target.substring("socket:[".length(), target.length() - 1));
          }
        }
      }
      for (String table : List.of("tcp", "tcp6", "udp", "udp6")) {
        for (String line :
            Files.readAllLines(process.resolve("net/" + table), StandardCharsets.UTF_8)) {
          String[] words = line.strip().split("\\s+", -1);
          boolean listens = words[3].equals("0A") || table.startsWith("udp");
          if (words.length > 9 && inodes.contains(words[9]) && listens) {
            listening++;
            String address = words[1].substring(0, words[1].indexOf(':'));
            if (!address.equals("0100007F")
                && !address.equals("0000000000000000FFFF00000100007F")
                && !address.equals("00000000000000000000000001000000")) {
              open.put(one.getKey() + " " + table, words[1]);
            }
          }
        }
      }
    }
    assertTrue(listening >= 8, listening + " sockets");
    assertEquals(Map.of(), open);
  }
}

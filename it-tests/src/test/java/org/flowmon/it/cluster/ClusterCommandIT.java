package org.flowmon.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
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
      List.of(
          "broker", "postgres", "zookeeper", "jobmanager", "taskmanager-1", "collector", "server");

  /** The traffic comes in parts of so many flows, each of a seed of its own. */
  private static final int PARTS = 3;

  private static final int FLOWS = 4000;

  /** Flows a second of a mean time of day. */
  private static final int RATE = 150;

  private static final String EVERY_FLOW =
      "SELECT src_addr, dst_addr, src_port, dst_port, protocol, start_time, end_time, bytes,"
          + " packets, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_addr, src_port, dst_port,"
          + " protocol, start_time, end_time, bytes, packets ORDER BY start_time, end_time,"
          + " src_addr, dst_addr, src_port, dst_port, bytes";

  private static final String WINDOWS =
      "SELECT TIME_BUCKET(arrival, INTERVAL '5' SECOND) AS w, src_addr, SUM(bytes) AS bytes,"
          + " COUNT(*) AS flows FROM flows GROUP BY w, src_addr";

  /** All sources of each window: the same sums as {@link #WINDOWS}. */
  private static final String TALKERS =
      """
      name: talkers
      live:
        query: SELECT src_addr, SUM(bytes) AS bytes, COUNT(*) AS flows FROM flows GROUP BY src_addr
        window: 5s
        time: arrival
        lateness: 30s
      report: {logic: live}
      sinks: [postgres]
      """;

  @TempDir static Path root;

  private static Path folder() {
    return root.resolve("a cluster's folder");
  }

  private static CommandRun cluster(String what, String... options) {
    List<String> words = new ArrayList<>(List.of("cluster", what, "--dir", folder().toString()));
    words.addAll(List.of(options));
    return CommandRun.of(Flowmon.commandLine(), words.toArray(String[]::new));
  }

  private static CommandRun start() throws IOException {
    Path analyses = Files.createDirectories(root.resolve("analyses"));
    Files.writeString(analyses.resolve("talkers.yaml"), TALKERS);
    return cluster(
        "start",
        "--analyses",
        analyses.toString(),
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

  /** The answer of a query over an archive, as lines of CSV without the header. */
  private static List<String> query(Path archive, String sql) {
    CommandRun answer =
        CommandRun.of(
            Flowmon.commandLine(),
            "query",
            sql,
            "--archive",
            archive.toString(),
            "--format",
            "csv");
    assertEquals(0, answer.code(), answer.err());
    return answer.out().lines().skip(1).toList();
  }

  private static long rows() {
    try (Archive archive = Archive.open(folder().resolve("archive"));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      return snapshot.rows();
    } catch (IOException e) {
      return -1;
    }
  }

  private static void awaitRows(long rows) throws Exception {
    await(() -> rows() >= rows, () -> rows() + " of " + rows + " rows are in the archive");
  }

  /** What an undisturbed reader of the same traffic has, in an archive of its own. */
  private static List<String> undisturbed() {
    Path archive = root.resolve("undisturbed");
    for (int seed = 1; seed <= PARTS; seed++) {
      String capture = root.resolve("office-" + seed + ".pcap").toString();
      List<String> words = traffic(seed, capture);
      CommandRun made = CommandRun.of(Flowmon.commandLine(), words.toArray(String[]::new));
      assertEquals(0, made.code(), made.err());
      CommandRun read =
          CommandRun.of(Flowmon.commandLine(), "import", capture, "--archive", archive.toString());
      assertEquals(0, read.code(), read.err());
    }
    return query(archive, EVERY_FLOW);
  }

  /** The words of a command that makes a part of the traffic, the same each time. */
  private static List<String> traffic(int seed, String to) {
    return List.of(
        "generate",
        "office",
        "--start",
        "2026-01-05T08:00:00Z",
        "--rate",
        Integer.toString(RATE),
        "--flows",
        Integer.toString(FLOWS),
        "--seed",
        Integer.toString(seed),
        "--to",
        to);
  }

  /** Sends a part of the traffic to the collector, in its own time unless it is fast. */
  private static Program send(int seed, String... fast) throws IOException {
    List<String> words = new ArrayList<>(traffic(seed, "udp:127.0.0.1:" + port("collector")));
    words.addAll(List.of(fast));
    return Program.flowmon(root, "send-" + seed, words.toArray(String[]::new));
  }

  /** Kills processes as the system would: they cannot do anything about it. */
  private static void kill(String... names) throws IOException {
    for (String name : names) {
      assertTrue(ProcessHandle.of(pid(name)).orElseThrow().destroyForcibly(), name);
    }
  }

  /** The job's id, which a job that is submitted anew has not. */
  private static String job() throws Exception {
    URI place = URI.create("http://127.0.0.1:" + port("flink") + "/jobs/overview");
    String answer =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(place).build(), BodyHandlers.ofString())
            .body();
    Matcher id = Pattern.compile("\"jid\":\"([0-9a-f]{32})\"").matcher(answer);
    assertTrue(id.find(), answer);
    return id.group(1);
  }

  @Test
  void whateverIsKilledWhileFlowsArriveResultsAreThoseOfAnUndisturbedRun() throws Exception {
    CommandRun first = start();
    assertEquals(0, first.code(), first.err());
    assertTrue(first.out().contains("the job has started\n"), first.out());
    Map<String, Long> pids = pids();
    String job = job();

    try (Program sender = send(1)) {
      awaitRows(1);
      assertListensOnLoopbackAlone(pids);
      kill("jobmanager", "postgres", "server");
      awaitStatus(3, "jobmanager\\s+not alive");
      assertTrue(sender.isAlive(), "flows arrive while there is no JobManager");
      CommandRun again = start();
      assertEquals(0, again.code(), again.err());
      assertTrue(again.out().contains("the job runs already\n"), again.out());
      assertEquals(job, job());
      assertEquals(0, sender.await(), sender.printed());
    }
    for (String name : List.of("broker", "zookeeper", "taskmanager-1", "collector")) {
      assertEquals(pids.get(name), pid(name), name);
    }
    awaitRows(FLOWS);

    try (Program sender = send(2)) {
      awaitRows(FLOWS + 1);
      kill("taskmanager-1", "broker", "zookeeper");
      assertTrue(sender.isAlive(), "flows arrive while there is no broker");
      assertEquals(0, start().code());
      assertEquals(job, job());
      assertEquals(0, sender.await(), sender.printed());
    }
    awaitRows(2 * FLOWS);
    awaitStatus(0, "job\\s+ok\\s+alive");
    kill("collector"); // flows on their way to a dead collector are lost
    stopAllButAnotherProcess();

    CommandRun later = start();
    assertEquals(0, later.code(), later.err());
    assertTrue(later.out().contains("the job has started, from savepoint-"), later.out());
    try (Program sender = send(PARTS, "--fast")) {
      assertEquals(0, sender.await(), sender.printed());
    }
    awaitRows(PARTS * FLOWS);
    assertEquals(undisturbed(), query(folder().resolve("archive"), EVERY_FLOW));
    List<String> windows = sorted(query(folder().resolve("archive"), WINDOWS));
    await(() -> reported().equals(windows), () -> windows + "\nare not " + reported());

    assertEquals(0, cluster("stop").code());
    CommandRun status = cluster("status");
    assertTrue(status.out().startsWith("broker          not alive"), status.out());
  }

  /** A number that another process has by now, which started at another time, gets no signal. */
  private static void stopAllButAnotherProcess() throws IOException {
    Map<String, Long> pids = pids();
    Process other = new ProcessBuilder("sleep", "600").start();
    try {
      Path file = folder().resolve("run/server.pid");
      String own = Files.readString(file);
      Files.writeString(file, own.replaceAll("pid=\\d+", "pid=" + other.pid()));
      CommandRun before = cluster("stop");
      Files.writeString(file, own);
      assertEquals(0, before.code(), before.err() + before.out());
      assertTrue(other.isAlive());
      assertTrue(before.out().contains("the job has ended, with a savepoint\n"), before.out());
      assertFalse(before.out().contains("server"), before.out());
      assertEquals(new CommandRun(0, "server has ended\n", ""), cluster("stop"));
      for (Map.Entry<String, Long> one : pids.entrySet()) {
        assertFalse(isRunning(one.getValue()), one.toString());
      }
    } finally {
      other.destroyForcibly();
    }
  }

  /** Rows of all windows in PostgreSQL: start of the window, source, bytes, flows. */
  private static List<String> reported() {
    List<String> rows = new ArrayList<>();
    try (Connection database =
            DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port("postgres") + "/flowmon",
                "flowmon",
                Files.readString(folder().resolve("postgres/password")).strip());
        Statement statement = database.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT extract(epoch FROM window_start)::bigint, host(src_addr), bytes, flows"
                    + " FROM report_talkers")) {
      while (found.next()) {
        Instant start = Instant.ofEpochSecond(found.getLong(1));
        rows.add(row(start, found.getString(2), found.getString(3), found.getString(4)));
      }
    } catch (IOException | SQLException e) {
      throw new AssertionError("PostgreSQL does not give the reports", e);
    }
    return rows.stream().sorted().toList();
  }

  private static List<String> sorted(List<String> windows) {
    return windows.stream()
        .map(line -> line.split(",", -1))
        .map(cells -> row(Instant.parse(cells[0]), cells[1], cells[2], cells[3]))
        .sorted()
        .toList();
  }

  private static String row(Instant start, String source, String bytes, String flows) {
    return String.join(" ", start.toString(), source, bytes, flows);
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
    AtomicReference<CommandRun> status = new AtomicReference<>();
    await(
        () -> {
          status.set(cluster("status"));
          return status.get().code() == code && wanted.matcher(status.get().out()).find();
        },
        () -> status.get().toString());
  }

  private static void await(BooleanSupplier condition, Supplier<String> state) throws Exception {
    long end = System.nanoTime() + Program.PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, state);
      Thread.sleep(100);
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

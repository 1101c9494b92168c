package org.flowmon.jobs.sql;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.util.FileUtils;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;

/**
 * How fast Flink SQL scans an archive, beside the same query of the dialect in the same process,
 * and looks addresses up. Jobs have one task a step; what starting one costs is told apart.
 * Arguments: flows, source addresses, lookups.
 */
final class SqlBenchmark {
  private static final int SEGMENT_ROWS = 500_000;
  private static final int ROUNDS = 2;
  private static final String AGGREGATE =
      "SELECT dst_port, SUM(%s), COUNT(*) FROM flows GROUP BY dst_port";

  private final Archive archive;

  private SqlBenchmark(Archive archive) {
    this.archive = archive;
  }

  /** Wall-clock and CPU seconds of the process. */
  private record Cost(double wall, double cpu) {
    static Cost now() {
      var system =
          (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      return new Cost(System.nanoTime() / 1e9, system.getProcessCpuTime() / 1e9);
    }

    Cost minus(Cost other) {
      return new Cost(wall - other.wall, cpu - other.cpu);
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    run(args);
    System.exit(0); // ends the cluster's threads, too
  }

  private static void run(String[] args) throws Exception {
    int flows = Integer.parseInt(args[0]);
    int addresses = Integer.parseInt(args[1]);
    int lookups = Integer.parseInt(args[2]);
    Path folder = Files.createTempDirectory("flowmon-sql-benchmark");
    try (Archive archive = Archive.create(folder.resolve("archive"), ArchiveOptions.DEFAULTS)) {
      fill(archive, flows, addresses);
      archive.updateDirectory(false, () -> false); // as maintenance does
      SqlBenchmark benchmark = new SqlBenchmark(archive);
      benchmark.scans(flows);
      benchmark.lookups("present", "10", addresses, lookups);
      benchmark.lookups("absent", "11", addresses, lookups);
      benchmark.lookups("no", "x", addresses, lookups); // what Flink costs
    } finally {
      FileUtils.deleteDirectory(folder.toFile());
    }
  }

  private static void fill(Archive archive, int flows, int addresses) throws Exception {
    Random random = new Random(23);
    FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    for (int from = 0; from < flows; from += SEGMENT_ROWS) {
      List<FlowBatch> batches = new ArrayList<>();
      for (int i = from; i < Math.min(flows, from + SEGMENT_ROWS); i++) {
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, RandomArchive.BEGIN + 100L * i);
        builder.set(FlowColumn.END_TIME, RandomArchive.BEGIN + 100L * i);
        builder.setAddress(
            FlowColumn.SRC_ADDR, IpAddress.ofIpv4(0x0A00_0000 + random.nextInt(addresses)));
        builder.setAddress(
            FlowColumn.DST_ADDR, IpAddress.ofIpv4(0xC000_0000 + random.nextInt(1 << 16)));
        builder.set(FlowColumn.DST_PORT, random.nextInt(1024));
        builder.set(FlowColumn.PROTOCOL, 6);
        builder.set(FlowColumn.BYTES, random.nextInt(100_000));
        builder.endRow();
        if (builder.isFull() || i == flows - 1) {
          batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
          builder.clear();
        }
      }
      RandomArchive.commit(archive, batches);
    }
  }

  private StreamTableEnvironment flink(EnvironmentSettings mode) {
    StreamTableEnvironment flink = SqlSession.of(archive, mode, 1);
    flink.getConfig().set("pipeline.object-reuse", "true");
    flink.executeSql(
        "CREATE TABLE ids (id BIGINT) WITH ('connector' = 'datagen', 'fields.id.kind' = 'sequence',"
            + " 'fields.id.start' = '0', 'fields.id.end' = '0', 'rows-per-second' = '100000000')");
    return flink;
  }

  private void scans(int flows) throws Exception {
    StreamTableEnvironment flink = flink(EnvironmentSettings.inBatchMode());
    Cost start =
        best("start of a job", () -> SqlSession.rows(flink, "SELECT dst_port FROM flows LIMIT 1"));
    String sql = String.format(AGGREGATE, "`bytes`");
    rates("Flink SQL, groups pushed down", flows, start, () -> SqlSession.rows(flink, sql));
    flink.getConfig().set("table.optimizer.source.aggregate-pushdown-enabled", "false");
    rates("Flink SQL, groups by Flink", flows, start, () -> SqlSession.rows(flink, sql));
    rates("the dialect, in this process", flows, new Cost(0, 0), this::query);
  }

  private void query() throws Exception {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      String query = String.format(AGGREGATE, "bytes");
      var unused = ArchiveQuery.run(snapshot, QueryParser.parseQuery(query), QueryOptions.DEFAULTS);
    }
  }

  private void lookups(String what, String network, int addresses, int lookups) throws Exception {
    StreamTableEnvironment flink = flink(EnvironmentSettings.inStreamingMode());
    flink.executeSql(
        "CREATE TABLE joined (addr STRING, `bytes` BIGINT) WITH ('connector' = 'blackhole')");
    flink.executeSql(join(network, addresses, lookups)).await(); // compiled from here on
    int few = lookups / 100;
    Cost start =
        best(
            what + ", " + few + " lookups",
            () -> flink.executeSql(join(network, addresses, few)).await());
    rates(
        what + " addresses, lookups",
        lookups - few,
        start,
        () -> flink.executeSql(join(network, addresses, lookups)).await());
  }

  /** Each address once, in a scattered order; {@code addresses} is a power of two. */
  private static String join(String network, int addresses, int lookups) {
    return "INSERT INTO joined SELECT f.src_addr, f.`bytes` FROM (SELECT CONCAT_WS('.', '"
        + network
        + "', CAST(MOD(n, "
        + addresses
        + ") / 65536 AS STRING), CAST(MOD(n / 256, 256) AS STRING), CAST(MOD(n, 256) AS STRING))"
        + " AS addr, PROCTIME() AS t FROM (SELECT MOD(id * 40503, "
        + addresses
        + ") AS n FROM ids /*+ OPTIONS('fields.id.end' = '"
        + (lookups - 1)
        + "') */)) AS a JOIN flows FOR SYSTEM_TIME AS OF a.t AS f ON f.src_addr = a.addr";
  }

  private static Cost best(String what, Step step) throws Exception {
    Cost best = null;
    for (int i = 0; i < ROUNDS; i++) {
      Cost before = Cost.now();
      step.run();
      Cost took = Cost.now().minus(before);
      best = best == null || took.wall() < best.wall() ? took : best;
    }
    System.out.printf(Locale.ROOT, "%-36s %.3f s, CPU %.3f s%n", what, best.wall(), best.cpu());
    return best;
  }

  private static void rates(String what, int count, Cost start, Step step) throws Exception {
    Cost own = best(what, step).minus(start);
    System.out.printf(
        Locale.ROOT,
        "  beyond the start: %,.0f a second, %,.0f a CPU second%n",
        count / own.wall(),
        count / own.cpu());
  }
}

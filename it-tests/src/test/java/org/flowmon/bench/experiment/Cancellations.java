package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The time until an abandoned query ends. */
@Command(
    name = "cancel",
    mixinStandardHelpOptions = true,
    description = {
      "Time from the moment at which nobody waits for a query any more to its end, by the kind of"
          + " query. Each is given up --rounds times, at moments drawn from the time that it takes:"
          + " half of them as a client goes, half by an interrupt."
    })
public final class Cancellations implements Callable<Integer> {
  private static final int ROUNDS = 40;
  private static final double LIMIT_MS = 100;
  private static final long LONGEST_NANOS = 20_000_000_000L;

  private static final Map<String, String> QUERIES = queries();

  @Mixin private ExperimentOptions options;

  @Option(
      names = "--rows",
      defaultValue = "10000000",
      description = "Rows of the archive; default ${DEFAULT-VALUE}.")
  private long rows;

  @Option(
      names = "--commit-rows",
      defaultValue = "1000000",
      description = "Rows of a commit; default ${DEFAULT-VALUE}.")
  private int commitRows;

  private static Map<String, String> queries() {
    Map<String, String> queries = new LinkedHashMap<>();
    queries.put("count of a scan", "SELECT COUNT(*) AS n FROM flows WHERE bytes % 7 = 3");
    queries.put("rows by index", "SELECT * FROM flows WHERE dst_port IN (22, 80) AND bytes > 9");
    queries.put(
        "top of sources",
        "SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr ORDER BY b DESC LIMIT 10");
    queries.put(
        "groups of pairs",
        "SELECT src_addr, dst_addr, SUM(bytes) AS b FROM flows WHERE bytes > 0 GROUP BY src_addr,"
            + " dst_addr ORDER BY b DESC LIMIT 10");
    queries.put(
        "groups of connections",
        "SELECT src_addr, dst_addr, src_port, bytes, COUNT(*) AS n FROM flows GROUP BY src_addr,"
            + " dst_addr, src_port, bytes ORDER BY n DESC LIMIT 10");
    queries.put(
        "distinct", "SELECT src_addr, COUNT(DISTINCT dst_addr) AS n FROM flows GROUP BY src_addr");
    queries.put(
        "sketches",
        "SELECT dst_port, MEDIAN(QUANTILES(bytes)) AS m, TOTAL(HEAVY_HITTERS(src_addr)) AS t FROM"
            + " flows GROUP BY dst_port");
    queries.put("exact quantiles", "SELECT MEDIAN(QUANTILES(bytes, 0)) AS m FROM flows");
    queries.put("sort", "SELECT src_addr, bytes FROM flows ORDER BY bytes, src_addr LIMIT 2000000");
    queries.put(
        "join",
        "SELECT a.p, COUNT(*) AS n FROM (SELECT bytes AS b, dst_port AS p FROM flows LIMIT 100000)"
            + " AS a JOIN (SELECT bytes AS b FROM flows LIMIT 20000) AS c ON a.b = c.b GROUP BY"
            + " a.p");
    queries.put(
        "in a query",
        "SELECT COUNT(*) AS n FROM flows WHERE src_addr IN (SELECT dst_addr FROM flows GROUP BY"
            + " dst_addr)");
    return queries;
  }

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rows < 1 || commitRows < 1) {
      throw new UsageException("--rows and --commit-rows are at least 1");
    }
    GeneratedWorkload workload = new GeneratedWorkload(rows, options.seed());
    options.progress("loading " + workload.description());
    BenchResult table = new BenchResult("ms until a query ends that nobody waits for");
    double worst = 0;
    ScheduledExecutorService clients = Executors.newSingleThreadScheduledExecutor();
    try (BenchFolder folder = BenchFolder.of("cancel", null);
        Archive archive =
            Archive.create(folder.path().resolve("archive"), ArchiveOptions.DEFAULTS);
        CheckpointLoad load = new CheckpointLoad(archive, commitRows)) {
      ExperimentOptions.read(workload, load::add);
      load.finish();
      for (Map.Entry<String, String> query : QUERIES.entrySet()) {
        Map<String, Object> row = measure(archive, query.getKey(), query.getValue(), clients);
        worst = Math.max(worst, (Double) row.get("max"));
        table.row(row);
        options.progress(row.toString());
      }
    } finally {
      clients.shutdownNow();
    }
    options.print("cancel", List.of(table));
    if (worst > LIMIT_MS) {
      options.progress(String.format("a query took more than %.0f ms to end", LIMIT_MS));
      return ExitCodes.NO;
    }
    return ExitCodes.DONE;
  }

  private Map<String, Object> measure(
      Archive archive, String name, String sql, ScheduledExecutorService clients)
      throws IOException {
    SplittableRandom random = new SplittableRandom(options.seed());
    long whole = 0;
    for (int i = 0; i < 2; i++) {
      long start = System.nanoTime();
      ask(archive, sql, LONGEST_NANOS, false, clients);
      whole = System.nanoTime() - start;
    }
    List<Double> millis = new ArrayList<>();
    for (int round = 0; round < options.rounds(ROUNDS); round++) {
      double ms = ask(archive, sql, random.nextLong(whole), round % 2 == 1, clients);
      if (ms >= 0) {
        millis.add(ms);
      }
    }
    millis.sort(null);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("query", name);
    row.put("takes", whole / 1e6);
    row.put("given_up", (long) millis.size());
    row.put("median", millis.isEmpty() ? 0 : millis.get(millis.size() / 2));
    row.put("max", millis.isEmpty() ? 0.0 : millis.get(millis.size() - 1));
    return row;
  }

  /** Ms from the cancellation of a query to its end, −1 if it had ended before. */
  private double ask(
      Archive archive,
      String sql,
      long afterNanos,
      boolean isInterrupted,
      ScheduledExecutorService clients)
      throws IOException {
    AtomicLong leftAt = new AtomicLong();
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread asking = Thread.currentThread();
    QueryOptions how =
        QueryOptions.DEFAULTS
            .withThreads(options.threads())
            .withIsGone(() -> !isInterrupted && leftAt.get() > 0);
    var leaves =
        clients.schedule(
            () -> {
              if (leftAt.compareAndSet(0, System.nanoTime()) && isInterrupted) {
                asking.interrupt();
              }
              interrupted.set(true);
            },
            afterNanos,
            TimeUnit.NANOSECONDS);
    Query query = QueryParser.parseQuery(sql);
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      ArchiveQuery.run(List.of(snapshot), query, how);
      return -1;
    } catch (QueryCancelledException e) {
      return (System.nanoTime() - leftAt.get()) / 1e6;
    } finally {
      leaves.cancel(false);
      boolean hasLeft = !leftAt.compareAndSet(0, -1);
      while (hasLeft && !interrupted.get()) {
        Thread.onSpinWait(); // until this round's interrupt has arrived
      }
      var unused = Thread.interrupted();
    }
  }
}

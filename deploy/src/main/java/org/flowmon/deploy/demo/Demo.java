package org.flowmon.deploy.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.deploy.demo.feed.FlowFeed;
import org.flowmon.deploy.demo.feed.FlowFeeds;
import org.flowmon.deploy.demo.feed.InputFaults;
import org.flowmon.deploy.demo.service.DemoConsole;
import org.flowmon.deploy.demo.service.DemoDirectory;
import org.flowmon.deploy.demo.service.DemoJob;
import org.flowmon.deploy.demo.service.DemoOptions;
import org.flowmon.deploy.demo.service.DemoServices;
import org.flowmon.deploy.embedded.EmbeddedPostgres;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;

/**
 * All of flowmon in one JVM; at the end it waits until the archive holds all of Kafka's flows, and
 * counts the stored flows by a query.
 *
 * <pre>
 *   simulated routers ─UDP─► collector ─► Kafka ─► job on Flink ─► archive (history preloaded)
 *   or files ─────────────► reader ────┘              └─► reports in PostgreSQL and Kafka
 * </pre>
 */
public final class Demo {
  private static final long TICK_MILLIS = 1_000;
  private static final long TOLD_NANOS = 4_500_000_000L;

  private static final long WINDOW_MILLIS = 10_000;

  private static final Duration DRAIN = Duration.ofMinutes(2);
  private static final Duration QUIET = Duration.ofSeconds(4);
  private static final Duration REPORTS = Duration.ofSeconds(30);

  private final DemoOptions options;
  private final PrintStream progress;

  /** {@code progress} takes lines for people while it runs. */
  public Demo(DemoOptions options, PrintStream progress) {
    this.options = options;
    this.progress = progress;
  }

  /** Runs the demo; {@code result} takes the summary: text, or JSON if the options ask for it. */
  public DemoOutcome run(PrintStream result) throws Exception {
    DemoDirectory.prepare(options.directory(), options.postgres());
    TrafficModel model = new TrafficModel(options.seed(), TrafficOptions.demo());
    progress.println("starting Kafka, PostgreSQL and Flink in " + options.directory());
    try (DemoServices services = DemoServices.start(options);
        PeakMemory memory = new PeakMemory(services.postgres().pid());
        Archive archive = Archive.openOrCreate(options.archive(), ArchiveOptions.DEFAULTS)) {
      long preloaded = preload(archive, model);
      DemoSummary summary = live(services, archive, model, memory, preloaded);
      if (options.json()) {
        summary.writeJson(result);
      } else {
        summary.writeText(result);
      }
      return new DemoOutcome(summary.balances(), summary.faults().leftOut().isEmpty());
    }
  }

  private long preload(Archive archive, TrafficModel model) throws IOException {
    if (!options.inputs().isEmpty()) {
      return 0; // the files' times and hosts are unrelated to the generator's
    }
    Instant begin = Instant.now();
    long preloaded = HistoryPreload.run(archive, model, begin, options);
    progress.printf(
        "preloaded %,d flows of the past %d days in %.1f s%n",
        preloaded,
        DemoOptions.HISTORY_DAYS,
        Duration.between(begin, Instant.now()).toMillis() / 1e3);
    return preloaded;
  }

  private DemoSummary live(
      DemoServices services, Archive archive, TrafficModel model, PeakMemory memory, long preloaded)
      throws Exception {
    Detection detection =
        options.inputs().isEmpty()
            ? new Detection(model.incidents(), progress::println)
            : Detection.none();
    try (DemoJob job = DemoJob.submit(services, options, progress::println);
        DemoConsole console = DemoConsole.start(options, services.kafka().bootstrapServers());
        FlowFeed feed = FlowFeeds.open(services, model, options);
        ReportFeed reports = new ReportFeed(services.postgres(), detection, progress::println)) {
      tellWhereToLook(services, console);
      feed.tellWhereItListens(progress);
      if (options.inputs().isEmpty()) {
        awaitWindow();
      }
      long start = System.nanoTime();
      feed.start();
      detection.begin(System.currentTimeMillis(), options.duration());
      watch(feed, job, reports, detection, start);
      feed.finish();
      double seconds = (System.nanoTime() - start) / 1e9;
      long sentAll = System.nanoTime();
      ArchiveDrain drain =
          new ArchiveDrain(services.kafka().bootstrapServers(), DemoServices.FLOWS, archive);
      progress.println("waiting until the archive has everything");
      drain.await(drain.ends(), DRAIN, missing -> job.check());
      double archiveSeconds = (System.nanoTime() - sentAll) / 1e9;
      progress.println("waiting for the last reports");
      reports.settle(QUIET, REPORTS);
      job.check();
      Map<String, DemoSummary.Reported> reported = reports.counts();
      job.cancel();
      ForeignMessages others =
          ForeignMessages.read(
              services.kafka().bootstrapServers(),
              DemoServices.FLOWS,
              drain.committed(),
              feed.producerIds());
      return new DemoSummary(
          feed.sent(),
          feed.others() + others.flows(),
          ArchiveAnswers.count(archive) - preloaded,
          preloaded,
          dropped(feed, others),
          new InputFaults(others.refused(), others.reasons(), feed.notUnderstood(), feed.leftOut()),
          reported,
          detection.score(),
          seconds,
          archiveSeconds,
          ArchiveAnswers.facts(archive),
          memory.bytes());
    }
  }

  private static Map<String, Long> dropped(FlowFeed feed, ForeignMessages others) {
    Map<String, Long> dropped = new TreeMap<>(feed.dropped());
    if (others.refusedFlows() > 0) {
      dropped.put("quarantined", others.refusedFlows());
    }
    if (others.repeated() > 0) {
      dropped.put("repeated", others.repeated());
    }
    return dropped;
  }

  private void tellWhereToLook(DemoServices services, DemoConsole console) {
    String kafka = services.kafka().bootstrapServers();
    EmbeddedPostgres postgres = services.postgres();
    progress.println("the console, while the demo runs: " + console.url());
    progress.println(
        "the job runs; what its analyses find stands below (all rows by the first command); in"
            + " another terminal:");
    progress.printf(
        "    ./flowmon reports --kafka %s --follow  # all rows of each report%n", kafka);
    progress.printf(
        "    ./flowmon analyses add --kafka %s FILE  # one more (docs/demo.md)%n", kafka);
    progress.printf(
        "    ./flowmon quarantine --kafka %s  # messages that the job refused%n", kafka);
    progress.printf(
        "    PGPASSFILE=%s psql -h 127.0.0.1 -p %d -U %s %s -c 'TABLE flowmon_windows'%n",
        DemoSummary.shell(postgres.pgpass()),
        postgres.port(),
        postgres.user(),
        postgres.database());
  }

  /** Waits for a window's beginning: in a partial window shares and rates are meaningless. */
  private void awaitWindow() throws InterruptedException {
    long wait = WINDOW_MILLIS - Math.floorMod(System.currentTimeMillis(), WINDOW_MILLIS);
    progress.printf("the routers begin in %.1f s, with the next window%n", wait / 1e3);
    Thread.sleep(wait);
  }

  private void watch(
      FlowFeed feed, DemoJob job, ReportFeed reports, Detection detection, long start)
      throws InterruptedException, SQLException {
    long before = 0;
    long lastNanos = start;
    while (feed.isSending()) {
      Thread.sleep(TICK_MILLIS);
      job.check();
      detection.tick(System.currentTimeMillis());
      reports.poll();
      long now = System.nanoTime();
      if (now - lastNanos < TOLD_NANOS) {
        continue;
      }
      long sent = feed.sent();
      progress.printf(
          "%4d s  %,12d flows sent  %,9.0f flows/s  %s%s%n",
          (now - start) / 1_000_000_000,
          sent,
          (sent - before) / ((now - lastNanos) / 1e9),
          feed.dropped().isEmpty() ? "none dropped" : "dropped " + feed.dropped(),
          feed.notUnderstood().isEmpty() ? "" : "  not understood " + feed.notUnderstood());
      before = sent;
      lastNanos = now;
    }
  }
}

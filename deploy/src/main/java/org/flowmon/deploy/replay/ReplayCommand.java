package org.flowmon.deploy.replay;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.archive.Coverage;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.TimeText;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.ReportText;
import org.flowmon.deploy.output.ReportView;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.deploy.terminal.ProgressOption;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.replay.ReplaySpec;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.json.ReportJson;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon replay}: runs an analysis over the archive's flows and prints its reports. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description = {
      "Runs an analysis over archived flows, as the job runs it live, and prints the reports that"
          + " it gave or would have given.",
      "Reports of the windows between --from and --to, in their order. The archive is only read."
    })
public final class ReplayCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofMillis(200);

  /** The format of reports. */
  enum Format {
    /** A line about each window, then its rows as aligned columns. */
    TABLE,
    /** A line of JSON for each row, or for a report without rows, as the job sends it to Kafka. */
    JSON
  }

  @Mixin private ArchiveOption archive;
  @Mixin private ProgressOption progressOption;
  @Mixin private ReportView view;

  @Option(
      names = "--analysis",
      required = true,
      paramLabel = "NAME|FILE",
      description =
          "An analysis: the name of one of --config or of a built-in one, or a file"
              + " NAME.yaml.")
  private String analysis;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The job's configuration: its analyses, the files that they join, and its history delay"
              + " and disorder bound, which decide what history a report sees. Without it those of"
              + " an empty configuration.")
  private @Nullable Path config;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "TIME",
      description = "Windows that begin then or later, as 2026-11-21T08:00:00Z.")
  private String from;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "TIME",
      description = "Windows that end then or before.")
  private String to;

  @Option(
      names = "--format",
      defaultValue = "table",
      description = "table or json; default ${DEFAULT-VALUE}.")
  private Format format;

  @Option(
      names = "--parallelism",
      paramLabel = "N",
      description = "Tasks that group at once; default: the cores. It changes no result.")
  private int parallelism = Runtime.getRuntime().availableProcessors();

  @Override
  public Integer call() throws Exception {
    if (parallelism < 1) {
      throw new UsageException("--parallelism is at least 1");
    }
    view.check();
    ServicesLog.quiet();
    ReplaySpec spec = spec();
    try (Interruption interruption = Interruption.watch();
        Progress progress = progressOption.start()) {
      Writer writer = new Writer(spec, format, view, progress);
      try (LocalReplay replay = new LocalReplay(spec, parallelism, writer)) {
        while (!writer.isUnread() && !replay.await(POLL)) {
          interruption.check();
          writer.show();
        }
      }
      if (writer.isUnread()) {
        return ExitCodes.DONE; // as head has its lines
      }
      writer.end();
      view.checkCondition();
      if (writer.hasNoFlows()) {
        try (ArchiveSnapshots asked = archive.snapshots()) {
          System.err.println(
              "no flow is of that time: the archive holds " + Coverage.ofAll(asked.all()));
        }
      }
    }
    return ExitCodes.DONE;
  }

  private ReplaySpec spec() throws IOException {
    JobConfig job;
    AnalysisConfig chosen;
    try {
      job = config == null ? LocalReplay.withoutJob() : JobConfig.read(config);
      chosen = analysis(job);
    } catch (ConfigException e) {
      throw new UsageException(e.getMessage());
    }
    archive.snapshots().close(); // they exist, and none is named twice
    long first = TimeText.parse(from);
    long last = TimeText.parse(to);
    try {
      return new ReplaySpec(
          archive.locations(),
          chosen,
          first,
          last,
          job.job().historyDelay(),
          job.job().disorderBound(),
          job.enrichment());
    } catch (ConfigException e) {
      throw new UsageException("--from, --to: " + e.getMessage());
    }
  }

  private AnalysisConfig analysis(JobConfig job) {
    if (analysis.endsWith(".yaml") || analysis.endsWith(".yml")) {
      AnalysisConfig read = AnalysisConfig.read(Path.of(analysis), job.enrichment());
      JobAnalyses.check(List.of(read));
      return read;
    }
    List<AnalysisConfig> known = new ArrayList<>(JobAnalyses.of(job));
    if (config == null) {
      known.addAll(AnalysisConfig.offered());
    }
    return known.stream()
        .filter(one -> one.name().equals(analysis))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "--analysis: there is no '"
                        + analysis
                        + "' among "
                        + known.stream().map(AnalysisConfig::name).toList()
                        + (config == null
                            ? ", the built-in ones; name a file NAME.yaml, or a folder with"
                                + " others by --config"
                            : " of " + config)));
  }

  /** Writes reports as they come, and shows the progress of the replay. */
  private static final class Writer implements ReplayListener {
    private final ReplaySpec spec;
    private final Format format;
    private final ReportView view;
    private final Progress progress;
    private final PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    private final AtomicLong flows = new AtomicLong();
    private final AtomicLong through;
    private final long begun = System.nanoTime();
    private long shown;
    private final AtomicLong late = new AtomicLong();
    private long windows;
    private long empty;
    private long rows;

    Writer(ReplaySpec spec, Format format, ReportView view, Progress progress) {
      this.spec = spec;
      this.format = format;
      this.view = view;
      this.progress = progress;
      this.through = new AtomicLong(spec.from());
      progress.begin("replay", spec.to() - spec.from(), () -> through.get() - spec.from());
    }

    @Override
    public synchronized void report(Report report) {
      progress.clear();
      windows++;
      rows += report.rows().rowCount();
      if (format == Format.JSON) {
        writeJson(report);
      } else if (report.rows().rowCount() == 0) {
        empty++;
      } else {
        ReportView.Parts parts = view.of(report.rows(), false);
        if (parts.rows().rowCount() > 0) {
          ReportText.of(report).write(view, parts, out);
        } else {
          view.leaveOut(parts);
        }
      }
      out.flush();
    }

    private void writeJson(Report report) {
      Set<Integer> matching = new HashSet<>();
      for (int row : view.matching(report.rows())) {
        matching.add(row);
      }
      int[] row = {0};
      ReportJson.lines(
          report,
          line -> {
            if (report.rows().rowCount() == 0 || matching.contains(row[0]++)) {
              out.println(line);
            }
          });
    }

    @Override
    public void flows(long count, long lateOfThem) {
      flows.addAndGet(count);
      late.addAndGet(lateOfThem);
    }

    boolean hasNoFlows() {
      return flows.get() == 0;
    }

    @Override
    public void through(long micros) {
      through.accumulateAndGet(Math.min(micros, spec.to()), Math::max);
    }

    /** Whether the output has no reader any more, for example after a pipe into {@code head}. */
    boolean isUnread() {
      return out.checkError();
    }

    synchronized void show() {
      long now = flows.get();
      progress.flows(now - shown);
      shown = now;
    }

    synchronized void end() {
      progress.clear();
      double seconds = (System.nanoTime() - begun) / 1e9;
      System.err.printf(
          "%,d %s with %,d %s%s, of %,d flows in %.1f s (%,.0f flows/s)%n",
          windows,
          windows == 1 ? "report" : "reports",
          rows,
          rows == 1 ? "row" : "rows",
          empty == 0 ? "" : String.format(" (%,d without, left out)", empty),
          flows.get(),
          seconds,
          flows.get() / seconds);
      view.takeQuiet().ifPresent(System.err::println);
      if (late.get() > 0) {
        System.err.printf(
            "%,d of these flows arrived too late for their windows and count in none, as in the"
                + " live job; of files read later than their flows ended, an analysis with time:"
                + " arrival or a larger lateness takes them%n",
            late.get());
      }
    }
  }
}

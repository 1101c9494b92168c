package org.flowmon.deploy.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.TimeText;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.kafka.TopicReader;
import org.flowmon.deploy.output.ReportText;
import org.flowmon.deploy.output.ReportView;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.jobs.report.json.ReportWindows;
import org.flowmon.jobs.sink.kafka.KafkaReports;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code flowmon reports}: the reports of analyses in Kafka. */
@Command(
    name = "reports",
    mixinStandardHelpOptions = true,
    description = {
      "Shows the rows that are out of the ordinary in the reports of analyses with the sink kafka:"
          + " of each window its highest revision, the windows in the order of their ends. Times"
          + " are in UTC.",
      "Without --follow it ends at the present end of the topics. (flowmon report, another command,"
          + " answers reports from an archive.)"
    },
    footer = {
      "",
      "Examples:",
      "  flowmon reports --kafka localhost:9092 --analysis elephants --follow",
      "  flowmon reports --config flowmon.yaml --analysis portscans --where \"targets > 500\"",
      "  flowmon reports --config flowmon.yaml --since 1h --format json",
      "  flowmon reports --config flowmon.yaml --topic flowmon.replays.elephants"
    })
public final class ReportsCommand implements Callable<Integer> {
  private static final int DEFAULT_LAST = 10;

  private static final Duration POLL = Duration.ofMillis(200);

  /** The interval of looking for missing topics. */
  private static final Duration LOOK = Duration.ofSeconds(2);

  /** The interval of counts of reports that are left out. */
  private static final Duration QUIET = Duration.ofMinutes(1);

  /** Shown reports that are recognized when a restarted job repeats them. */
  private static final int REMEMBERED = 100_000;

  /** Messages between two removals of windows that are not among the last. */
  private static final int CUT = 10_000;

  /** How long to wait for missing rows before a report is shown without them. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  /** How long to wait for missing rows before giving up. */
  private static final Duration GIVE_UP = Duration.ofMinutes(10);

  /** The format of reports. */
  enum Format {
    /** A line about each window, then its rows as aligned columns. */
    TABLE,
    /** A line of JSON for each row, as in Kafka. */
    JSON
  }

  @Mixin private KafkaOptions kafka;
  @Mixin private ReportView view;

  @Option(
      names = "--analysis",
      paramLabel = "NAME",
      description = "Of this analysis; may be given more than once. Default: of all.")
  private List<String> analyses = new ArrayList<>();

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description =
          "Those in this topic, as in that of a replay on a cluster. Default: flowmon.reports.NAME"
              + " of each analysis.")
  private @Nullable String topic;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on with what comes, until Ctrl-C.")
  private boolean follow;

  @Option(
      names = "--since",
      paramLabel = "TIME|DURATION",
      description =
          "Of windows that end then or later: a time as 2026-11-21T08:00:00Z, or how long ago as"
              + " 10m.")
  private @Nullable String since;

  @Option(
      names = "--last",
      paramLabel = "N",
      description =
          "Of the last N windows of each analysis; what --follow finds afterwards is shown, too."
              + " Default: 10, with --since all.")
  private @Nullable Integer last;

  @Option(
      names = "--format",
      defaultValue = "table",
      description = "table or json; default ${DEFAULT-VALUE}.")
  private Format format;

  @Override
  public Integer call() throws IOException {
    if (last != null && last < 0) {
      throw new UsageException("--last is " + last + ": expected 0 windows or more");
    }
    view.check();
    long from = since == null ? Long.MIN_VALUE : time(since);
    ServicesLog.quiet();
    try (Interruption interruption = Interruption.watch();
        TopicReader reader = new TopicReader(kafka.answering())) {
      new Shown(reader, from).run(interruption);
    }
    return ExitCodes.DONE;
  }

  /** Parses a time to microseconds, or a duration as the time so long ago. */
  private static long time(String text) {
    if (!text.toLowerCase(Locale.ROOT).matches("\\d+[a-z]+")) {
      return TimeText.parse(text);
    }
    try {
      Instant begin = Instant.now().minus(new DurationConverter().convert(text));
      return FlowTime.micros(begin);
    } catch (TypeConversionException e) {
      throw new UsageException("--since: " + e.getMessage());
    }
  }

  /** A report with missing rows, first seen at {@code nanos}; {@code rows} were shown as JSON. */
  private record Held(long nanos, boolean told, Set<Integer> rows, int revision) {}

  /** Reads and shows reports. */
  private final class Shown {
    private final TopicReader reader;
    private final long from;
    private final ReportWindows windows = new ReportWindows(REMEMBERED);
    private final Map<ReportWindows.Window, Held> held = new HashMap<>();
    private final PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    private long messages;
    private long unreadable;
    private boolean leftOut;
    private boolean isFollowing;
    private boolean isAway;
    private long shown;
    private long withoutRows;
    private long quietSince = System.nanoTime();

    Shown(TopicReader reader, long from) {
      this.reader = reader;
      this.from = from;
    }

    void run(Interruption interruption) throws IOException {
      interruption.onStop(reader::wakeUp);
      choose();
      reader.readToEnd(this::add);
      interruption.check();
      cut();
      tell(windows.waiting());
      remarks();
      view.checkCondition();
      long look = System.nanoTime() + LOOK.toNanos();
      while (follow && !out.checkError()) {
        interruption.check();
        reader.poll(POLL, this::add);
        tell(windows.waiting().stream().filter(this::isDue).toList());
        if (System.nanoTime() > look) {
          look();
          tellQuiet();
          look = System.nanoTime() + LOOK.toNanos();
        }
      }
    }

    /** A line now and then says that reports come, although nothing in them is shown. */
    private void tellQuiet() {
      if (format == Format.TABLE && System.nanoTime() - quietSince > QUIET.toNanos()) {
        quietSince = System.nanoTime();
        view.takeQuiet().ifPresent(System.err::println);
      }
    }

    private void look() {
      try {
        reader.choose(this::isChosen);
        isAway = false;
      } catch (CommandException e) {
        if (!isAway) {
          System.err.println(e.getMessage() + "; trying again");
        }
        isAway = true;
      }
    }

    /** Whether a report is to be shown now: its rows come by partitions, some sooner. */
    private boolean isDue(ReportWindows.Window report) {
      if (report.isComplete()) {
        return true;
      }
      long now = System.nanoTime();
      Held seen = held.computeIfAbsent(report, any -> new Held(now, false, Set.of(), 0));
      if (now - seen.nanos() > GIVE_UP.toNanos()) {
        held.remove(report);
        windows.take(report);
      }
      return !seen.told() && now - seen.nanos() > GRACE.toNanos();
    }

    private boolean isChosen(String name) {
      return topic != null
          ? name.equals(topic)
          : name.startsWith(KafkaReports.TOPIC_PREFIX)
              && (analyses.isEmpty()
                  || analyses.contains(name.substring(KafkaReports.TOPIC_PREFIX.length())));
    }

    private void choose() {
      Set<String> missing = new TreeSet<>();
      if (topic != null) {
        missing.add(topic);
      } else if (analyses.isEmpty()) {
        missing.add(KafkaReports.TOPIC_PREFIX + "*");
      } else {
        analyses.forEach(analysis -> missing.add(KafkaReports.TOPIC_PREFIX + analysis));
      }
      Set<String> found = reader.choose(this::isChosen);
      missing.removeAll(found);
      if (missing.isEmpty() || (topic == null && analyses.isEmpty() && !found.isEmpty())) {
        return;
      }
      Set<String> others = reader.names(KafkaReports.TOPIC_PREFIX);
      String what =
          "no topic "
              + String.join(", ", missing)
              + (topic == null ? ": no job has such an analysis with the sink kafka" : "")
              + (others.isEmpty() ? "" : "; there are " + String.join(", ", others));
      if (!follow) {
        throw new CommandException(what);
      }
      System.err.println(what + "; it is waited for");
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
      try {
        ReportRow row = ReportRow.parse(record.value());
        if (row.windowEnd() >= from && (analyses.isEmpty() || analyses.contains(row.analysis()))) {
          windows.add(row, record.value());
        }
      } catch (IOException e) {
        unreadable++;
      }
      if (++messages % CUT == 0 && !isFollowing) {
        cut();
      }
    }

    private void cut() {
      int most = last != null ? last : since == null ? DEFAULT_LAST : Integer.MAX_VALUE;
      leftOut |= windows.keepLast(most);
    }

    private void tell(List<ReportWindows.Window> reports) throws IOException {
      List<ReportWindows.Window> ordered = new ArrayList<>(reports);
      ordered.sort(
          Comparator.comparingLong(ReportWindows.Window::end)
              .thenComparing(ReportWindows.Window::analysis));
      for (ReportWindows.Window report : ordered) {
        Set<Integer> told = new TreeSet<>();
        if (format == Format.JSON) {
          told.addAll(tellRows(report));
          shown++;
        } else {
          tell(report);
        }
        if (report.isComplete()) {
          held.remove(report);
          windows.take(report);
        } else {
          held.put(report, new Held(System.nanoTime(), true, told, report.revision()));
        }
      }
      isFollowing = follow;
      out.flush();
    }

    /**
     * Shows a report for people; one without rows to be shown only if flows of its window were late
     * or lost, or if it replaces one that may have had rows.
     */
    private void tell(ReportWindows.Window report) throws IOException {
      ReportText text = ReportText.of(report.parsed(), report.isUpdated());
      ReportView.Parts parts = view.of(text.rows(), isFollowing);
      boolean isShown =
          parts.rows().rowCount() > 0
              || text.hasLosses()
              || (text.rows().rowCount() == 0 && report.isUpdated());
      if (isShown) {
        text.write(view, parts, out);
        shown++;
      } else if (text.rows().rowCount() == 0) {
        withoutRows++;
      } else {
        view.leaveOut(parts);
      }
    }

    /** Shows the new rows of a report, and returns the numbers of all shown rows. */
    private Set<Integer> tellRows(ReportWindows.Window report) throws IOException {
      Held before = held.get(report);
      Set<Integer> known =
          before != null && before.revision() == report.revision() ? before.rows() : Set.of();
      Set<Integer> told = new TreeSet<>(known);
      List<ReportRow> rows = report.parsed();
      Set<Integer> matching = matching(rows);
      int row = 0;
      for (byte[] message : report.messages()) {
        int number = rows.get(row++).rowNumber();
        if (told.add(number) && (number == 0 || matching.contains(number))) {
          out.println(new String(message, StandardCharsets.UTF_8));
        }
      }
      return told;
    }

    /** The numbers of the rows for which --where is true. */
    private Set<Integer> matching(List<ReportRow> rows) {
      Set<Integer> numbers = new TreeSet<>();
      if (rows.get(0).rows() > 0) {
        for (int row : view.matching(ReportText.of(rows, false).rows())) {
          numbers.add(rows.get(row).rowNumber());
        }
      }
      return numbers;
    }

    private void remarks() {
      if (leftOut && last == null) {
        System.err.println(
            "earlier windows are left out; --last N shows more of them, --since TIME all since");
      }
      if (unreadable > 0) {
        System.err.printf(
            "%,d messages are left out: they are no reports of version 1 to 3%n", unreadable);
      }
      if (withoutRows > 0) {
        System.err.printf(
            "%,d reports without rows are left out, in which nothing was late or lost;"
                + " --format json shows them%n",
            withoutRows);
      }
      Optional<String> quiet = view.takeQuiet();
      quiet.ifPresent(System.err::println);
      if (withoutRows == 0 && quiet.isEmpty() && shown == 0 && !follow) {
        System.err.println(
            "no reports"
                + (analyses.isEmpty() ? "" : " of " + String.join(", ", analyses))
                + (since == null ? "" : " of windows that end at " + ReportText.time(from))
                + (since == null ? "" : " or later"));
      }
    }
  }
}

package org.flowmon.deploy.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.TopicReader;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.jobs.report.json.ReportWindows;
import org.flowmon.jobs.sink.kafka.KafkaReports;

/** Finds one report in messages: the last one that is chosen by analysis and window. */
final class ReportSource {
  private static final int REMEMBERED = 1;
  private static final int MOST = 100; // windows kept of each analysis
  private static final int CUT = 10_000; // messages between two removals

  private final Optional<String> analysis;
  private final OptionalLong windowEnd;
  private final ReportWindows windows = new ReportWindows(REMEMBERED);
  private long messages;
  private long unreadable;

  /** {@code windowEnd} in microseconds. */
  ReportSource(Optional<String> analysis, OptionalLong windowEnd) {
    this.analysis = analysis;
    this.windowEnd = windowEnd;
  }

  /** Reads lines of JSON; {@code -} is standard input. */
  void readFile(String file) throws IOException {
    try (BufferedReader lines =
        file.equals("-")
            ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
            : Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          add(line.getBytes(StandardCharsets.UTF_8));
        }
      }
    } catch (NoSuchFileException e) {
      throw new CommandException("no such file: " + file);
    }
  }

  /** Reads the topic of the analysis, or the one that is named. */
  void readTopic(TopicReader reader, Optional<String> topic) {
    String name =
        topic.orElseGet(
            () ->
                KafkaReports.TOPIC_PREFIX
                    + analysis.orElseThrow(
                        () -> new UsageException("--analysis NAME is missing: whose report?")));
    if (!reader.choose(name::equals).contains(name)) {
      Set<String> others = reader.names(KafkaReports.TOPIC_PREFIX);
      throw new CommandException(
          "no topic "
              + name
              + (others.isEmpty() ? "" : "; there are " + String.join(", ", others)));
    }
    reader.readToEnd(record -> add(record.value()));
  }

  private void add(byte[] message) {
    try {
      ReportRow row = ReportRow.parse(message);
      boolean isChosen =
          row.analysis().equals(analysis.orElse(row.analysis()))
              && row.windowEnd() == windowEnd.orElse(row.windowEnd());
      if (isChosen) {
        windows.add(row, message);
      }
    } catch (IOException e) {
      unreadable++;
    }
    if (++messages % CUT == 0) {
      windows.keepLast(MOST);
    }
  }

  /** The rows of the last report with some; {@link CommandException} if there is none. */
  List<ReportRow> rows() throws IOException {
    List<ReportWindows.Window> found = new ArrayList<>(windows.waiting());
    found.removeIf(window -> window.rows() == 0);
    Set<String> names = new TreeSet<>();
    found.forEach(window -> names.add(window.analysis()));
    if (names.size() > 1) {
      throw new UsageException(
          "--analysis NAME is missing: the reports are of " + String.join(", ", names));
    }
    ReportWindows.Window last =
        found.stream()
            .max(Comparator.comparingLong(ReportWindows.Window::end))
            .orElseThrow(
                () ->
                    new CommandException(
                        "no report with rows"
                            + analysis.map(name -> " of " + name).orElse("")
                            + (windowEnd.isPresent()
                                ? " of a window that ends at "
                                    + FlowTime.text(windowEnd.getAsLong())
                                : "")
                            + (unreadable == 0
                                ? ""
                                : String.format("; %,d messages are no reports", unreadable))));
    List<ReportRow> rows = last.parsed();
    if (!last.isComplete()) {
      System.err.printf(
          "warning: %,d of %,d rows of the report are there%n", rows.size(), last.rows());
    }
    return rows;
  }
}

package org.flowmon.deploy.query;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.host.LastSeen;
import org.flowmon.archive.host.SeenAnswer;
import org.flowmon.archive.host.SeenHosts;
import org.flowmon.deploy.archive.ArchiveConfidence;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.ConfidenceOption;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon seen}: tells which addresses were seen in the past days. */
@Command(
    name = "seen",
    mixinStandardHelpOptions = true,
    description = {
      "Says of each address whether it was source or destination of a flow in the past days, and"
          + " when it last was.",
      "Only flows that arrived by --as-of are looked at. A flow's time is its end, but no later"
          + " than an hour after its arrival.",
      "How far the answer can be trusted is said on standard error or in --confidence; JSON has it,"
          + " too.",
      "The exit code is 1 if an address was not seen and history does not hold all of these days."
    })
public final class SeenCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "ADDRESS",
      arity = "1..*",
      description = "Addresses; - reads them from standard input, one a line.")
  private List<String> addresses;

  @Mixin private ArchiveOption archive;

  @Option(
      names = "--days",
      paramLabel = "D",
      description = "Days back from --as-of (default: ${DEFAULT-VALUE}).")
  private int days = 90;

  @Option(
      names = "--as-of",
      paramLabel = "TIME",
      description =
          "Flows that arrived later are not looked at, as 2026-11-21T08:00:00Z; default: the time"
              + " up to which the archive is complete.")
  private @Nullable String asOf;

  @Mixin private ConfidenceOption confidence;

  @Option(
      names = "--format",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}. JSON is one object.")
  private OutputFormat format;

  @Option(names = "--json", description = "The same as --format json.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (days < 1 || days > 100_000) {
      throw new UsageException("--days is 1 … 100000");
    }
    List<IpAddress> asked = parse();
    try (ArchiveSnapshots archives = archive.snapshots()) {
      long through = asOf == null ? archives.reach().historyThrough() : time(asOf);
      // An archive without any arrival holds no flow, so any time works.
      long from = through == Long.MIN_VALUE ? through : through - TimeUnit.DAYS.toMicros(days);
      SeenAnswer answer = SeenHosts.ask(archives.all(), asked, from, through);
      ArchiveConfidence of =
          ArchiveConfidence.of(archives.all(), LongRanges.of(from, Long.MAX_VALUE));
      write(answer, of);
      answer.warnings().forEach(warning -> System.err.println("warning: " + warning));
      boolean allSeen = answer.hosts().stream().allMatch(host -> host.isSince(from));
      return allSeen || !answer.isPartial() ? ExitCodes.DONE : ExitCodes.NO;
    }
  }

  private void write(SeenAnswer answer, ArchiveConfidence of) throws IOException {
    OutputFormat chosen = json ? OutputFormat.JSON : format;
    PrintWriter out = new PrintWriter(chosen.stream(System.out), false, StandardCharsets.UTF_8);
    if (chosen == OutputFormat.JSON) {
      Facts facts = SeenFacts.of(answer);
      Facts reach = of.facts();
      facts.value("confidence", reach);
      facts.writeJson(out);
      confidence.write(reach);
      return;
    }
    if (chosen == OutputFormat.CSV) {
      int unused = chosen.write(rows(answer), List.of(), out);
    } else {
      writeTable(answer, out);
    }
    out.flush();
    tellRead(answer);
    confidence.tell(of.lines(), of.facts());
  }

  private static ResultTable rows(SeenAnswer answer) {
    ResultTable.Builder rows =
        new ResultTable.Builder()
            .column("address", ValueKind.ADDRESS)
            .column("seen", ValueKind.BOOLEAN)
            .column("last", ValueKind.TIMESTAMP);
    for (LastSeen host : answer.hosts()) {
      rows.row().set(0, host.address().hi(), host.address().lo());
      rows.set(1, host.isSince(answer.from()) ? 1 : 0);
      if (host.isEver()) {
        rows.set(2, host.micros());
      }
    }
    return rows.build();
  }

  private List<IpAddress> parse() throws IOException {
    List<IpAddress> parsed = new ArrayList<>();
    for (String text : addresses) {
      if (!text.equals("-")) {
        parsed.add(parse(text));
        continue;
      }
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          parsed.add(parse(line.strip()));
        }
      }
    }
    return parsed;
  }

  private static IpAddress parse(String text) {
    try {
      return IpAddress.parse(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  /** Parses a time in UTC to microseconds: with its zone, without one, or a date alone. */
  public static long time(String text) {
    String iso = text.trim().replace(' ', 'T');
    try {
      Instant instant =
          iso.endsWith("Z") || iso.endsWith("z")
              ? Instant.parse(iso)
              : iso.contains("T")
                  ? LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC)
                  : LocalDate.parse(iso).atStartOfDay().toInstant(ZoneOffset.UTC);
      return FlowTime.micros(instant);
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new UsageException(
          "'" + text + "' is no time: expected one as 2026-11-21T08:00:00Z or 2026-11-21 (UTC)");
    }
  }

  private static void writeTable(SeenAnswer answer, PrintWriter out) {
    for (LastSeen host : answer.hosts()) {
      out.printf(
          "%-39s  %-8s  %s%n",
          host.address(),
          host.isSince(answer.from()) ? "seen" : "not seen",
          host.isEver() ? "last " + FlowTime.textOrNull(host.micros()) : "never");
    }
  }

  private void tellRead(SeenAnswer answer) {
    System.err.printf(
        "looked at flows that had arrived by %s%s; seen is what ended at %s (%d days before) or"
            + " later; last is when a flow ended, but no later than an hour after it arrived%n",
        FlowTime.textOrNull(answer.asOfArrival()),
        asOf == null ? ", up to which the archive is complete (--as-of)" : "",
        FlowTime.textOrNull(answer.from()),
        days);
    System.err.printf("read %d of %d segments%n", answer.segmentsRead(), answer.segmentsTotal());
    answer.missing().forEach(why -> System.err.println("partial: " + why));
  }
}

package org.flowmon.deploy.query;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.flowmon.archive.host.HostSummaries;
import org.flowmon.archive.host.HostSummary;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveConfidence;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.ConfidenceOption;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.set.LongRanges;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon host}: summarizes the activity of one address. */
@Command(
    name = "host",
    mixinStandardHelpOptions = true,
    description = {
      "Summarises an address, exactly: first and last seen, peers, services with how many peers"
          + " each had in the latest window and before, bytes each way by hour. Many ports with"
          + " hardly any flows, as of a scan, are one line.",
      "All times are those at which flows ended, by their exporters' clocks; flowmon seen goes by"
          + " arrival too.",
      "How far the answer can be trusted is said on standard error or in --confidence; JSON has it,"
          + " too."
    })
public final class HostCommand implements Callable<Integer> {
  @Parameters(paramLabel = "ADDRESS", description = "An IPv4 or IPv6 address.")
  private String address;

  @Mixin private ArchiveOption archive;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Flows that ended then or later, as 2026-11-21T08:00:00Z; default: all.")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "Flows that ended before.")
  private @Nullable String to;

  @Option(
      names = "--window",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "How long \"now\" is. It ends at --to or, without it, at the time up to which the archive"
              + " is complete (default: ${DEFAULT-VALUE}).")
  private Duration window = Duration.ofDays(1);

  @Option(names = "--ranges", description = "Show numbers as ranges of powers of two.")
  private boolean ranges;

  @Option(names = "--raw", description = "Plain numbers without units and names.")
  private boolean raw;

  @Option(
      names = {"--limit", "--top"},
      paramLabel = "N",
      description =
          "Peers of most bytes, services of most flows and last hours to show; default"
              + " ${DEFAULT-VALUE}. JSON has all hours.")
  private int limit = 20;

  @Option(names = "--threads", defaultValue = "1", description = "Threads; default 1.")
  private int threads;

  @Mixin private ConfidenceOption confidence;

  @Option(
      names = "--format",
      defaultValue = "table",
      description = "TABLE or JSON, one object; default ${DEFAULT-VALUE}.")
  private OutputFormat format;

  @Option(names = "--json", description = "The same as --format json.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (limit < 0 || threads < 1) {
      throw new UsageException("--limit is at least 0, --threads at least 1");
    }
    if (format == OutputFormat.CSV) {
      throw new UsageException(
          "--format csv is of one table, and a host has several: expected table or json");
    }
    IpAddress host = IpAddress.parseOrNull(address);
    if (host == null) {
      throw new UsageException("'" + address + "' is no address");
    }
    long first = from == null ? Long.MIN_VALUE : SeenCommand.time(from);
    long end = to == null ? Long.MAX_VALUE : SeenCommand.time(to);
    try (ArchiveSnapshots asked = archive.snapshots()) {
      long now = to == null ? asked.reach().historyThrough() : end;
      long nowFrom = now == Long.MIN_VALUE ? now : now - window.toNanos() / 1000;
      HostSummary summary =
          HostSummaries.of(
              asked.all(), host, first, end, nowFrom, QueryOptions.DEFAULTS.withThreads(threads));
      ArchiveConfidence of =
          ArchiveConfidence.of(
              asked.all(), first < end ? LongRanges.of(first, end - 1) : LongRanges.NONE);
      PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
      if (json || format == OutputFormat.JSON) {
        Facts facts = new HostFacts(summary, limit, ranges).facts();
        Facts reach = of.facts();
        facts.value("confidence", reach);
        facts.writeJson(out);
        confidence.write(reach);
      } else {
        new HostTables(summary, limit, ranges, raw).write(out);
        out.flush();
        confidence.tell(of.lines(), of.facts());
      }
      if (to == null && summary.flows() > 0 && summary.peersNow() == 0) {
        System.err.printf(
            "now, %s … %s, has none of its flows: it ends where the archive is complete, by when"
                + " flows arrived; --to ends it earlier, --window makes it longer%n",
            FlowTime.textOrNull(nowFrom), FlowTime.textOrNull(now));
      }
      summary.warnings().forEach(warning -> System.err.println("warning: " + warning));
    }
    return ExitCodes.DONE;
  }
}

package org.flowmon.deploy.host;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.TimeText;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.flow.IpAddress;
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

  @Mixin private LookupPlace place;

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
    OutputFormat chosen = json ? OutputFormat.JSON : format;
    PrintedHost printed =
        new PrintedHost(
            host,
            from == null ? Long.MIN_VALUE : TimeText.parse(from),
            to == null ? Long.MAX_VALUE : TimeText.parse(to),
            window.toMillis(),
            limit,
            ranges,
            raw,
            chosen);
    return place.print(printed, chosen, threads);
  }
}

package org.flowmon.deploy.host;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.TimeText;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.flow.IpAddress;
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

  @Mixin private LookupPlace place;

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
    OutputFormat chosen = json ? OutputFormat.JSON : format;
    OptionalLong time = asOf == null ? OptionalLong.empty() : OptionalLong.of(TimeText.parse(asOf));
    return place.print(new PrintedSeen(parse(), days, time, chosen), chosen, 1);
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
}

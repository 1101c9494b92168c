package org.flowmon.deploy.query;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.output.ClosedOutputException;
import org.flowmon.deploy.output.ConfidenceOption;
import org.flowmon.deploy.output.OutputFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon query}: runs one query over the archive. */
@Command(
    name = "query",
    mixinStandardHelpOptions = true,
    description =
        "Answers a query from the archive. Answers are exact; below those of functions such as"
            + " QUANTILES stands how far they may be off.",
    footer = {
      "",
      "Example:",
      "  flowmon query \"SELECT src_addr, SUM(bytes) AS bytes FROM flows",
      "    WHERE dst_addr IN '192.0.2.0/24' GROUP BY src_addr",
      "    ORDER BY bytes DESC LIMIT 10\" --archive DIR",
      "",
      "The rows go to standard output. How far they can be trusted is said on standard",
      "error or in --confidence. Counts of what was read follow on standard error: always",
      "with a table, with CSV and JSON only with -v."
    })
public final class QueryCommand implements Callable<Integer> {
  @Parameters(paramLabel = "SQL", description = "The query; docs/query.md describes the language.")
  private String sql;

  @Mixin private PlaceOptions places;

  @Mixin private ConfidenceOption confidence;

  @Option(
      names = "--format",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
  private OutputFormat format;

  @Option(
      names = "--param",
      paramLabel = "NAME=VALUE",
      description = {
        "The value of a parameter :NAME; given again, one more for a list. A number, TRUE, FALSE,"
            + " NULL, a time, a duration ('5 minutes') or an address; all else, and what is in"
            + " single quotes, is a text.",
      })
  private List<String> parameters = List.of();

  @Option(
      names = "--explain",
      description = {
        "Answer the query and show, in place of its rows, how each segment was read; the word"
            + " EXPLAIN before the query does the same."
      })
  private boolean explain;

  @Option(names = "--no-verify", description = "Skip checksums: faster, but damage may go unseen.")
  private boolean unverified;

  @Option(
      names = {"-v", "--verbose"},
      description = "Say what was read and which files were joined, whatever the format.")
  private boolean verbose;

  @Override
  public Integer call() throws IOException {
    places.check();
    PrintedQuery query = PrintedQuery.of(sql, explain, parameters, format, verbose);
    try (QueryPlace asked = open(query)) {
      asked.print(query, StandardOutput.of(format, confidence));
    } catch (ClosedOutputException e) {
      return ExitCodes.OUTPUT_CLOSED; // whoever closed it knows
    }
    return ExitCodes.DONE;
  }

  private QueryPlace open(PrintedQuery query) throws IOException {
    try {
      return places.open(!unverified);
    } catch (IOException | RuntimeException e) {
      var unused = query.bind(QueryText.parse(query.text())); // a wrong text is told first
      throw e;
    }
  }
}

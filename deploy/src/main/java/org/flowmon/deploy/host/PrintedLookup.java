package org.flowmon.deploy.host;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.manifest.HistoryReach;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveConfidence;
import org.flowmon.deploy.archive.SamplingRates;
import org.flowmon.deploy.output.ClosedOutputException;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.query.PrintedQuery;

/**
 * A question about addresses with what its answer is printed like: the same from an archive and by
 * a server.
 */
public sealed interface PrintedLookup permits PrintedHost, PrintedSeen {
  /** Archives that are asked as one, and with what. */
  record Asked(
      List<ArchiveSnapshot> archives,
      HistoryReach reach,
      QueryOptions options,
      SamplingRates rates) {}

  /**
   * Answers and prints.
   *
   * @return the exit code
   */
  int print(Asked asked, PrintedQuery.Output out) throws IOException;

  /** Where a server answers it. */
  String path();

  /** The same as a server's request. */
  ObjectNode request();

  /** The answer as one object, which has in it how far it can be trusted. */
  static void json(Facts facts, ArchiveConfidence of, PrintedQuery.Output out) throws IOException {
    Facts reach = of.facts();
    facts.value("confidence", reach);
    facts.writeJson(out.rows());
    ClosedOutputException.check(out.rows());
    out.confidence(List.of(), reach);
  }

  /** The name of a format in a request. */
  static String name(OutputFormat format) {
    return format.name().toLowerCase(Locale.ROOT);
  }
}

package org.flowmon.deploy.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Option;

/** What a query may take: time, flows and bytes. */
public final class LimitOptions {
  @Option(
      names = "--time-limit",
      paramLabel = "SECONDS",
      description = "Give up after this many seconds.")
  private Optional<Integer> timeLimit = Optional.empty();

  @Option(
      names = "--row-limit",
      paramLabel = "N",
      description = "Give up if more flows would have to be examined.")
  private long rowLimit = Long.MAX_VALUE;

  @Option(
      names = "--byte-limit",
      paramLabel = "N",
      description = "Give up if more bytes of columns have been read.")
  private long byteLimit = Long.MAX_VALUE;

  public void check() {
    if (timeLimit.orElse(1) < 1 || rowLimit < 1 || byteLimit < 1) {
      throw new UsageException("--time-limit, --row-limit and --byte-limit are at least 1");
    }
  }

  /** Whether flows or bytes are limited. */
  boolean haveCounts() {
    return rowLimit < Long.MAX_VALUE || byteLimit < Long.MAX_VALUE;
  }

  /** The same options with these limits. */
  public QueryOptions limit(QueryOptions options) {
    QueryOptions limited = options.withRowLimit(rowLimit).withByteLimit(byteLimit);
    return timeLimit.isPresent()
        ? limited.withTimeLimit(Duration.ofSeconds(timeLimit.get()))
        : limited;
  }

  /** As members of a request to a server. */
  void write(ObjectNode request) {
    timeLimit.ifPresent(seconds -> request.put("seconds", seconds));
    if (rowLimit < Long.MAX_VALUE) {
      request.put("row_limit", rowLimit);
    }
    if (byteLimit < Long.MAX_VALUE) {
      request.put("byte_limit", byteLimit);
    }
  }
}

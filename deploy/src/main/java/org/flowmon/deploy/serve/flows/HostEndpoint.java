package org.flowmon.deploy.serve.flows;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.host.HostSummaries;
import org.flowmon.archive.host.HostSummary;
import org.flowmon.deploy.host.HostFacts;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.serve.http.AnswerStream;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;

/** {@code GET /api/v1/hosts/ADDRESS}: as {@code flowmon host}. */
public final class HostEndpoint implements Endpoint {
  private static final long DAY = TimeUnit.DAYS.toSeconds(1);
  private static final long YEAR = 366 * DAY;
  private static final long MOST = 10_000;
  private static final long FEW = 20;

  private static final String FLOWS =
      "SELECT COUNT(*) AS flows FROM flows WHERE (src_addr = :host OR dst_addr = :host)"
          + " AND end_time >= :from AND end_time < :to";

  private final ServedArchives archives;

  public HostEndpoint(ServedArchives archives) {
    this.archives = archives;
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    archives.limit(exchange, OptionalLong.empty());
    exchange.fields().only("from", "to", "window", "limit");
    IpAddress host = IpAddress.parseOrNull(exchange.fields().path("address"));
    if (host == null) {
      throw Problem.badRequest("'" + exchange.fields().path("address") + "' is no address");
    }
    long from = exchange.fields().time("from", Long.MIN_VALUE);
    long to = exchange.fields().time("to", Long.MAX_VALUE);
    long window = exchange.fields().integer("window", 1, YEAR, DAY);
    int limit = (int) exchange.fields().integer("limit", 0, MOST, FEW);
    archives.inLane(
        exchange, flows(host, from, to), in -> summary(in, host, from, to, window, limit));
  }

  /** The flows that a summary reads, for what it costs. */
  static Query flows(IpAddress host, long from, long to) {
    return QueryParser.parseQuery(FLOWS)
        .bind(
            Parameters.NONE
                .with("host", Value.ofAddress(host))
                .with("from", Value.ofTimestamp(from))
                .with("to", Value.ofTimestamp(to)));
  }

  private void summary(
      Exchange exchange, IpAddress host, long from, long to, long window, int limit)
      throws IOException {
    Facts facts;
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      long now = to == Long.MAX_VALUE ? snapshot.reach().historyThrough() : to;
      long nowFrom = now == Long.MIN_VALUE ? now : now - TimeUnit.SECONDS.toMicros(window);
      HostSummary summary =
          HostSummaries.of(snapshot.all(), host, from, to, nowFrom, archives.options(exchange));
      facts = new HostFacts(summary, limit, false).facts();
      LongRanges times = from < to ? LongRanges.of(from, to - 1) : LongRanges.NONE;
      facts.value("confidence", archives.confidence(snapshot, times).facts());
      facts.value("warnings", summary.warnings());
    }
    write(exchange, facts);
  }

  static void write(Exchange exchange, Facts facts) throws IOException {
    AnswerStream out = exchange.stream(Exchange.JSON);
    try (Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8)) {
      facts.writeJsonLine(text);
    }
    out.end();
  }
}

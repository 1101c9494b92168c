package org.flowmon.deploy.serve.flows;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.deploy.host.PrintedHost;
import org.flowmon.deploy.host.PrintedLookup;
import org.flowmon.deploy.host.PrintedSeen;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.query.PrintEndpoint;
import org.flowmon.deploy.serve.query.PrintedParts;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.flowmon.flow.IpAddress;

/**
 * {@code POST /api/v1/print/host} and {@code POST /api/v1/print/seen}: what {@code flowmon host}
 * and {@code flowmon seen} print, part by part.
 */
public final class PrintLookupEndpoints {
  private static final long DAY_MILLIS = 86_400_000;
  private static final long MOST_MILLIS = 100_000 * DAY_MILLIS;
  private static final long DAYS = 90;
  private static final long ROWS = 20;

  private final ServedArchives archives;

  public PrintLookupEndpoints(ServedArchives archives) {
    this.archives = archives;
  }

  /** {@code print/host}. */
  public void host(Exchange exchange) throws IOException {
    archives.limit(exchange, OptionalLong.empty());
    JsonBodies body =
        exchange
            .body()
            .only("address", "from", "to", "window_ms", "limit", "ranges", "raw", "format");
    String address = body.text("address", 1, 64);
    IpAddress host = IpAddress.parseOrNull(address);
    if (host == null) {
      throw Problem.badRequest("'" + address + "' is no address");
    }
    PrintedHost asked =
        new PrintedHost(
            host,
            body.time("from").orElse(Long.MIN_VALUE),
            body.time("to").orElse(Long.MAX_VALUE),
            body.integer("window_ms", 0, MOST_MILLIS).orElse(DAY_MILLIS),
            (int) body.integer("limit", 0, Integer.MAX_VALUE).orElse(ROWS),
            body.flag("ranges"),
            body.flag("raw"),
            PrintEndpoint.format(body, "table", "json"));
    archives.inLane(
        exchange, HostEndpoint.flows(host, asked.from(), asked.to()), in -> print(in, asked));
  }

  /** {@code print/seen}. */
  public void seen(Exchange exchange) throws IOException {
    archives.limit(exchange, OptionalLong.empty());
    JsonBodies body = exchange.body().only("addresses", "days", "as_of", "format");
    List<IpAddress> addresses = SeenEndpoint.addresses(body, 0);
    PrintedSeen asked =
        new PrintedSeen(
            addresses,
            body.integer("days", 1, 100_000).orElse(DAYS),
            body.time("as_of"),
            PrintEndpoint.format(body, "table", "csv", "json"));
    SeenEndpoint.inLane(exchange, addresses, in -> print(in, asked));
  }

  private void print(Exchange exchange, PrintedLookup lookup) throws IOException {
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      PrintedParts.stream(
          exchange,
          out ->
              lookup.print(
                  new PrintedLookup.Asked(
                      snapshot.all(),
                      snapshot.reach(),
                      archives.options(exchange),
                      archives.rates()),
                  out));
    }
  }
}

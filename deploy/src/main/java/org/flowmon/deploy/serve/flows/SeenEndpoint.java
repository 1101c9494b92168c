package org.flowmon.deploy.serve.flows;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.host.SeenAnswer;
import org.flowmon.archive.host.SeenHosts;
import org.flowmon.deploy.host.SeenFacts;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.lane.Lane;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.set.LongRanges;

/** {@code POST /api/v1/seen}: as {@code flowmon seen}. */
public final class SeenEndpoint implements Endpoint {
  private static final int MOST = 100_000;
  private static final long DAYS = 30;

  /** Addresses that may be looked up beside others: some ten milliseconds of work. */
  private static final int FEW = 2_000;

  private final ServedArchives archives;

  public SeenEndpoint(ServedArchives archives) {
    this.archives = archives;
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    JsonBodies body = exchange.body().only("addresses", "days", "as_of", "seconds");
    List<IpAddress> asked = addresses(body, 1);
    long days = body.integer("days", 1, 100_000).orElse(DAYS);
    OptionalLong asOf = body.time("as_of");
    archives.limit(exchange, body.integer("seconds", 1, 3600));
    inLane(exchange, asked, in -> look(in, asked, days, asOf));
  }

  /** Goes on in the lane for so many addresses. */
  static void inLane(Exchange exchange, List<IpAddress> asked, Endpoint then) throws IOException {
    exchange.audit("addresses", asked.size());
    if (asked.size() > FEW) {
      exchange.move(Lane.LARGE, then);
    } else {
      then.answer(exchange);
    }
  }

  private void look(Exchange exchange, List<IpAddress> asked, long days, OptionalLong asOf)
      throws IOException {
    Facts facts;
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      long through = asOf.orElseGet(() -> snapshot.reach().historyThrough());
      long from = through == Long.MIN_VALUE ? through : through - TimeUnit.DAYS.toMicros(days);
      SeenAnswer answer =
          SeenHosts.ask(snapshot.all(), asked, from, through, archives.options(exchange));
      facts = SeenFacts.of(answer);
      facts.value(
          "confidence", archives.confidence(snapshot, LongRanges.of(from, Long.MAX_VALUE)).facts());
      facts.value("warnings", List.copyOf(answer.warnings()));
    }
    HostEndpoint.write(exchange, facts);
  }

  static List<IpAddress> addresses(JsonBodies body, int least) {
    JsonNode all =
        body.member("addresses").orElseThrow(() -> Problem.badRequest("'addresses' is missing"));
    if (!all.isArray() || all.size() < least || all.size() > MOST) {
      throw Problem.badRequest(
          "'addresses': expected an array of " + least + " … " + MOST + " addresses");
    }
    List<IpAddress> parsed = new ArrayList<>(all.size());
    for (JsonNode one : all) {
      IpAddress address = one.isTextual() ? IpAddress.parseOrNull(one.textValue()) : null;
      if (address == null) {
        throw Problem.badRequest("'addresses': " + one + " is no address");
      }
      parsed.add(address);
    }
    return parsed;
  }
}

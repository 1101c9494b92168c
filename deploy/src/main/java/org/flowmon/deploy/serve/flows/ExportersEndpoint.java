package org.flowmon.deploy.serve.flows;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.Fields;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/exporters}: who sent flows, and what a running collector says of them. */
public final class ExportersEndpoint implements Endpoint {
  private static final String SUMS =
      "SELECT exporter, COUNT(*) AS flows, SUM(bytes) AS bytes, MIN(end_time) AS first,"
          + " MAX(end_time) AS last FROM flows";
  private static final String ALL = SUMS + " GROUP BY exporter ORDER BY flows DESC";
  private static final String IN_TIMES =
      SUMS + " WHERE end_time >= :from AND end_time < :to GROUP BY exporter ORDER BY flows DESC";

  private final ServedArchives archives;
  private final Optional<CollectorClient> collector;

  public ExportersEndpoint(ServedArchives archives, Optional<CollectorClient> collector) {
    this.archives = archives;
    this.collector = collector;
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    archives.limit(exchange, OptionalLong.empty());
    Fields fields = exchange.fields();
    fields.only("from", "to");
    boolean isAll = fields.text("from").isEmpty() && fields.text("to").isEmpty();
    long from = fields.time("from", 0);
    long to = fields.time("to", FlowTime.now());
    Query query =
        isAll
            ? QueryParser.parseQuery(ALL)
            : QueryParser.parseQuery(IN_TIMES)
                .bind(
                    Parameters.NONE
                        .with("from", Value.ofTimestamp(from))
                        .with("to", Value.ofTimestamp(to)));
    archives.inLane(exchange, query, in -> run(in, query));
  }

  private void run(Exchange exchange, Query query) throws IOException {
    ResultTable sums;
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      sums = ArchiveQuery.run(snapshot.all(), query, archives.options(exchange)).table();
    }
    Map<String, JsonNode> live = new LinkedHashMap<>();
    String trouble = null;
    if (collector.isPresent()) {
      try {
        for (JsonNode one : collector.get().exporters()) {
          live.put(one.path("exporter").asText(), one);
        }
      } catch (IOException e) {
        trouble = String.valueOf(e.getMessage());
      }
    }
    List<Object> all = new ArrayList<>();
    Set<String> archived = new HashSet<>();
    for (int r = 0; r < sums.rowCount(); r++) {
      IpAddress address = sums.address(r, 0);
      String name = address == null ? null : address.toString();
      if (name != null) {
        archived.add(name);
      }
      Map<String, @Nullable Object> one = new LinkedHashMap<>();
      one.put("exporter", name);
      one.put("archived_flows", sums.bigValue(r, 1));
      one.put("archived_bytes", sums.isNull(r, 2) ? 0 : sums.bigValue(r, 2));
      one.put("first_end_time", time(sums, r, 3));
      one.put("last_end_time", time(sums, r, 4));
      one.put("live", name == null ? null : live.get(name));
      all.add(one);
    }
    live.keySet().removeAll(archived);
    live.forEach((name, facts) -> all.add(onlyLive(name, facts)));
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("collector", trouble);
    answer.put("exporters", all);
    exchange.json(200, answer);
  }

  private static Map<String, @Nullable Object> onlyLive(String name, JsonNode facts) {
    Map<String, @Nullable Object> one = new LinkedHashMap<>();
    one.put("exporter", name);
    one.put("archived_flows", 0);
    one.put("archived_bytes", 0);
    one.put("first_end_time", null);
    one.put("last_end_time", null);
    one.put("live", facts);
    return one;
  }

  private static @Nullable String time(ResultTable table, int row, int column) {
    return table.isNull(row, column) ? null : FlowTime.textOrNull(table.longValue(row, column));
  }
}

package org.flowmon.deploy.serve.flows;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.deploy.output.RowEncoding;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.Fields;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.query.AnswerFacts;
import org.flowmon.deploy.serve.query.Cursor;
import org.flowmon.deploy.serve.query.QueryEndpoint;
import org.flowmon.deploy.serve.query.ResultColumns;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpPrefix;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;

/**
 * {@code GET /api/v1/flows}: the flows of an address or subnet, page by page. A page goes on at the
 * {@code end_time} of the last row: as many rows with that time are skipped as earlier pages have.
 * So a page costs the same wherever it is. Flows without an {@code end_time} come last.
 */
public final class FlowsEndpoint implements Endpoint {
  private static final long MOST = 10_000;
  private static final long FEW = 100;

  /** The cursor's place among flows without a time. */
  private static final long UNTIMED = Long.MIN_VALUE;

  /** What tells flows with the same end apart, so that they have an order. */
  private static final List<FlowColumn> TIES =
      List.of(
          FlowColumn.ARRIVAL,
          FlowColumn.START_TIME,
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.PROTOCOL,
          FlowColumn.BYTES,
          FlowColumn.PACKETS,
          FlowColumn.EXPORTER,
          FlowColumn.FLOW_SEQUENCE,
          FlowColumn.UID);

  private final ServedArchives archives;

  public FlowsEndpoint(ServedArchives archives) {
    this.archives = archives;
  }

  /** What is asked: flows of the prefix in [from, to) that meet a condition. */
  private record Asked(
      IpPrefix prefix,
      long from,
      long to,
      Optional<Expression> where,
      List<FlowColumn> columns,
      boolean isNamed,
      boolean newest,
      int limit) {
    boolean isTimed() {
      return from != Long.MIN_VALUE || to != Long.MAX_VALUE;
    }
  }

  /** The place after a page's last row. */
  private record Place(long at, long skip) {}

  private static final class Page {
    private final List<ResultTable> parts = new ArrayList<>();
    private final List<Integer> firsts = new ArrayList<>();
    private int rows;
    private QueryStats stats;
    private Optional<Place> next = Optional.empty();

    Page(QueryStats stats) {
      this.stats = stats;
    }
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    archives.limit(exchange, OptionalLong.empty());
    Fields fields = exchange.fields();
    fields.only("address", "from", "to", "where", "columns", "order", "limit", "cursor");
    Asked asked = asked(exchange, fields);
    long checksum = Cursor.checksum(asked.toString());
    Optional<Cursor> cursor = fields.text("cursor").map(text -> Cursor.parse(text, checksum));
    archives.inLane(
        exchange,
        query(asked, new Place(start(asked), 0)),
        in -> page(in, asked, checksum, cursor));
  }

  private static Asked asked(Exchange exchange, Fields fields) {
    String address = fields.required("address");
    IpPrefix prefix;
    try {
      prefix = IpPrefix.parse(address);
    } catch (IllegalArgumentException e) {
      throw Problem.badRequest("address: " + e.getMessage());
    }
    Optional<String> where = fields.text("where").filter(text -> !text.isBlank());
    where.ifPresent(exchange::queryText);
    Optional<String> named = fields.text("columns").filter(text -> !text.isEmpty());
    return new Asked(
        prefix,
        fields.time("from", Long.MIN_VALUE),
        fields.time("to", Long.MAX_VALUE),
        where.map(QueryParser::parseCondition),
        columns(named),
        named.isPresent(),
        fields.choice("order", "newest", "newest", "oldest").equals("newest"),
        (int) fields.integer("limit", 1, MOST, FEW));
  }

  private static List<FlowColumn> columns(Optional<String> named) {
    if (named.isEmpty()) {
      return FlowColumn.all();
    }
    Set<FlowColumn> columns = new LinkedHashSet<>();
    for (String name : named.get().split(",", -1)) {
      FlowColumn column = FlowColumn.byName(name.strip());
      if (column == null) {
        throw Problem.badRequest(
            "columns: no stored column '" + name.strip() + "'; /api/v1/columns lists them");
      }
      columns.add(column);
    }
    return List.copyOf(columns);
  }

  private static long start(Asked asked) {
    return asked.newest() ? Long.MAX_VALUE : Long.MIN_VALUE + 1;
  }

  private void page(Exchange exchange, Asked asked, long checksum, Optional<Cursor> cursor)
      throws IOException {
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      long asOf = cursor.map(Cursor::asOf).orElseGet(() -> QueryEndpoint.newest(snapshot));
      QueryOptions options = archives.options(exchange).withAsOfArrival(asOf);
      Place place =
          cursor.map(one -> new Place(one.at(), one.skip())).orElse(new Place(start(asked), 0));
      Page page = read(snapshot, asked, place, options);
      String next =
          page.next
              .map(at -> new Cursor(checksum, asOf, at.at(), at.skip()).toString())
              .orElse(null);
      QueryEndpoint.audit(exchange, page.stats, page.rows);
      FlowQuery query = query(asked, place);
      List<SelectItem> items = items(asked, page, query);
      exchange.json(
          json -> {
            json.writeStartObject();
            json.writeFieldName("columns");
            ResultColumns.write(json, items);
            rows(json, page, items, asked.limit());
            json.writeStringField("next", next);
            json.writeStringField("as_of", FlowTime.textOrNull(asOf));
            AnswerFacts.stats(json, page.stats);
            AnswerFacts.confidence(json, archives.confidence(snapshot, query).facts());
            json.writeEndObject();
          });
    }
  }

  private static void rows(JsonGenerator json, Page page, List<SelectItem> items, int limit)
      throws IOException {
    json.writeArrayFieldStart("rows");
    String[] names = items.stream().map(SelectItem::name).toArray(String[]::new);
    int left = limit;
    for (int p = 0; p < page.parts.size(); p++) {
      ResultTable shown = page.parts.get(p).select(names);
      for (int r = page.firsts.get(p); r < shown.rowCount() && left > 0; r++) {
        RowEncoding.json(json, shown, items, r);
        left--;
      }
    }
    json.writeEndArray();
  }

  /** Without named columns those that any flow of the page has. */
  private static List<SelectItem> items(Asked asked, Page page, FlowQuery query) {
    if (asked.isNamed()) {
      return query.select().subList(0, asked.columns().size());
    }
    List<SelectItem> items = new ArrayList<>();
    for (SelectItem item : query.select()) {
      boolean isKnown =
          page.parts.stream()
              .anyMatch(
                  part -> {
                    int column = part.column(item.name());
                    for (int r = 0; r < part.rowCount(); r++) {
                      if (!part.isNull(r, column)) {
                        return true;
                      }
                    }
                    return false;
                  });
      if (isKnown) {
        items.add(item);
      }
    }
    return items;
  }

  private static Page read(ArchivesSnapshot snapshot, Asked asked, Place from, QueryOptions options)
      throws IOException {
    Page page = null;
    Place place = from;
    while (true) {
      int left = asked.limit() - (page == null ? 0 : page.rows);
      QueryAnswer answer =
          ArchiveQuery.run(
              snapshot.all(), query(asked, place).withLimit(place.skip() + left + 1), options);
      if (page == null) {
        page = new Page(answer.stats());
      }
      ResultTable table = answer.table();
      int first = (int) Math.min(place.skip(), table.rowCount());
      int last = Math.min(table.rowCount(), first + left);
      page.parts.add(table);
      page.firsts.add(first);
      page.rows += last - first;
      if (last < table.rowCount()) {
        page.next = Optional.of(after(table, place, last));
        return page;
      }
      if (place.at() == UNTIMED || asked.isTimed()) {
        return page;
      }
      if (page.rows == asked.limit()) {
        page.next = Optional.of(new Place(UNTIMED, 0));
        return page;
      }
      place = new Place(UNTIMED, 0);
    }
  }

  /** The place behind the rows before {@code last}. */
  private static Place after(ResultTable table, Place place, int last) {
    if (place.at() == UNTIMED) {
      return new Place(UNTIMED, last);
    }
    int column = table.column(FlowColumn.END_TIME.sqlName());
    long at = table.longValue(last - 1, column);
    long same = 0;
    for (int r = last - 1; r >= 0 && table.longValue(r, column) == at; r--) {
      same++;
    }
    return new Place(at, same);
  }

  /** The flows from a place on; {@code end_time} and what they are ordered by are selected, too. */
  private static FlowQuery query(Asked asked, Place place) {
    List<Expression> terms = new ArrayList<>();
    List<Expression> prefix = List.of(new Expression.Prefix(asked.prefix()));
    terms.add(
        new Expression.Or(
            List.of(
                new Expression.In(new Column(FlowColumn.SRC_ADDR), prefix),
                new Expression.In(new Column(FlowColumn.DST_ADDR), prefix))));
    asked.where().ifPresent(terms::add);
    Expression end = new Column(FlowColumn.END_TIME);
    if (place.at() == UNTIMED) {
      terms.add(new Expression.IsNull(end));
    } else {
      // `to` is exclusive, a place is not.
      long from = asked.newest() ? asked.from() : Math.max(asked.from(), place.at());
      long through = asked.newest() ? Math.min(asked.to() - 1, place.at()) : asked.to() - 1;
      terms.add(new Expression.Not(new Expression.IsNull(end)));
      if (from > Long.MIN_VALUE + 1) {
        terms.add(compare(ComparisonOperator.GREATER_OR_EQUAL, from));
      }
      if (through < Long.MAX_VALUE - 1) {
        terms.add(compare(ComparisonOperator.LESS_OR_EQUAL, through));
      }
    }
    Set<FlowColumn> columns = new LinkedHashSet<>(asked.columns());
    columns.add(FlowColumn.END_TIME);
    List<SelectItem> items =
        columns.stream()
            .map(column -> new SelectItem(column.sqlName(), new Column(column)))
            .toList();
    List<OrderItem> order = new ArrayList<>();
    order.add(new OrderItem(end, asked.newest(), false));
    TIES.forEach(column -> order.add(new OrderItem(new Column(column), asked.newest(), false)));
    return new FlowQuery(items, new Expression.And(terms), List.of(), order, -1);
  }

  private static Expression compare(ComparisonOperator operator, long micros) {
    return new Expression.Comparison(
        operator,
        new Column(FlowColumn.END_TIME),
        new Expression.Literal(Value.ofTimestamp(micros)));
  }
}

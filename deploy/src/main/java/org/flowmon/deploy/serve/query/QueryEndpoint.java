package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.deploy.export.file.ExportFormat;
import org.flowmon.deploy.output.RowEncoding;
import org.flowmon.deploy.serve.http.AnswerStream;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.text.JsonText;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/** {@code POST /api/v1/query}. Large queries go to a lane of their own. */
public final class QueryEndpoint implements Endpoint {
  /** Rows of a JSON answer for which no limit is given. */
  public static final long JSON_ROWS = 10_000;

  private final ServedArchives archives;

  public QueryEndpoint(ServedArchives archives) {
    this.archives = archives;
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    QueryRequest request = QueryRequest.read(exchange, archives);
    archives.inLane(exchange, request.query(), in -> run(in, request));
  }

  private void run(Exchange exchange, QueryRequest request) throws IOException {
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      QueryOptions options = archives.options(exchange);
      long asOf = request.cursor().map(Cursor::asOf).orElseGet(() -> newest(snapshot));
      if (request.cursor().isPresent()) {
        options = options.withAsOfArrival(asOf);
      }
      Page page = new Page(request.skip(), request.limit().orElse(Long.MAX_VALUE));
      AnswerStream out = exchange.stream(request.format().contentType());
      try (AnswerRows rows = rows(request, snapshot, out)) {
        StreamedAnswer answer =
            ArchiveQuery.stream(
                snapshot.all(),
                page.limited(request.query()),
                options,
                some -> page.take(some, rows));
        String next =
            page.hasMore
                ? new Cursor(request.checksum(), asOf, request.now(), page.skip + page.given)
                    .toString()
                : null;
        rows.end(answer, page.given, next);
        out.end();
        audit(exchange, answer.stats(), page.given);
      }
    }
  }

  private AnswerRows rows(QueryRequest request, ArchivesSnapshot snapshot, AnswerStream out)
      throws IOException {
    List<SelectItem> items = request.query().shown();
    return switch (request.format()) {
      case JSON -> new Json(request, snapshot, out);
      case NDJSON, CSV -> new Lines(out, items, request.format());
      case PARQUET -> new TypedAnswer(out, items, ExportFormat.PARQUET);
      case ARROW -> new TypedAnswer(out, items, ExportFormat.ARROW);
    };
  }

  public static void audit(Exchange exchange, QueryStats stats, long rows) {
    exchange.audit("rows", rows);
    exchange.audit("rows_examined", stats.rowsExamined());
    exchange.audit("bytes_read", stats.bytesRead());
  }

  /** The last arrival, µs: later pages see no later one. */
  public static long newest(ArchivesSnapshot snapshot) {
    return snapshot.all().stream()
        .flatMap(one -> one.segments().stream())
        .map(SealedSegment::arrival)
        .reduce(TimeRange.NONE, TimeRange::union)
        .max();
  }

  /** The rows of a page: those before it are skipped, one after it says that there are more. */
  private static final class Page {
    private final long skip;
    private final long most;
    private long seen;
    private long given;
    private boolean hasMore;

    Page(long skip, long most) {
      this.skip = skip;
      this.most = most;
    }

    /** A query over flows need not find more rows than the page needs. */
    Query limited(Query query) {
      if (!(query instanceof FlowQuery flows) || most == Long.MAX_VALUE) {
        return query;
      }
      long needed = skip + most + 1;
      return flows.limit() < 0 || flows.limit() > needed ? flows.withLimit(needed) : query;
    }

    void take(ResultTable some, AnswerRows rows) throws IOException {
      long first = Math.max(0, Math.min(some.rowCount(), skip - seen));
      long last = Math.min(some.rowCount(), first + (most - given));
      rows.rows(some, (int) first, (int) last);
      seen += some.rowCount();
      given += last - first;
      hasMore |= last < some.rowCount();
    }
  }

  /** One object, with the rows amid it. */
  private final class Json implements AnswerRows {
    private final QueryRequest request;
    private final ArchivesSnapshot snapshot;
    private final JsonGenerator json;
    private final List<SelectItem> items;

    Json(QueryRequest request, ArchivesSnapshot snapshot, AnswerStream out) throws IOException {
      this.request = request;
      this.snapshot = snapshot;
      items = request.query().shown();
      json = JsonText.factory().createGenerator(out);
      json.writeStartObject();
      json.writeFieldName("columns");
      ResultColumns.write(json, items);
      json.writeArrayFieldStart("rows");
    }

    @Override
    public void rows(ResultTable some, int from, int to) throws IOException {
      for (int r = from; r < to; r++) {
        RowEncoding.json(json, some, items, r);
      }
    }

    @Override
    public void end(StreamedAnswer answer, long given, @Nullable String next) throws IOException {
      json.writeEndArray();
      json.writeNumberField("row_count", given);
      json.writeStringField("next", next);
      json.writeStringField("now", FlowTime.text(request.now()));
      AnswerFacts.stats(json, answer.stats());
      AnswerFacts.approximate(json, request.query(), answer);
      List<String> warnings = new ArrayList<>(answer.stats().warnings());
      warnings.addAll(archives.unjoined(request.query()));
      AnswerFacts.texts(json, "warnings", warnings);
      AnswerFacts.confidence(json, archives.confidence(snapshot, request.query()).facts());
      json.writeEndObject();
      json.writeRaw("\n");
      json.close();
    }
  }

  /** A line for each row. */
  private static final class Lines implements AnswerRows {
    private final AnswerStream out;
    private final List<SelectItem> items;
    private final AnswerFormat format;
    private boolean isHeaded;

    Lines(AnswerStream out, List<SelectItem> items, AnswerFormat format) {
      this.out = out;
      this.items = items;
      this.format = format;
    }

    @Override
    public void rows(ResultTable some, int from, int to) throws IOException {
      if (format == AnswerFormat.CSV && !isHeaded) {
        write(RowEncoding.csvHeader(some));
        isHeaded = true;
      }
      if (format == AnswerFormat.CSV) {
        for (int r = from; r < to; r++) {
          write(RowEncoding.csv(some, items, r));
        }
        return;
      }
      try (JsonGenerator json = JsonText.factory().createGenerator(out)) {
        json.setRootValueSeparator(null);
        for (int r = from; r < to; r++) {
          RowEncoding.json(json, some, items, r);
          json.writeRaw('\n');
        }
      }
    }

    private void write(String line) throws IOException {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }
}

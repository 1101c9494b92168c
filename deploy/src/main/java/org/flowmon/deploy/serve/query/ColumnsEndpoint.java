package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Optional;
import java.util.TreeSet;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.udaf.enrich.DerivedColumn;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.parser.Completion;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/columns}: the words of the dialect. */
public final class ColumnsEndpoint implements Endpoint {
  private static final long LAST_CODE = 255;

  @Override
  public void answer(Exchange exchange) throws IOException {
    exchange.fields().only();
    exchange.json(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("columns");
          for (String name : Completion.columns()) {
            column(json, name);
          }
          json.writeEndArray();
          functions(json);
          AnswerFacts.texts(json, "keywords", Completion.keywords());
          json.writeEndObject();
        });
  }

  private static void column(JsonGenerator json, String name) throws IOException {
    FlowColumn stored = FlowColumn.byName(name);
    Optional<DerivedColumn> derived = DerivedColumn.byName(name);
    Optional<EnrichedColumn> joined = EnrichedColumn.byName(name);
    if (stored != null) {
      boolean isOwn = stored.id() >= FlowColumn.FIRST_OWN_ID;
      ValueKind kind = ValueKind.of(stored.type());
      column(json, name, kind, isOwn ? "own" : "stored", stored.unit(), stored.codeNames());
    } else if (derived.isPresent()) {
      column(json, name, derived.get().kind(), "computed", derived.get().unit(), null);
    } else if (joined.isPresent()) {
      column(json, name, joined.get().kind(), "joined", "", null);
    }
  }

  private static void column(
      JsonGenerator json,
      String name,
      ValueKind kind,
      String origin,
      String unit,
      @Nullable CodeNames codes)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("name", name);
    json.writeStringField("kind", ResultColumns.kind(kind));
    json.writeStringField("origin", origin);
    json.writeStringField("unit", unit.isEmpty() ? null : unit);
    json.writeStringField("description", ColumnDescriptions.of(name).orElse(null));
    json.writeArrayFieldStart("codes");
    for (long code = 0; codes != null && code <= LAST_CODE; code++) {
      String text = codes.name(code);
      if (text != null) {
        json.writeString(text);
      }
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void functions(JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("functions");
    for (String name : new TreeSet<>(Completion.functions())) {
      json.writeStartObject();
      json.writeStringField("name", name);
      json.writeStringField("signature", name + "(…)");
      json.writeNullField("description");
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}

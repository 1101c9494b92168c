package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.flowmon.archive.query.QueryStats;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.deploy.output.Facts;
import org.flowmon.jobs.report.ReportApproximation;
import org.flowmon.udaf.Approximation;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.result.ValueBound;

/** What stands beside the rows of an answer: what was read, and how far the rows can be trusted. */
public final class AnswerFacts {
  private AnswerFacts() {}

  /** As the member {@code stats}. */
  public static void stats(JsonGenerator json, QueryStats stats) throws IOException {
    json.writeObjectFieldStart("stats");
    json.writeNumberField("milliseconds", stats.nanos() / 1e6);
    json.writeNumberField("segments", stats.segmentsTotal());
    json.writeNumberField("segments_read", stats.segmentsRead());
    json.writeNumberField("segments_by_index", stats.segmentsByIndex());
    json.writeNumberField("segments_by_sums", stats.segmentsByRollup());
    json.writeNumberField("rows", stats.rowsTotal());
    json.writeNumberField("rows_examined", stats.rowsExamined());
    json.writeNumberField("rows_matched", stats.rowsMatched());
    json.writeNumberField("bytes_read", stats.bytesRead());
    json.writeEndObject();
  }

  /** As a member with an array. */
  static void texts(JsonGenerator json, String name, Collection<String> texts) throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }

  /** As the member {@code confidence}. */
  public static void confidence(JsonGenerator json, Facts facts) throws IOException {
    StringWriter text = new StringWriter();
    facts.writeJsonLine(text);
    json.writeFieldName("confidence");
    json.writeRawValue(text.toString().strip());
  }

  /** As the member {@code approximate}. */
  static void approximate(JsonGenerator json, Query query, StreamedAnswer answer)
      throws IOException {
    Map<String, ErrorBound> bounds = new HashMap<>();
    for (ValueBound one : answer.bounds()) {
      bounds.put(one.value(), one.bound());
    }
    json.writeArrayFieldStart("approximate");
    for (Approximation found : Approximation.of(query)) {
      ReportApproximation one =
          ReportApproximation.of(
              found, bounds.get(found.what().toString()), found.exact().toString());
      json.writeStartObject();
      json.writeStringField("column", one.column());
      json.writeStringField("value", one.value());
      json.writeBooleanField("computed", one.computed());
      json.writeFieldName("bound");
      ErrorBound bound = one.bound();
      if (bound == null) {
        json.writeNull();
        json.writeNullField("bound_of");
        json.writeNullField("probability");
      } else {
        json.writeNumber(bound.value());
        json.writeStringField("bound_of", one.boundOf());
        json.writeNumberField("probability", bound.probability());
      }
      json.writeStringField("exact", one.exact());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}

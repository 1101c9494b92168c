package org.flowmon.ingest.file.zeek;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.flowmon.ingest.file.format.Refusal;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.line.JsonLine;
import org.jspecify.annotations.Nullable;

/** A JSON connection: Zeek's, with a nested {@code id}, or in {@code {"conn": {…}}}. */
final class ZeekJsonLine {
  private final JsonFactory json = new JsonFactory();
  private final ZeekValues values;
  private final Refusal refusal;
  private boolean ofConnections;
  // The log that the line says it is of.
  private @Nullable String path;
  private @Nullable String wrapper;
  private boolean isRefused;

  ZeekJsonLine(ZeekValues values, Refusal refusal) {
    this.values = values;
    this.refusal = refusal;
  }

  boolean read(byte[] bytes, int from, int to) throws IOException {
    ofConnections = false;
    path = null;
    wrapper = null;
    isRefused = false;
    try (JsonParser parser = JsonLine.open(json, bytes, from, to)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return refusal.because(RejectReason.BAD_JSON, "expected a JSON object");
      }
      object(parser, "", true);
      if (!isRefused && parser.nextToken() != null) {
        return refusal.because(RejectReason.BAD_JSON, "expected one JSON object on a line");
      }
    } catch (JsonProcessingException e) {
      return refusal.because(RejectReason.BAD_JSON, e.getOriginalMessage());
    }
    String log = path != null ? path : wrapper;
    if (log == null && !ofConnections) {
      return refusal.because(RejectReason.OTHER_LOG, "no field of connections");
    }
    if (log != null && !log.toLowerCase(Locale.ROOT).startsWith("conn")) {
      return refusal.because(RejectReason.OTHER_LOG, "the line is of the log '" + log + "'");
    }
    if (isRefused) {
      return false;
    }
    if (!values.has(ZeekField.ORIG_H) && !values.has(ZeekField.RESP_H)) {
      return refusal.because(RejectReason.MISSING_FIELDS, "no id.orig_h and no id.resp_h");
    }
    return true;
  }

  private void object(JsonParser parser, String prefix, boolean outermost) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken token = parser.nextToken();
      if (token == JsonToken.START_OBJECT) {
        nested(parser, name, outermost);
      } else if (token == JsonToken.START_ARRAY) {
        parser.skipChildren();
      } else if (outermost && (name.equals("_path") || name.equals("@stream"))) {
        path = parser.getValueAsString();
      } else if (token != JsonToken.VALUE_NULL) {
        value(parser, prefix.isEmpty() ? name : prefix + name);
      }
    }
  }

  private void nested(JsonParser parser, String name, boolean outermost) throws IOException {
    if (name.equals("id")) {
      object(parser, "id.", false);
    } else if (outermost) {
      wrapper = name;
      if (name.equals("conn")) {
        object(parser, "", false);
      } else {
        parser.skipChildren();
      }
    } else {
      parser.skipChildren();
    }
  }

  private void value(JsonParser parser, String name) throws IOException {
    ZeekField field = ZeekField.byName(name);
    if (field == null || values.has(field)) {
      return;
    }
    ofConnections |= ZeekField.OF_CONNECTIONS.contains(field);
    byte[] text = parser.getText().getBytes(StandardCharsets.UTF_8);
    isRefused |= !isRefused && !values.set(field, text, 0, text.length);
  }
}

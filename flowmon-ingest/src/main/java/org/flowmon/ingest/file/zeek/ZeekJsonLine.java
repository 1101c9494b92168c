package org.flowmon.ingest.file.zeek;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.line.JsonLine;

/**
 * Reads the values of a connection from a JSON object: Zeek's own, with {@code id} as a nested
 * object, or wrapped as {@code {"conn": {…}}}.
 */
final class ZeekJsonLine {
  private final JsonFactory json = new JsonFactory();
  private final ZeekValues values;
  private boolean ofConnections;
  private String path;
  private String wrapper;
  private RejectReason refused;
  private String problem = "";

  ZeekJsonLine(ZeekValues values) {
    this.values = values;
  }

  String problem() {
    return problem;
  }

  /** Reads a line into the values; returns null, or why it is no connection. */
  RejectReason read(byte[] bytes, int from, int to) throws IOException {
    ofConnections = false;
    path = null;
    wrapper = null;
    refused = null;
    try (JsonParser parser = JsonLine.open(json, bytes, from, to)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return refuse(RejectReason.BAD_JSON, "expected a JSON object");
      }
      object(parser, "", true);
      if (refused == null && parser.nextToken() != null) {
        return refuse(RejectReason.BAD_JSON, "expected one JSON object on a line");
      }
    } catch (JsonProcessingException e) {
      return refuse(RejectReason.BAD_JSON, e.getOriginalMessage());
    }
    if (otherLog()) {
      String name = path != null ? path : wrapper;
      return refuse(
          RejectReason.OTHER_LOG,
          name == null ? "no field of connections" : "the line is of the log '" + name + "'");
    }
    if (refused != null) {
      return refused;
    }
    if (!values.has(ZeekField.ORIG_H) && !values.has(ZeekField.RESP_H)) {
      return refuse(RejectReason.MISSING_FIELDS, "no id.orig_h and no id.resp_h");
    }
    return null;
  }

  private boolean otherLog() {
    String name = path != null ? path : wrapper;
    return name != null ? !name.toLowerCase(Locale.ROOT).startsWith("conn") : !ofConnections;
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
    RejectReason reason = values.set(field, text, 0, text.length);
    if (reason != null && refused == null) {
      refuse(reason, values.problem());
    }
  }

  private RejectReason refuse(RejectReason reason, String why) {
    refused = reason;
    problem = why;
    return reason;
  }
}

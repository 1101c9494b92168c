package org.flowmon.ingest.file.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.flowmon.ingest.file.line.JsonLine;

/** Distinguishes JSON lines of flows from those of a Zeek log by the keys of the first line. */
final class JsonKeys {
  private JsonKeys() {}

  /** Some keys are flows', none is Zeek's alone; {@code to} ends the line or its known part. */
  static boolean areFlows(byte[] head, int from, int to, ColumnNames columns) {
    boolean isKnown = false;
    try (JsonParser parser = JsonLine.open(new JsonFactory(), head, from, to)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        if (name.equals("ts") || name.startsWith("id") || name.startsWith("_")) {
          return false;
        }
        JsonToken value = parser.nextToken();
        if (value == JsonToken.START_OBJECT) {
          String path = FlowSource.plain(name) + ".";
          if (columns.names().stream().noneMatch(known -> known.startsWith(path))) {
            return false; // Zeek's id, or the log that wraps it
          }
        }
        parser.skipChildren();
        isKnown |= columns.of(name) != null;
      }
    } catch (IOException e) {
      return isKnown; // cut short or broken: decide by the part that could be read
    }
    return isKnown;
  }
}

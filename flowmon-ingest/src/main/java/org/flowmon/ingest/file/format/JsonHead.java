package org.flowmon.ingest.file.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.flowmon.ingest.file.line.JsonLine;

/**
 * The first JSON value of a file, as far as it is known.
 *
 * @param names plain names of its values: paths with dots, of an array those of its first value
 * @param isDocument whether it is an array or goes over several lines
 */
record JsonHead(Set<String> names, boolean isDocument) {
  private static final int MOST_NAMES = 1024;
  private static final int DEEPEST = 8;

  /** {@code at} is its first byte. */
  static JsonHead of(byte[] head, int at) {
    Set<String> names = new HashSet<>();
    boolean isDocument = head[at] == '[';
    try (JsonParser parser = JsonLine.open(new JsonFactory(), head, at, head.length)) {
      JsonToken first = parser.nextToken();
      if (first == JsonToken.START_ARRAY) {
        first = parser.nextToken();
      }
      if (first == JsonToken.START_OBJECT) {
        object(parser, "", names, 0);
      }
      long end = at + parser.currentLocation().getByteOffset();
      isDocument |= hasLineFeed(head, at, (int) Math.min(end, head.length));
    } catch (JsonEOFException e) {
      isDocument |= hasLineFeed(head, at, head.length); // the object goes on behind its first lines
    } catch (IOException e) {
      return new JsonHead(names, isDocument); // broken: decide by the part that could be read
    }
    return new JsonHead(names, isDocument);
  }

  private static boolean hasLineFeed(byte[] head, int from, int to) {
    for (int i = from; i < to; i++) {
      if (head[i] == '\n') {
        return true;
      }
    }
    return false;
  }

  private static void object(JsonParser parser, String path, Set<String> names, int depth)
      throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = path + FlowSource.plain(parser.currentName());
      if (names.size() < MOST_NAMES) {
        names.add(name);
      }
      JsonToken value = parser.nextToken();
      int arrays = 0;
      while (value == JsonToken.START_ARRAY && arrays < DEEPEST) {
        arrays++;
        value = parser.nextToken();
      }
      if (value == JsonToken.START_OBJECT && depth < DEEPEST) {
        object(parser, name + '.', names, depth + 1);
      } else if (value == JsonToken.END_ARRAY) {
        arrays--;
      } else {
        parser.skipChildren();
      }
      for (; arrays > 0; arrays--) {
        skipToEndOfArray(parser);
      }
    }
  }

  private static void skipToEndOfArray(JsonParser parser) throws IOException {
    for (JsonToken next = parser.nextToken();
        next != null && next != JsonToken.END_ARRAY;
        next = parser.nextToken()) {
      parser.skipChildren();
    }
  }

  /** Whose record it is; empty if none of the table's sources but flowmon has such records. */
  Optional<FlowSource> source() {
    FlowSource best = null;
    int most = 0;
    for (FlowSource source : SourceTable.all()) {
      int score = source.isJson() && !source.isFlowmon() ? source.score(names, false) : 0;
      if (score > most) {
        best = source;
        most = score;
      }
    }
    return Optional.ofNullable(best);
  }

  boolean isAzure() {
    for (String path : new String[] {"", "records."}) {
      if (names.contains(path + "flowrecords.flows")
          || names.contains(path + "properties.flows.flows.flowtuples")) {
        return true;
      }
    }
    return false;
  }
}

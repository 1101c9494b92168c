package org.flowmon.deploy.inspect;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.deploy.output.Facts;
import org.flowmon.flow.FlowColumn;

/** Facts from the footer of a sidecar, or of any other Puffin file with an uncompressed footer. */
final class SidecarFacts {
  private static final int MAX_FOOTER = 16 << 20;
  private static final String MAGIC = "PFA1";
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(8).build())
          .build();

  private SidecarFacts() {}

  static Facts of(Path file) throws IOException {
    byte[] json;
    long length;
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      length = in.length();
      byte[] tail = new byte[12];
      if (length >= 20) {
        in.seek(length - 12);
        in.readFully(tail);
      }
      if (!new String(tail, 8, 4, StandardCharsets.ISO_8859_1).equals(MAGIC)) {
        throw new IOException(file + ": it does not end as a sidecar does, with " + MAGIC);
      }
      ByteBuffer numbers = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN);
      int size = numbers.getInt();
      if (numbers.getInt() != 0 || size < 2 || size > MAX_FOOTER || size > length - 20) {
        throw new IOException(
            file + ": it says its footer has " + size + " bytes, or that it is compressed");
      }
      json = new byte[size];
      in.seek(length - 12 - size);
      in.readFully(json);
    }
    Facts facts = new Facts();
    facts.value("kind", "sidecar");
    facts.value("bytes", length);
    Facts.Table blobs = facts.table("blobs", "type", "column", "offset", "bytes", "crc32c");
    try (JsonParser parser = JSON.createParser(json)) {
      read(parser, facts, blobs);
    } catch (IOException e) {
      throw new IOException(file + ": the footer cannot be read: " + e.getMessage(), e);
    }
    return facts;
  }

  private static void read(JsonParser parser, Facts facts, Facts.Table blobs) throws IOException {
    parser.nextToken();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      if (name.equals("blobs")) {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
          blob(parser, blobs);
        }
      } else if (name.equals("properties")) {
        texts(parser).forEach(facts::value);
      } else {
        parser.skipChildren();
      }
    }
  }

  private static void blob(JsonParser parser, Facts.Table blobs) throws IOException {
    String type = "";
    String column = "";
    long offset = 0;
    long length = 0;
    Map<String, String> properties = Map.of();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      switch (name) {
        case "type" -> type = parser.getText();
        case "offset" -> offset = parser.getLongValue();
        case "length" -> length = parser.getLongValue();
        case "properties" -> properties = texts(parser);
        case "fields" -> {
          while (parser.nextToken() == JsonToken.VALUE_NUMBER_INT) {
            FlowColumn flow = FlowColumn.byId(parser.getIntValue());
            String one = flow == null ? parser.getText() : flow.sqlName();
            column = column.isEmpty() ? one : column + " " + one;
          }
        }
        default -> parser.skipChildren();
      }
    }
    blobs.row(type, column, offset, length, properties.get("crc32c"));
  }

  private static Map<String, String> texts(JsonParser parser) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      texts.put(name, parser.getValueAsString());
      parser.skipChildren();
    }
    return texts;
  }
}

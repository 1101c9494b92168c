package org.flowmon.archive.index;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.bytes.Crc32c;

/**
 * The footer of a sidecar as in the Puffin specification.
 *
 * <pre>
 *   "PFA1" | JSON | i32 length of the JSON | u32 flags, 0 | "PFA1"
 * </pre>
 */
record PuffinFooter(
    String segmentId, long segmentLength, int segmentCrc32c, int rows, List<Blob> blobs) {
  static final byte[] MAGIC = {'P', 'F', 'A', '1'};
  static final String POSTINGS = "flowmon-postings-v1";

  /** Of texts and of numbers of 64 bits. */
  static final String POSTINGS_2 = "flowmon-postings-v2";

  private static final Set<String> KNOWN =
      Set.of(
          POSTINGS,
          POSTINGS_2,
          RollupFormat.TOTALS,
          RollupFormat.TOTALS_2,
          RollupFormat.HOURS,
          RollupFormat.HOURS_2);
  private static final String FORMAT = "1";
  private static final int FRAME_BYTES = 16;
  private static final int MAX_BLOBS = 255;
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(8).maxStringLength(4096).build())
          .build();

  /** A blob of one column. */
  record Blob(String type, int columnId, int offset, int length, int crc32c) {}

  byte[] toBytes() throws IOException {
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    try (JsonGenerator out = JSON.createGenerator(json)) {
      out.writeStartObject();
      out.writeArrayFieldStart("blobs");
      for (Blob blob : blobs) {
        out.writeStartObject();
        out.writeStringField("type", blob.type);
        out.writeArrayFieldStart("fields");
        out.writeNumber(blob.columnId);
        out.writeEndArray();
        out.writeNumberField("snapshot-id", -1);
        out.writeNumberField("sequence-number", -1);
        out.writeNumberField("offset", blob.offset);
        out.writeNumberField("length", blob.length);
        out.writeObjectFieldStart("properties");
        out.writeStringField("crc32c", Crc32c.hex(blob.crc32c));
        out.writeEndObject();
        out.writeEndObject();
      }
      out.writeEndArray();
      out.writeObjectFieldStart("properties");
      out.writeStringField("created-by", "flowmon");
      out.writeStringField("format", FORMAT);
      out.writeStringField("segment", segmentId);
      out.writeStringField("segment-length", Long.toString(segmentLength));
      out.writeStringField("segment-crc32c", Crc32c.hex(segmentCrc32c));
      out.writeStringField("rows", Integer.toString(rows));
      out.writeEndObject();
      out.writeEndObject();
    }
    ByteSink footer = new ByteSink();
    footer.write(MAGIC, 0, MAGIC.length);
    footer.write(json.toByteArray(), 0, json.size());
    footer.putInt(json.size());
    footer.putInt(0);
    footer.write(MAGIC, 0, MAGIC.length);
    return java.util.Arrays.copyOf(footer.array(), footer.size());
  }

  /** Reads a footer; throws {@link IllegalArgumentException} naming the error. */
  static PuffinFooter parse(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int magic = ByteBuffer.wrap(MAGIC).order(ByteOrder.LITTLE_ENDIAN).getInt();
    if (bytes.length < FRAME_BYTES
        || in.getInt(0) != magic
        || in.getInt(bytes.length - 4) != magic) {
      throw new IllegalArgumentException("no Puffin footer: 'PFA1' is not at its begin and end");
    }
    if (in.getInt(bytes.length - 8) != 0) {
      throw new IllegalArgumentException(
          "Puffin flags " + in.getInt(bytes.length - 8) + ", expected 0");
    }
    int length = in.getInt(bytes.length - 12);
    if (length != bytes.length - FRAME_BYTES) {
      throw new IllegalArgumentException(
          "the Puffin footer's JSON has "
              + length
              + " bytes, expected "
              + (bytes.length - FRAME_BYTES));
    }
    try (JsonParser json = JSON.createParser(bytes, MAGIC.length, length)) {
      return parse(json);
    } catch (IOException | NumberFormatException e) {
      throw new IllegalArgumentException(
          "the Puffin footer's JSON cannot be read: " + e.getMessage(), e);
    }
  }

  private static PuffinFooter parse(JsonParser json) throws IOException {
    List<Blob> blobs = new ArrayList<>();
    Map<String, String> properties = new HashMap<>();
    expect(json.nextToken() == JsonToken.START_OBJECT, "an object");
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "blobs" -> {
          while (json.nextToken() == JsonToken.START_OBJECT) {
            expect(blobs.size() < MAX_BLOBS, "at most " + MAX_BLOBS + " blobs");
            parseBlob(json, blobs);
          }
        }
        case "properties" -> parseProperties(json, properties);
        default -> json.skipChildren();
      }
    }
    String format = properties.get("format");
    expect(FORMAT.equals(format), "format " + FORMAT + ", found " + format);
    return new PuffinFooter(
        property(properties, "segment"),
        Long.parseLong(property(properties, "segment-length")),
        Integer.parseUnsignedInt(property(properties, "segment-crc32c"), 16),
        Integer.parseInt(property(properties, "rows")),
        blobs);
  }

  private static String property(Map<String, String> properties, String key) {
    String value = properties.get(key);
    if (value == null) {
      throw lacks("property " + key);
    }
    return value;
  }

  private static void parseBlob(JsonParser json, List<Blob> blobs) throws IOException {
    String type = null;
    int column = 0;
    int offset = -1;
    int length = -1;
    Map<String, String> properties = new HashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "type" -> type = json.getText();
        case "fields" -> {
          json.nextToken();
          column = json.getIntValue();
          expect(json.nextToken() == JsonToken.END_ARRAY, "one field in a blob");
        }
        case "offset" -> offset = json.getIntValue();
        case "length" -> length = json.getIntValue();
        case "properties" -> parseProperties(json, properties);
        default -> json.skipChildren();
      }
    }
    if (type != null && KNOWN.contains(type)) { // blobs of a newer writer are ignored
      expect(
          properties.containsKey("crc32c") && offset >= 0 && length >= 0,
          "offset, length and crc32c of a blob");
      blobs.add(
          new Blob(
              type,
              column,
              offset,
              length,
              Integer.parseUnsignedInt(properties.get("crc32c"), 16)));
    }
  }

  private static void parseProperties(JsonParser json, Map<String, String> properties)
      throws IOException {
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      properties.put(name, json.getText());
    }
  }

  private static void expect(boolean holds, String what) {
    if (!holds) {
      throw lacks(what);
    }
  }

  private static IllegalArgumentException lacks(String what) {
    return new IllegalArgumentException("the Puffin footer's JSON lacks " + what);
  }
}

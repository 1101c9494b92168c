package org.flowmon.ingest.file.row;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.FlowSource;
import org.flowmon.ingest.file.format.Refusal;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.format.TextColumn;
import org.flowmon.ingest.file.format.TextColumn.Form;
import org.flowmon.ingest.file.format.Words;
import org.flowmon.ingest.file.line.JsonLine;
import org.flowmon.ingest.file.line.LineReader;
import org.jspecify.annotations.Nullable;

/** Reads lines that each hold a JSON object, by the names of a {@link FlowSource}. */
final class JsonLineParser implements RecordParser {
  private static final int LONGEST_SHOWN = 100;

  private final JsonFactory json = new JsonFactory();
  private final TextValues values = new TextValues();
  private final JsonPaths names;
  // Whether an unknown name is an error: these are flowmon's own records.
  private final boolean isStrict;
  private final String nullText;
  private final Refusal refusal = new Refusal();
  private boolean isRefused;
  private boolean hasValue;
  private byte[] text = new byte[64];

  JsonLineParser(ColumnNames names) {
    this.names = JsonPaths.of(names);
    this.isStrict = names.source().isFlowmon();
    this.nullText = names.source().nullText();
  }

  @Override
  public void parse(ParsedChunk out) throws IOException {
    byte[] bytes = out.chunk.bytes();
    int limit = out.chunk.length();
    int at = 0;
    while (at < limit) {
      int end = at;
      while (end < limit && bytes[end] != '\n') {
        end++;
      }
      if (out.chunk.tooLong() || end - at > LineReader.MAX_LINE_BYTES) {
        out.reject(RejectReason.LINE_TOO_LONG, LineReader.TOO_LONG, at, end);
      } else if (!isBlank(bytes, at, end)) {
        line(out, bytes, at, end);
      }
      out.lines++;
      at = end + 1;
    }
  }

  private static boolean isBlank(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r') {
        return false;
      }
    }
    return true;
  }

  private void line(ParsedChunk out, byte[] bytes, int from, int to) throws IOException {
    RowBlock block = out.block();
    isRefused = false;
    hasValue = false;
    try (JsonParser parser = JsonLine.open(json, bytes, from, to)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        refuse(RejectReason.BAD_JSON, "expected a JSON object");
      } else {
        object(parser, names, block, out);
        if (!isRefused && parser.nextToken() != null) {
          refuse(RejectReason.BAD_JSON, "expected one JSON object on a line");
        }
      }
    } catch (JsonProcessingException e) {
      refuse(RejectReason.BAD_JSON, e.getOriginalMessage());
    }
    if (!isRefused && !isStrict && !hasValue) {
      refuse(RejectReason.OTHER_RECORD, "");
    }
    if (!isRefused && !out.endRow(block)) {
      refuse(RejectReason.MISSING_TIME, "no start, no end and no arrival");
    }
    if (isRefused) {
      block.dropRow();
      out.reject(refusal.reason(), refusal.detail(), from, to);
    }
  }

  private void object(JsonParser parser, JsonPaths paths, RowBlock block, ParsedChunk out)
      throws IOException {
    while (!isRefused && parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonPaths path = paths.at(name);
      TextColumn column = path.column();
      JsonToken token = parser.nextToken();
      if (column == null && !path.hasInner()) {
        unknown(name, out);
      }
      if (token == JsonToken.START_OBJECT && path.hasInner()) {
        object(parser, path, block, out);
      } else if (column == null || column.form() == Form.LEFT_OUT) {
        parser.skipChildren();
      } else if (token.isStructStart()) {
        array(parser, token, name, column, block);
      } else {
        value(parser, token, column, block);
      }
    }
  }

  private void unknown(String name, ParsedChunk out) {
    if (isStrict) {
      refuse(
          RejectReason.UNKNOWN_COLUMN,
          "'" + name + "' is no column of flows; --map '" + name + "=' leaves it out");
    } else if (out.unknown.size() < ParsedChunk.MOST_UNKNOWN) {
      out.unknown.add(name.substring(0, Math.min(name.length(), LONGEST_SHOWN)));
    }
  }

  /** Its first value stands for it. */
  private void array(
      JsonParser parser, JsonToken start, String name, TextColumn column, RowBlock block)
      throws IOException {
    if (isStrict || start != JsonToken.START_ARRAY) {
      refuse(RejectReason.BAD_JSON, "'" + name + "' is no single value");
      return;
    }
    boolean isFirst = true;
    for (JsonToken next = parser.nextToken();
        next != null && next != JsonToken.END_ARRAY;
        next = parser.nextToken()) {
      if (next.isStructStart()) {
        parser.skipChildren();
      } else if (isFirst) {
        value(parser, next, column, block);
      }
      isFirst = false;
    }
  }

  private void value(JsonParser parser, JsonToken token, TextColumn column, RowBlock block)
      throws IOException {
    if (token == JsonToken.VALUE_NULL) {
      return;
    }
    int length = text(parser);
    if (token == JsonToken.VALUE_NUMBER_FLOAT
        && !isStrict
        && text[length - 1] == '0'
        && text[length - 2] == '.') {
      length -= 2; // a whole number of a program that only has floating point
    }
    if (column.form() == Form.ONLY) {
      if (column.words().number(text, 0, length) == Words.UNKNOWN) {
        refuse(RejectReason.OTHER_RECORD, "");
      }
      return;
    }
    if (!isStrict && isNull(length)) {
      return;
    }
    FlowColumn to = column.target();
    block.use(to);
    if (block.isSet(to) && (isStrict || column.isSpare())) {
      if (isStrict) {
        refuse(RejectReason.BAD_JSON, to.sqlName() + " is there twice");
      }
      return;
    }
    if (values.read(column, text, 0, length)) {
      block.store(column, values);
      hasValue = true;
    } else {
      refuse(column.reason(), ParsedChunk.detail(column, text, 0, length));
    }
  }

  /** Puts the token's text into {@link #text}; returns its length. */
  private int text(JsonParser parser) throws IOException {
    char[] chars = parser.getTextCharacters();
    int from = parser.getTextOffset();
    int length = parser.getTextLength();
    if (text.length < length) {
      text = new byte[2 * length];
    }
    for (int i = 0; i < length; i++) {
      char c = chars[from + i];
      if (c >= 0x80) {
        byte[] all = new String(chars, from, length).getBytes(StandardCharsets.UTF_8);
        text = text.length < all.length ? new byte[2 * all.length] : text;
        System.arraycopy(all, 0, text, 0, all.length);
        return all.length;
      }
      text[i] = (byte) c;
    }
    return length;
  }

  private boolean isNull(int length) {
    if (length == 0) {
      return true;
    }
    if (length != nullText.length()) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (text[i] != nullText.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private void refuse(RejectReason why, @Nullable String detail) {
    if (!isRefused) {
      isRefused = true;
      refusal.because(why, detail == null ? "" : detail);
    }
  }
}

package org.flowmon.ingest.file.row;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.Refusal;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.format.TextColumn;
import org.flowmon.ingest.file.line.JsonLine;
import org.flowmon.ingest.file.line.LineReader;

/** Reads lines that each hold a JSON object with column names as keys. */
final class JsonLineParser implements RecordParser {
  private final JsonFactory json = new JsonFactory();
  private final TextValues values = new TextValues();
  private final ColumnNames names;
  private final Refusal refusal = new Refusal();
  private boolean isRefused;

  JsonLineParser(ColumnNames names) {
    this.names = names;
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
    try (JsonParser parser = JsonLine.open(json, bytes, from, to)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        refuse(RejectReason.BAD_JSON, "expected a JSON object");
      } else {
        object(parser, block);
      }
    } catch (JsonProcessingException e) {
      refuse(RejectReason.BAD_JSON, e.getOriginalMessage());
    }
    if (!isRefused && !out.endRow(block)) {
      refuse(RejectReason.MISSING_TIME, "no start, no end and no arrival");
    }
    if (isRefused) {
      block.dropRow();
      out.reject(refusal.reason(), refusal.detail(), from, to);
    }
  }

  private void object(JsonParser parser, RowBlock block) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME && !isRefused) {
      String name = parser.currentName();
      JsonToken token = parser.nextToken();
      TextColumn column = names.of(name);
      if (column == null) {
        refuse(
            RejectReason.UNKNOWN_COLUMN,
            "'" + name + "' is no column of flows; --map '" + name + "=' leaves it out");
      } else if (column.form() == TextColumn.Form.LEFT_OUT) {
        parser.skipChildren();
      } else if (token.isStructStart()) {
        refuse(RejectReason.BAD_JSON, "'" + name + "' is no single value");
      } else if (token != JsonToken.VALUE_NULL) {
        value(parser, column, column.target(), block);
      }
    }
    if (!isRefused && parser.nextToken() != null) {
      refuse(RejectReason.BAD_JSON, "expected one JSON object on a line");
    }
  }

  private void value(JsonParser parser, TextColumn column, FlowColumn to, RowBlock block)
      throws IOException {
    block.use(to);
    byte[] text = parser.getText().getBytes(StandardCharsets.UTF_8);
    if (block.isSet(to)) {
      refuse(RejectReason.BAD_JSON, to.sqlName() + " is there twice");
    } else if (!values.read(column, text, 0, text.length)) {
      refuse(column.reason(), ParsedChunk.detail(column, text, 0, text.length));
    } else {
      int c = to.ordinal();
      switch (to.type()) {
        case TEXT -> block.setText(c, values.text);
        case ADDRESS -> block.setAddress(c, values.high, values.value);
        default -> block.set(c, values.value);
      }
    }
  }

  private void refuse(RejectReason why, String text) {
    if (!isRefused) {
      isRefused = true;
      refusal.because(why, text);
    }
  }
}

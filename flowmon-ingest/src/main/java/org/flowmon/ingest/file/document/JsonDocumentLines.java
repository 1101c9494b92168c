package org.flowmon.ingest.file.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.flowmon.ingest.file.reader.DamagedInputException;

/**
 * The objects of a JSON document, each on a line: those of its array, or the document's own, one
 * after the other. It holds one value at a time.
 */
final class JsonDocumentLines extends PumpedStream {
  private final JsonParser parser;
  private final JsonGenerator line;
  private int depth;

  JsonDocumentLines(InputStream in) throws IOException {
    JsonFactory json = new JsonFactory();
    this.parser = json.createParser(in);
    this.line =
        json.createGenerator(
            new OutputStream() {
              @Override
              public void write(int b) {
                out.put(b);
              }

              @Override
              public void write(byte[] bytes, int from, int length) {
                for (int i = from; i < from + length; i++) {
                  out.put(bytes[i]);
                }
              }
            });
    line.setRootValueSeparator(null);
  }

  @Override
  boolean pump() throws IOException {
    JsonToken token;
    try {
      token = parser.nextToken();
      if (token == null) {
        return false;
      }
      boolean isArrayOfAll =
          depth == 0 && (token == JsonToken.START_ARRAY || token == JsonToken.END_ARRAY);
      if (!isArrayOfAll) {
        line.copyCurrentEvent(parser);
      }
      depth += isArrayOfAll ? 0 : token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      if (!isArrayOfAll && depth == 0) {
        line.flush();
        out.put('\n');
      } else {
        line.flush();
      }
      return true;
    } catch (JsonProcessingException e) {
      throw damaged(e);
    }
  }

  static DamagedInputException damaged(JsonProcessingException e) {
    long line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
    return new DamagedInputException(
        "the JSON document is damaged at line " + line + ": " + e.getOriginalMessage(), e);
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }
}

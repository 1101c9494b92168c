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
import org.jspecify.annotations.Nullable;

/**
 * The objects of a JSON document, each on a line: those of its array, or the document's own, one
 * after the other. It holds one value at a time.
 */
final class JsonDocumentLines extends PumpedStream {
  private final JsonParser parser;
  private final JsonGenerator line;
  private int depth;
  private @Nullable IOException failure;

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
                out.put(bytes, from, length);
              }
            });
    line.setRootValueSeparator(null);
  }

  /** What comes before a failure is read first. */
  @Override
  boolean pump() throws IOException {
    if (failure != null) {
      throw failure;
    }
    try {
      return add(parser.nextToken());
    } catch (JsonProcessingException e) {
      failure = damaged(e);
    } catch (IOException e) {
      failure = e;
    }
    line.flush();
    return true;
  }

  private boolean add(@Nullable JsonToken token) throws IOException {
    if (token == null) {
      return false;
    }
    if (depth == 0 && (token == JsonToken.START_ARRAY || token == JsonToken.END_ARRAY)) {
      return true; // the array of all objects
    }
    if (token.isNumeric()) {
      // As its digits are: a double has only 16.
      line.writeNumber(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
    } else {
      line.copyCurrentEvent(parser);
    }
    depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
    if (depth == 0) {
      line.flush();
      out.put('\n');
    }
    return true;
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

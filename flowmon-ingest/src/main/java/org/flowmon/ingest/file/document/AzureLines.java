package org.flowmon.ingest.file.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.InputStream;

/**
 * The flow tuples of Azure's flow logs, each on a line with 13 values: NSG's version 1 has 8, the
 * others are empty. Tuples stand in arrays {@code flowTuples}, wherever these are in a document or
 * in lines of JSON.
 */
final class AzureLines extends PumpedStream {
  /** Names of the source {@code azure}. */
  static final String HEADER =
      "time,src_addr,dst_addr,src_port,dst_port,protocol,direction,state,detail,packets,bytes,"
          + "reverse_packets,reverse_bytes\n";

  private static final int VALUES = 13;
  private static final int LONGEST = 1024;

  private final JsonParser parser;
  private boolean inTuples;

  AzureLines(InputStream in) throws IOException {
    this.parser = new JsonFactory().createParser(in);
  }

  @Override
  boolean pump() throws IOException {
    try {
      JsonToken token = parser.nextToken();
      if (token == null) {
        return false;
      }
      if (inTuples && token == JsonToken.VALUE_STRING) {
        line(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
      } else if (inTuples && token.isStructStart()) {
        parser.skipChildren();
      } else if (token == JsonToken.END_ARRAY) {
        inTuples = false;
      } else if (token == JsonToken.FIELD_NAME && parser.currentName().equals("flowTuples")) {
        inTuples = parser.nextToken() == JsonToken.START_ARRAY;
      }
      return true;
    } catch (JsonProcessingException e) {
      throw JsonDocumentLines.damaged(e);
    }
  }

  /** A tuple too long for one is cut, and then is none. */
  private void line(char[] chars, int from, int length) {
    int commas = 0;
    for (int i = from; i < from + Math.min(length, LONGEST); i++) {
      char c = chars[i];
      commas += c == ',' ? 1 : 0;
      out.put(c < ' ' || c >= 0x7F || c == '"' ? '?' : c);
    }
    for (; commas < VALUES - 1; commas++) {
      out.put(',');
    }
    out.put('\n');
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }
}

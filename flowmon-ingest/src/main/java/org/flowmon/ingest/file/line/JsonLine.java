package org.flowmon.ingest.file.line;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;

/**
 * Opens lines of JSON, which are UTF-8. Jackson guesses UTF-16 and UTF-32 from NULs and byte order
 * marks in the first four bytes, and calls bytes against its guess an error of input.
 */
public final class JsonLine {
  private static final int GUESSED_FROM = 4;

  private JsonLine() {}

  /** Throws {@link JsonParseException} if the line does not begin as UTF-8. */
  public static JsonParser open(JsonFactory json, byte[] bytes, int from, int to)
      throws IOException {
    for (int i = from; i < Math.min(to, from + GUESSED_FROM); i++) {
      int b = bytes[i] & 0xFF;
      if (b == 0 || b >= 0xFE) {
        throw new JsonParseException(
            null,
            String.format(
                "expected JSON in UTF-8, byte %d of the line is 0x%02x", i - from + 1, b));
      }
    }
    return json.createParser(bytes, from, to - from);
  }
}

package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32C;
import org.flowmon.deploy.serve.http.Problem;

/**
 * Where a page begins. It is no secret and grants nothing: what it says is checked like any other
 * part of a request.
 *
 * @param of what is asked, as a checksum of it, so that a cursor of another request is refused
 * @param asOf only flows that had arrived by then, µs, are in any page
 * @param at the place, of whoever makes the pages
 * @param skip rows at this place that earlier pages have
 */
public record Cursor(long of, long asOf, long at, long skip) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** More rows than any page skips, and far from what a sum could not hold. */
  private static final long MOST_SKIPPED = 1L << 40;

  public static long checksum(String asked) {
    CRC32C checksum = new CRC32C();
    checksum.update(asked.getBytes(StandardCharsets.UTF_8));
    return checksum.getValue();
  }

  /** Throws a {@link Problem} if it is none, or not of what is asked. */
  public static Cursor parse(String text, long of) {
    try {
      JsonNode json = JSON.readTree(Base64.getUrlDecoder().decode(text));
      if (json != null && json.isArray() && json.size() == 4) {
        for (JsonNode one : json) {
          if (!one.isIntegralNumber() || !one.canConvertToLong()) {
            throw wrong();
          }
        }
        Cursor cursor =
            new Cursor(
                json.get(0).longValue(),
                json.get(1).longValue(),
                json.get(2).longValue(),
                json.get(3).longValue());
        if (cursor.of != of) {
          throw Problem.badRequest(
              "the cursor is of another request: only the cursor changes from page to page");
        }
        if (cursor.skip >= 0 && cursor.skip <= MOST_SKIPPED) {
          return cursor;
        }
      }
    } catch (IllegalArgumentException | IOException e) {
      // Told below.
    }
    throw wrong();
  }

  private static Problem wrong() {
    return Problem.badRequest("this is no cursor: expected 'next' of the page before");
  }

  @Override
  public String toString() {
    try {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(
              JSON.writeValueAsBytes(JSON.createArrayNode().add(of).add(asOf).add(at).add(skip)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // numbers always have JSON
    }
  }
}

package org.flowmon.udaf.parser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import org.flowmon.udaf.text.QueryException;

/** The parser's errors for invalid queries. */
public final class ParseErrors {
  private ParseErrors() {}

  /** Requires that a text is refused at this place, with a message that contains the given one. */
  public static void require(Consumer<String> parser, String sql, int position, String message) {
    QueryException e = assertThrows(QueryException.class, () -> parser.accept(sql), sql);
    assertTrue(e.getMessage().contains(message), sql + "\n" + e.getMessage());
    assertEquals(position, e.position(), sql + "\n" + e.getMessage());
  }
}

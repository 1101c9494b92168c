package org.flowmon.ingest.file.line;

import java.nio.charset.StandardCharsets;

/** Describes values of lines that are refused, for people. */
public final class ShownValue {
  private static final int MOST = 60;

  private ShownValue() {}

  /** What a field has and should have; a long text is cut. */
  public static String wrong(String field, byte[] bytes, int from, int to, String expected) {
    int shown = Math.min(to, from + MOST);
    return String.format(
        "%s is '%s%s', expected %s",
        field,
        new String(bytes, from, shown - from, StandardCharsets.UTF_8),
        shown < to ? "…" : "",
        expected);
  }
}

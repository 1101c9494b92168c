package org.flowmon.udaf.text;

import java.util.Arrays;

/**
 * The pattern of LIKE: {@code %} stands for any code points, {@code _} for one, and a backslash
 * before one of the three for that itself.
 */
public final class LikePattern {
  private static final int ANY = -1;
  private static final int ONE = -2;

  private final int[] signs; // code points, ANY, ONE

  /**
   * @throws IllegalArgumentException if a backslash stands before anything else, or at the end
   */
  public LikePattern(String pattern) {
    int[] points = pattern.codePoints().toArray();
    int[] found = new int[points.length];
    int count = 0;
    for (int i = 0; i < points.length; i++) {
      int point = points[i];
      if (point == '\\') {
        int next = ++i < points.length ? points[i] : 0;
        if (next != '%' && next != '_' && next != '\\') {
          throw new IllegalArgumentException(
              "expected %, _ or a backslash after a backslash in the pattern '" + pattern + "'");
        }
        found[count++] = next;
      } else if (point != '%') {
        found[count++] = point == '_' ? ONE : point;
      } else if (count == 0 || found[count - 1] != ANY) {
        found[count++] = ANY;
      }
    }
    signs = Arrays.copyOf(found, count);
  }

  /** In time of at most the text's length times the pattern's. */
  public boolean matches(String text) {
    int at = 0;
    int sign = 0;
    int afterAny = -1; // the sign after the last ANY, and the text that it has not taken
    int retry = 0;
    while (at < text.length()) {
      int point = text.codePointAt(at);
      if (sign < signs.length && (signs[sign] == ONE || signs[sign] == point)) {
        at += Character.charCount(point);
        sign++;
      } else if (sign < signs.length && signs[sign] == ANY) {
        afterAny = ++sign;
        retry = at;
      } else if (afterAny >= 0) {
        retry += Character.charCount(text.codePointAt(retry));
        at = retry;
        sign = afterAny;
      } else {
        return false;
      }
    }
    return sign == signs.length || (sign == signs.length - 1 && signs[sign] == ANY);
  }
}

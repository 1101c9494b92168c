package org.flowmon.udaf.vector;

/** The order of texts by code points, equal to the order of their UTF-8 bytes. */
public final class TextOrder {
  private TextOrder() {}

  public static int compare(String a, String b) {
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        // Surrogates stand for code points above all others of UTF-16.
        boolean highX = Character.isSurrogate(x);
        boolean highY = Character.isSurrogate(y);
        return highX == highY ? Character.compare(x, y) : highX ? 1 : -1;
      }
    }
    return Integer.compare(a.length(), b.length());
  }
}

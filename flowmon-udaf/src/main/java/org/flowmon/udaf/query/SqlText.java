package org.flowmon.udaf.query;

final class SqlText {
  private SqlText() {}

  static String of(Object part) {
    throw new UnsupportedOperationException("not built yet");
  }
}

package org.flowmon.udaf.query;

@SuppressWarnings("DoNotCallSuggester")
final class SqlText {
  private SqlText() {}

  static String of(Object part) {
    throw new UnsupportedOperationException("not built yet");
  }
}

package org.flowmon.udaf.query;

/** Parses the query dialect of {@code docs/query.md}. */
@SuppressWarnings("DoNotCallSuggester")
public final class QueryParser {
  private QueryParser() {}

  /**
   * Parses one SELECT over {@code flows}.
   *
   * @throws QueryException saying what was found where, and what was expected
   */
  public static FlowQuery parse(String sql) {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Parses a filter alone, as after WHERE.
   *
   * @throws QueryException saying what was found where, and what was expected
   */
  public static Expression parseCondition(String sql) {
    throw new UnsupportedOperationException("not built yet");
  }
}

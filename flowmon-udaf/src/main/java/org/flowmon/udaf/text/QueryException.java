package org.flowmon.udaf.text;

/** A query that cannot be run; says what is wrong, where in its text, and what was expected. */
public final class QueryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int position;

  /** An error without a place in the text, for example an unbound parameter. */
  public QueryException(String message) {
    super(message);
    this.position = -1;
  }

  /** {@code position} is a 0-based offset into the query's text. */
  public QueryException(String message, String sql, int position) {
    super("line " + line(sql, position) + ":" + column(sql, position) + ": " + message);
    this.position = position;
  }

  /** 0-based offset into the query's text, −1 without a place. */
  public int position() {
    return position;
  }

  private static int line(String sql, int position) {
    return 1
        + (int)
            sql.substring(0, Math.min(position, sql.length()))
                .chars()
                .filter(c -> c == '\n')
                .count();
  }

  private static int column(String sql, int position) {
    return position - sql.lastIndexOf('\n', Math.min(position, sql.length()) - 1);
  }
}

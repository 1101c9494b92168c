package org.flowmon.udaf.query;

/** A part of a query that does not fit; who knows its place makes it a {@code QueryException}. */
public final class TypeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Expression culprit;

  TypeException(String message, Expression culprit) {
    super(message, null, false, false);
    this.culprit = culprit;
  }

  public Expression culprit() {
    return culprit;
  }
}

package org.flowmon.jobs.sink.postgres;

/** The database refuses a report, and would refuse it again: the message says what to do. */
final class PostgresRejectedException extends Exception {
  private static final long serialVersionUID = 1L;

  PostgresRejectedException(String message, Throwable cause) {
    super(message, cause);
  }
}

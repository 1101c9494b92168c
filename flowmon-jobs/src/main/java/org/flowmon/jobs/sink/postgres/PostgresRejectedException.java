package org.flowmon.jobs.sink.postgres;

import org.jspecify.annotations.Nullable;

/** The database refuses a report, and would refuse it again. The message names the remedy. */
final class PostgresRejectedException extends Exception {
  private static final long serialVersionUID = 1L;

  PostgresRejectedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

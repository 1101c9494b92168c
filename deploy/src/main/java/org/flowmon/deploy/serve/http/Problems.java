package org.flowmon.deploy.serve.http;

import java.io.IOException;
import java.util.Optional;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.query.limit.ByteLimitException;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.query.limit.RowLimitException;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What exceptions are for whoever asked. */
final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  private Problems() {}

  /** {@code queryText}: the text that positions are in. */
  static Problem of(Throwable e, Optional<String> queryText) {
    if (e instanceof Problem problem) {
      return problem;
    }
    String message = String.valueOf(e.getMessage());
    if (e instanceof QueryException query) {
      return query.position() >= 0 && queryText.isPresent()
          ? new Problem(
              Problem.Code.BAD_QUERY, message, Problem.Place.of(queryText.get(), query.position()))
          : new Problem(Problem.Code.BAD_QUERY, message);
    }
    Optional<Problem.Code> code = code(e);
    if (code.isPresent()) {
      return new Problem(code.get(), message, e);
    }
    if (e instanceof OutOfMemoryError) {
      return Problem.later(
          Problem.Code.UNAVAILABLE, "the server's memory is full; try again later", 10);
    }
    LOG.error("a request failed", e);
    return new Problem(Problem.Code.INTERNAL, "a defect of flowmon: the server's log says more", e);
  }

  private static Optional<Problem.Code> code(Throwable e) {
    if (e instanceof QueryTimeoutException) {
      return Optional.of(Problem.Code.TIME_LIMIT);
    } else if (e instanceof QueryCancelledException) {
      return Optional.of(Problem.Code.CANCELLED);
    } else if (e instanceof RowLimitException || e instanceof ByteLimitException) {
      return Optional.of(Problem.Code.TOO_MANY_ROWS);
    } else if (e instanceof AnswerTooLargeException) {
      return Optional.of(Problem.Code.TOO_MUCH_MEMORY);
    } else if (e instanceof SegmentCorruptException || e instanceof ManifestCorruptException) {
      return Optional.of(Problem.Code.DAMAGED);
    } else if (e instanceof UsageException || e instanceof ConfigException) {
      return Optional.of(Problem.Code.BAD_REQUEST);
    } else if (e instanceof CommandException || e instanceof IOException) {
      return Optional.of(Problem.Code.UNAVAILABLE);
    }
    return Optional.empty();
  }
}

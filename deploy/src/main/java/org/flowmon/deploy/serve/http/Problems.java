package org.flowmon.deploy.serve.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What exceptions are for whoever asked. */
final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  /** Paths of Iceberg's catalog. */
  private static final String CATALOG = "/iceberg/";

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

  static boolean isCatalog(@Nullable String path) {
    return path != null && path.startsWith(CATALOG);
  }

  /**
   * Whether a path names a namespace of several levels, as Iceberg's clients do when they look for
   * {@code flows.snapshots}. They part levels by a control character, which Jetty refuses.
   */
  static boolean isNestedNamespace(@Nullable String path) {
    return path != null && isCatalog(path) && path.contains("%1F");
  }

  /** Adds a problem in the words of Iceberg's catalog; its clients choose an exception by these. */
  static void addCatalogError(Problem problem, String path, ObjectNode json) {
    ObjectNode error = json.putObject("error");
    error.put("message", problem.detail());
    error.put("type", catalogType(problem.code(), path));
    error.put("code", problem.code().status());
  }

  private static String catalogType(Problem.Code code, String path) {
    return switch (code) {
      case NOT_FOUND ->
          path.contains("/tables/") ? "NoSuchTableException" : "NoSuchNamespaceException";
      case UNAUTHORIZED -> "NotAuthorizedException";
      case FORBIDDEN -> "ForbiddenException";
      case METHOD_NOT_ALLOWED -> "UnsupportedOperationException";
      case UNAVAILABLE -> "ServiceUnavailableException";
      default -> code.status() < 500 ? "BadRequestException" : "InternalServerError";
    };
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

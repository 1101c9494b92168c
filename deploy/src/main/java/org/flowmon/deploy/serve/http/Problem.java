package org.flowmon.deploy.serve.http;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Why a request has no answer, for whoever asked (RFC 9457). */
public final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The reasons, with their status. */
  public enum Code {
    BAD_REQUEST(400, "Bad request"),
    BAD_QUERY(400, "Bad query"),
    UNAUTHORIZED(401, "No token"),
    FORBIDDEN(403, "Not allowed"),
    NOT_FOUND(404, "Not found"),
    METHOD_NOT_ALLOWED(405, "Method not allowed"),
    NOT_ACCEPTABLE(406, "No such format"),
    TIME_LIMIT(408, "Time limit"),
    CANCELLED(408, "Cancelled"),
    CONFLICT(412, "Changed meanwhile"),
    TOO_LARGE(413, "Too large"),
    TOO_MANY_ROWS(413, "Too many rows"),
    TOO_MUCH_MEMORY(413, "Too much memory"),
    UNSUPPORTED_MEDIA_TYPE(415, "Unsupported media type"),
    WRONG_HOST(421, "Wrong host"),
    TOO_MANY_QUERIES(429, "Too many queries"),
    INTERNAL(500, "Internal error"),
    DAMAGED(500, "Damaged archive"),
    UNAVAILABLE(503, "Not available");

    private final int status;
    private final String title;

    Code(int status, String title) {
      this.status = status;
      this.title = title;
    }

    public int status() {
      return status;
    }

    String title() {
      return title;
    }

    /** As answers and the audit have it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A place in a text: its offset, and line and column from 1. */
  public record Place(int position, int line, int column) {
    public static Place of(String text, int position) {
      int at = Math.min(position, text.length());
      String before = text.substring(0, at);
      int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
      return new Place(position, line, at - before.lastIndexOf('\n'));
    }
  }

  private final Code code;
  private final transient Optional<Place> place;
  private final transient OptionalInt retryAfter;

  public Problem(Code code, String detail) {
    this(code, detail, Optional.empty(), OptionalInt.empty(), null);
  }

  public Problem(Code code, String detail, Throwable cause) {
    this(code, detail, Optional.empty(), OptionalInt.empty(), cause);
  }

  public Problem(Code code, String detail, Place place) {
    this(code, detail, Optional.of(place), OptionalInt.empty(), null);
  }

  private Problem(
      Code code,
      String detail,
      Optional<Place> place,
      OptionalInt retryAfter,
      @Nullable Throwable cause) {
    super(detail, cause);
    this.code = code;
    this.place = place;
    this.retryAfter = retryAfter;
  }

  /** {@code retryAfter}: seconds. */
  public static Problem later(Code code, String detail, int retryAfter) {
    return new Problem(code, detail, Optional.empty(), OptionalInt.of(retryAfter), null);
  }

  public static Problem badRequest(String detail) {
    return new Problem(Code.BAD_REQUEST, detail);
  }

  public static Problem notFound(String detail) {
    return new Problem(Code.NOT_FOUND, detail);
  }

  public Code code() {
    return code;
  }

  public Optional<Place> place() {
    return place;
  }

  OptionalInt retryAfter() {
    return retryAfter;
  }

  public String detail() {
    return String.valueOf(getMessage());
  }
}

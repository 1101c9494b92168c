package org.flowmon.udaf.value;

import java.util.Locale;

/** An answer, or an intermediate result, with more rows or groups than one query holds. */
public final class AnswerTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean ofMemory;

  /** An actual or expected count of what ({@code rows}, {@code groups}), and the most. */
  public AnswerTooLargeException(long count, String what, long most) {
    super(
        String.format(
            Locale.ROOT,
            "the query makes %,d %s, more than the %,d that one query holds: ask for a shorter"
                + " time, filter more, add LIMIT, or use fewer keys",
            count,
            what,
            most));
    this.ofMemory = false;
  }

  private AnswerTooLargeException(String message) {
    super(message);
    this.ofMemory = true;
  }

  /** A larger heap would hold it. */
  public boolean isOfMemory() {
    return ofMemory;
  }

  public static AnswerTooLargeException ofMemory(long most) {
    return new AnswerTooLargeException(
        String.format(
            Locale.ROOT,
            "the query needs more than the %,d MiB of heap that one query may take (groups, states"
                + " of functions, sorted rows and results of inner queries): ask for a shorter"
                + " time, filter more, use fewer keys or a smaller LIMIT, or give Java a larger"
                + " heap",
            most >> 20));
  }
}

package org.flowmon.archive.derived;

import org.jspecify.annotations.Nullable;

/** A problem of a named run; its remedy is null if it is no damage: other versions read it. */
public record RunProblem(String run, String what, @Nullable String remedy) {
  private static final String MADE_AGAIN = "flowmon compact rebuilds it from the segments";

  /** A run whose bytes differ from those written: maintenance finds it by itself. */
  static RunProblem damaged(String run, String what) {
    return new RunProblem(run, what, MADE_AGAIN);
  }

  /** A sound run that disagrees with its segments. */
  static RunProblem wrong(String run, String what) {
    return new RunProblem(run, what, "delete it; " + MADE_AGAIN);
  }

  /** A run that the store did not return. */
  static RunProblem unread(String run, String error) {
    return new RunProblem(
        run, "cannot be read: " + error, "let it be read, or delete it; " + MADE_AGAIN);
  }

  static RunProblem foreign(String run, String what) {
    return new RunProblem(run, what, null);
  }
}

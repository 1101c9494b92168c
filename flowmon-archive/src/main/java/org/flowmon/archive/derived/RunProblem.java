package org.flowmon.archive.derived;

/**
 * What is wrong with a run.
 *
 * @param run its name within its folder
 * @param what what was found and what was expected
 * @param remedy what to do about it, null if it is no damage: other versions read it
 */
public record RunProblem(String run, String what, String remedy) {
  private static final String MADE_AGAIN = "flowmon compact makes it again from the segments";

  /** A run whose bytes are not what was written: maintenance finds it out by itself. */
  static RunProblem damaged(String run, String what) {
    return new RunProblem(run, what, MADE_AGAIN);
  }

  /** A run that is whole, and does not say what its segments do. */
  static RunProblem wrong(String run, String what) {
    return new RunProblem(run, what, "delete it; " + MADE_AGAIN);
  }

  /** A run that the store did not give. */
  static RunProblem unread(String run, String error) {
    return new RunProblem(
        run, "cannot be read: " + error, "let it be read, or delete it; " + MADE_AGAIN);
  }

  /** A run of another version. */
  static RunProblem foreign(String run, String what) {
    return new RunProblem(run, what, null);
  }

  /** Whether something is to be done about it. */
  public boolean isDamage() {
    return remedy != null;
  }
}

package org.flowmon.deploy.output;

import java.io.IOException;
import java.io.PrintWriter;

/** Whoever read what a command writes is gone, as {@code head} is when it has its lines. */
public final class ClosedOutputException extends IOException {
  private static final long serialVersionUID = 1L;

  ClosedOutputException() {
    super("nobody reads standard output any more");
  }

  /**
   * Goes on where what was written could be.
   *
   * @throws ClosedOutputException where it could not
   */
  public static void check(PrintWriter out) throws ClosedOutputException {
    if (out.checkError()) {
      throw new ClosedOutputException();
    }
  }
}

package org.flowmon.deploy.output;

import java.io.IOException;
import java.io.PrintWriter;

/** Signals that the reader of a command's output is gone, as {@code head} after its lines. */
public final class ClosedOutputException extends IOException {
  private static final long serialVersionUID = 1L;

  ClosedOutputException() {
    super("nobody reads standard output any more");
  }

  /** Throws {@link ClosedOutputException} if the output so far could not be written. */
  public static void check(PrintWriter out) throws ClosedOutputException {
    if (out.checkError()) {
      throw new ClosedOutputException();
    }
  }
}

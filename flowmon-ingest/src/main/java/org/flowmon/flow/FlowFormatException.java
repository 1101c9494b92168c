package org.flowmon.flow;

/** Bytes that are no valid flow batch; the message names the place and the expected value. */
public final class FlowFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FlowFormatException(String message) {
    super(message);
  }
}

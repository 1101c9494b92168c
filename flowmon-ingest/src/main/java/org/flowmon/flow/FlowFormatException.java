package org.flowmon.flow;

/**
 * Signals bytes that are no valid flow batch. The message names the place and the expected value.
 */
public final class FlowFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FlowFormatException(String message) {
    super(message);
  }
}

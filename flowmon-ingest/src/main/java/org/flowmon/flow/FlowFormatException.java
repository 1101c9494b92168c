package org.flowmon.flow;

/**
 * Bytes are not the flow batch that they claim to be. The message says where and what was expected.
 */
public final class FlowFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FlowFormatException(String message) {
    super(message);
  }
}

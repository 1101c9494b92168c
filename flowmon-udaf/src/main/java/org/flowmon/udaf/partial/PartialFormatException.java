package org.flowmon.udaf.partial;

/** Bytes that are not partial groups, a group table or a window part: says found and expected. */
public final class PartialFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PartialFormatException(String message) {
    super(message);
  }
}

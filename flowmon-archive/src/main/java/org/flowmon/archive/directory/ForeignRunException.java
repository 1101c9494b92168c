package org.flowmon.archive.directory;

/** A run of a version that this program does not read. */
final class ForeignRunException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ForeignRunException(String message) {
    super(message);
  }
}

package org.flowmon.ingest.file;

import java.io.IOException;

/**
 * A file holds nothing that flowmon reads; the message says what was seen and what is supported.
 */
public final class UnknownFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  public UnknownFormatException(String message) {
    super(message);
  }

  public UnknownFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}

package org.flowmon.ingest.file.reader;

import java.io.IOException;

/** The rest of an input cannot be read, for the reason in the message; what came before it was. */
public final class DamagedInputException extends IOException {
  private static final long serialVersionUID = 1L;

  public DamagedInputException(String message) {
    super(message);
  }

  public DamagedInputException(String message, Throwable cause) {
    super(message, cause);
  }
}

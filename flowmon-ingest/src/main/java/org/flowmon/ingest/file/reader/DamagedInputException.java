package org.flowmon.ingest.file.reader;

import java.io.IOException;

/** What comes before can be read; the message says why the rest cannot. */
public final class DamagedInputException extends IOException {
  private static final long serialVersionUID = 1L;

  public DamagedInputException(String message) {
    super(message);
  }

  public DamagedInputException(String message, Throwable cause) {
    super(message, cause);
  }
}

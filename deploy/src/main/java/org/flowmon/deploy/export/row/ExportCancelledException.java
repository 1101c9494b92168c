package org.flowmon.deploy.export.row;

import java.io.IOException;

/** Signals that an export was cancelled before its rows were visible. */
public final class ExportCancelledException extends IOException {
  private static final long serialVersionUID = 1L;

  public ExportCancelledException(String target, Throwable cause) {
    super(target + ": the export was told to end", cause);
  }
}

package org.flowmon.deploy.export.row;

import java.io.IOException;

/** An export was told to end before its rows were there: {@link ExportTarget#cancel}. */
public final class ExportCancelledException extends IOException {
  private static final long serialVersionUID = 1L;

  public ExportCancelledException(String target, Throwable cause) {
    super(target + ": the export was told to end", cause);
  }
}

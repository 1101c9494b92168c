package org.flowmon.flow.files;

import java.io.IOException;
import java.nio.file.Path;

/** Other users could change a folder of trusted files; the message says how, and what to do. */
public final class UnsafeFolderException extends IOException {
  private static final long serialVersionUID = 1L;

  UnsafeFolderException(Path folder, String why, String advice) {
    super(folder + " " + why + "; " + advice);
  }
}

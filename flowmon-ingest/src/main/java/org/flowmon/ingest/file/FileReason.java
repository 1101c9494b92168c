package org.flowmon.ingest.file;

import java.nio.file.Path;

/** Shortens error messages about a file for lines that begin with its name. */
public final class FileReason {
  private FileReason() {}

  /** Messages mostly begin with it, because elsewhere they are read alone. */
  public static String withoutName(Path file, String message) {
    String name = file.toString();
    for (String end : new String[] {": ", ", "}) {
      if (message.startsWith(name + end)) {
        return message.substring(name.length() + end.length());
      }
    }
    return message;
  }
}

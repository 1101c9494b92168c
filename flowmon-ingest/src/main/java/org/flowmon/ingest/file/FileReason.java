package org.flowmon.ingest.file;

import java.nio.file.Path;

/** What is wrong with a file, for lines that begin with its name. */
public final class FileReason {
  private FileReason() {}

  /**
   * A message without the file's name, which most begin with, for they are read alone elsewhere.
   */
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

package org.flowmon.ingest.file.format;

import java.io.IOException;

/**
 * Signals a file that flowmon does not read. The message describes the content and, if its format
 * is unknown, lists the supported formats.
 */
public final class UnknownFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String seen;

  public UnknownFormatException(String message) {
    super(message);
    this.seen = message;
  }

  public UnknownFormatException(String message, Throwable cause) {
    super(message, cause);
    this.seen = message;
  }

  private UnknownFormatException(String seen, String supported) {
    super(seen + "; " + supported);
    this.seen = seen;
  }

  /** Signals a file of none of the formats. */
  static UnknownFormatException noFormat(String seen) {
    return new UnknownFormatException(seen, InputFormat.SUPPORTED);
  }

  /** The content of the file, without the list of formats, for messages about many files. */
  public String seen() {
    return seen;
  }

  /** Whether the file's format is unknown, so that {@link #supported} helps. */
  public boolean isOfNoFormat() {
    return !seen.equals(getMessage());
  }

  /** The supported formats. */
  public static String supported() {
    return InputFormat.SUPPORTED;
  }
}

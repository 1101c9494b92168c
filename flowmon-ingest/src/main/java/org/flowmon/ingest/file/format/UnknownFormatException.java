package org.flowmon.ingest.file.format;

import java.io.IOException;

/** A file that flowmon does not read; an unknown format's message lists the supported ones. */
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

  public static String supported() {
    return InputFormat.SUPPORTED;
  }
}

package org.flowmon.ingest.file.format;

import java.io.IOException;

/**
 * A file holds nothing that flowmon reads; the message says what was seen and, if it is of no known
 * format at all, what is supported.
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

  /** Of a file that is of none of the formats. */
  static UnknownFormatException noFormat(String seen) {
    return new UnknownFormatException(seen, InputFormat.SUPPORTED);
  }

  /** What the file holds, without the list of formats, for messages about many files. */
  public String seen() {
    return seen;
  }

  /** Whether the file is of no known format, so that it helps to say {@link #supported}. */
  public boolean isOfNoFormat() {
    return !seen.equals(getMessage());
  }

  /** The formats there are. */
  public static String supported() {
    return InputFormat.SUPPORTED;
  }
}

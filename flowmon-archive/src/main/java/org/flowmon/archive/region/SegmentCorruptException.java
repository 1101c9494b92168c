package org.flowmon.archive.region;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file of the archive differs from the sealed one. The message names the file, the place in it,
 * the finding and the expectation. No answer was made from the damaged bytes.
 */
public final class SegmentCorruptException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final String place;
  private final String what;

  /** For a local file; a place is {@code column src_addr} or {@code footer}, for example. */
  public SegmentCorruptException(Path file, String place, String what) {
    this(file, place, what, null);
  }

  public SegmentCorruptException(Path file, String place, String what, @Nullable Throwable cause) {
    this(file.toString(), place, what, cause);
  }

  /** For a file, named by path or URL, that need not be local. */
  public SegmentCorruptException(
      String file, String place, String what, @Nullable Throwable cause) {
    super(file + ": " + place + ": " + what, cause);
    this.file = file;
    this.place = place;
    this.what = what;
  }

  /** The damaged file: its path or URL. */
  public String file() {
    return file;
  }

  public String place() {
    return place;
  }

  /** The finding and the expectation. */
  public String what() {
    return what;
  }
}

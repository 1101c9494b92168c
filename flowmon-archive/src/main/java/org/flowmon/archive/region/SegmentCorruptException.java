package org.flowmon.archive.region;

import java.nio.file.Path;

/**
 * A file of the archive is not what it was when it was sealed. The message names the file, the
 * place in it, what was found and what was expected. Nothing was answered from the bytes in
 * question.
 */
public final class SegmentCorruptException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final String place;
  private final String what;

  /**
   * @param file the damaged file
   * @param place where in the file, for example {@code column src_addr} or {@code footer}
   * @param what what was found there and what was expected
   */
  public SegmentCorruptException(Path file, String place, String what) {
    this(file, place, what, null);
  }

  public SegmentCorruptException(Path file, String place, String what, Throwable cause) {
    this(file.toString(), place, what, cause);
  }

  /**
   * As above, of a file that need not be local.
   *
   * @param file its path or URL
   */
  public SegmentCorruptException(String file, String place, String what, Throwable cause) {
    super(file + ": " + place + ": " + what, cause);
    this.file = file;
    this.place = place;
    this.what = what;
  }

  /** The damaged file: its path or URL. */
  public String file() {
    return file;
  }

  /** If in the file. */
  public String place() {
    return place;
  }

  /** What was found there and what was expected. */
  public String what() {
    return what;
  }
}

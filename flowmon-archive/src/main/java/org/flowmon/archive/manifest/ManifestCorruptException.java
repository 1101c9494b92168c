package org.flowmon.archive.manifest;

/** A missing or damaged manifest file: the message names file, place, finding and expectation. */
public final class ManifestCorruptException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final String place;
  private final String what;

  public ManifestCorruptException(String file, String place, String what) {
    super(file + ": " + place + ": " + what);
    this.file = file;
    this.place = place;
    this.what = what;
  }

  /** The file, relative to the archive. */
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

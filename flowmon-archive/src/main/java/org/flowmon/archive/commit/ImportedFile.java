package org.flowmon.archive.commit;

import java.util.regex.Pattern;

/**
 * An imported file, identified by its content.
 *
 * @param sha256 SHA-256 of the file's bytes, 64 lower-case hexadecimal digits
 * @param name the file's name when it was imported, for people
 * @param bytes the file's length
 */
public record ImportedFile(String sha256, String name, long bytes) {
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final int MAX_NAME = 4096;

  public ImportedFile {
    if (!HASH.matcher(sha256).matches()) {
      throw new IllegalArgumentException(
          "not a SHA-256: '" + sha256 + "', expected 64 lower-case hexadecimal digits");
    }
    if (name.length() > MAX_NAME || bytes < 0) {
      throw new IllegalArgumentException(
          "a file of " + bytes + " bytes with a name of " + name.length() + " characters");
    }
  }
}

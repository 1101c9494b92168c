package org.flowmon.archive.commit;

import java.util.regex.Pattern;

/** An imported file: SHA-256, 64 lower-case hexadecimal digits, and name at import, for people. */
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

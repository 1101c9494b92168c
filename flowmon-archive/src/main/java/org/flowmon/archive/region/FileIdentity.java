package org.flowmon.archive.region;

/**
 * The identity of a sealed file, recorded outside it: length and CRC32C of the whole file, and of
 * the footer, the last 1 … length bytes, which a reader parses first.
 */
public record FileIdentity(long length, int crc32c, int footerLength, int footerCrc32c) {
  public FileIdentity {
    if (length < 1 || length > Integer.MAX_VALUE || footerLength < 1 || footerLength > length) {
      throw new IllegalArgumentException(
          "a file of " + length + " bytes cannot have a footer of " + footerLength);
    }
  }
}

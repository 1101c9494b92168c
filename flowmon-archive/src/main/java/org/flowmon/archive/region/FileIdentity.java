package org.flowmon.archive.region;

/**
 * The identity of a sealed file of the archive, recorded outside it.
 *
 * @param length bytes of the whole file
 * @param crc32c CRC32C of the whole file
 * @param footerLength bytes at the end of the file that a reader parses first, 1 … length
 * @param footerCrc32c CRC32C of these last bytes
 */
public record FileIdentity(long length, int crc32c, int footerLength, int footerCrc32c) {
  public FileIdentity {
    if (length < 1 || length > Integer.MAX_VALUE || footerLength < 1 || footerLength > length) {
      throw new IllegalArgumentException(
          "a file of " + length + " bytes with a footer of " + footerLength + " cannot be");
    }
  }
}

package org.flowmon.ingest.file.format;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** {@code PAR1}, {@code PARE} (encrypted footer) at both ends; text and cut files may begin so. */
final class ParquetMagic {
  private static final int BYTES = 4;
  // Both ends and the footer's length.
  private static final int LEAST_FILE = 12;

  private ParquetMagic() {}

  static boolean begins(byte[] head) {
    return head.length >= BYTES && isMagic(text(head));
  }

  /** Whether a file begins and ends like Parquet, without decompression. */
  static boolean isAtBothEnds(Path file) throws IOException {
    if (!Files.isRegularFile(file) || Files.size(file) < LEAST_FILE) {
      return false;
    }
    byte[] first = read(file, true);
    return begins(first) && text(first).equals(text(read(file, false)));
  }

  /** The file begins but does not end like Parquet. */
  static String seen(Path file) throws IOException {
    String begin = text(read(file, true));
    long bytes = Files.size(file);
    return String.format(
        "it begins with %s as Parquet files do, and its %,d bytes do not end so but with the bytes"
            + " %s: a Parquet file that was cut off, or none",
        begin, bytes, HexFormat.ofDelimiter(" ").formatHex(read(file, false)));
  }

  private static boolean isMagic(String text) {
    return text.equals("PAR1") || text.equals("PARE");
  }

  private static String text(byte[] bytes) {
    return new String(bytes, 0, BYTES, StandardCharsets.ISO_8859_1);
  }

  private static byte[] read(Path file, boolean first) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      byte[] bytes = new byte[BYTES];
      in.seek(first ? 0 : in.length() - BYTES);
      in.readFully(bytes);
      return bytes;
    }
  }
}

package org.flowmon.flow.bytes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * CRC-32C (Castagnoli; RFC 3720 section 12.1), the checksum of all formats of flowmon. An instance
 * takes bytes piece by piece.
 */
public final class Crc32c {
  private static final int BLOCK_BYTES = 1 << 20;

  private final CRC32C crc = new CRC32C();

  public static int of(byte[] bytes, int from, int length) {
    return new Crc32c().update(bytes, from, length).value();
  }

  public static int of(ByteSink bytes) {
    return of(bytes.array(), 0, bytes.size());
  }

  /** Of all bytes but the four at {@code crcAt}, the checksum's own place. */
  public static int around(byte[] bytes, int crcAt) {
    int behind = crcAt + Integer.BYTES;
    return new Crc32c()
        .update(bytes, 0, crcAt)
        .update(bytes, behind, bytes.length - behind)
        .value();
  }

  public static int of(Path file) throws IOException {
    Crc32c crc = new Crc32c();
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (channel.read(block) >= 0) {
        crc.update(block.flip());
        block.clear();
      }
    }
    return crc.value();
  }

  public Crc32c update(byte[] bytes, int from, int length) {
    crc.update(bytes, from, length);
    return this;
  }

  /** All that remains in the buffer, which has none left then. */
  public Crc32c update(ByteBuffer bytes) {
    crc.update(bytes);
    return this;
  }

  /** Of all bytes so far. */
  public int value() {
    return (int) crc.getValue();
  }

  /** Eight hexadecimal digits. */
  public static String hex(int crc) {
    return String.format(Locale.ROOT, "%08x", crc);
  }
}

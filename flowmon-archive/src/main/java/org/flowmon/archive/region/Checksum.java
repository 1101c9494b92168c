package org.flowmon.archive.region;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.flowmon.flow.bytes.ByteSink;

/** CRC32C, the checksum of all files of an archive and of their parts. */
public final class Checksum {
  private static final int BLOCK_BYTES = 1 << 20;

  private Checksum() {}

  public static int of(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }

  public static int of(ByteSink bytes) {
    return of(bytes.array(), 0, bytes.size());
  }

  public static int of(Path file) throws IOException {
    CRC32C crc = new CRC32C();
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (channel.read(block) >= 0) {
        crc.update(block.flip());
        block.clear();
      }
    }
    return (int) crc.getValue();
  }

  /** Eight hexadecimal digits. */
  public static String hex(int crc) {
    return String.format(Locale.ROOT, "%08x", crc);
  }
}

package org.flowmon.deploy.parquet;

import com.github.luben.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.apache.parquet.format.CompressionCodec;
import org.xerial.snappy.Snappy;

/**
 * Decompresses pages. A damaged page's claim of a size is not trusted before the bytes are there.
 */
final class PageCodec {
  // The highest ratio of LZ4 and Snappy blocks.
  private static final long MAX_RATIO = 256;

  // A match of 258 bytes takes two bits (RFC 1951).
  private static final long DEFLATE_RATIO = 1032;

  private PageCodec() {}

  /** Whether pages of this codec can be read. */
  static boolean isKnown(CompressionCodec codec) {
    return switch (codec) {
      case UNCOMPRESSED, SNAPPY, GZIP, ZSTD, LZ4_RAW -> true;
      default -> false;
    };
  }

  /** The most uncompressed bytes of so many compressed ones, by the codec's format. */
  static long mostPlain(CompressionCodec codec, int packed) {
    return switch (codec) {
      case UNCOMPRESSED -> packed;
      case SNAPPY, LZ4_RAW -> MAX_RATIO * packed;
      case GZIP -> DEFLATE_RATIO * packed;
      // Four bytes can be a block of equal bytes, of 128 KiB at most (RFC 8878, 3.1.1.2).
      case ZSTD -> Math.max(packed, (packed / 4L) << 17);
      default -> 0;
    };
  }

  /**
   * Returns the uncompressed bytes of a page.
   *
   * @param size their exact number
   * @throws IOException if their number differs, or the compression is invalid
   */
  static byte[] decompress(CompressionCodec codec, byte[] packed, int size) throws IOException {
    byte[] plain =
        switch (codec) {
          case UNCOMPRESSED -> packed;
          case SNAPPY -> snappy(packed, size);
          case LZ4_RAW -> lz4(packed, size);
          case GZIP -> read(new GZIPInputStream(new ByteArrayInputStream(packed)), size);
          case ZSTD -> read(new ZstdInputStream(new ByteArrayInputStream(packed)), size);
          default -> throw new IOException("pages compressed by " + codec + " are not read");
        };
    if (plain.length != size) {
      throw new IOException("a page holds " + plain.length + " bytes and says it has " + size);
    }
    return plain;
  }

  private static byte[] snappy(byte[] packed, int size) throws IOException {
    if (Snappy.uncompressedLength(packed) != size || size > MAX_RATIO * packed.length) {
      throw new IOException("a Snappy page of " + packed.length + " bytes says it has " + size);
    }
    return Snappy.uncompress(packed);
  }

  private static byte[] lz4(byte[] packed, int size) throws IOException {
    if (size > MAX_RATIO * packed.length) {
      throw new IOException("an LZ4 page of " + packed.length + " bytes says it has " + size);
    }
    try {
      return LZ4Factory.fastestInstance().safeDecompressor().decompress(packed, size);
    } catch (LZ4Exception e) {
      throw new IOException("a page is no LZ4: " + e.getMessage(), e);
    }
  }

  private static byte[] read(InputStream from, int size) throws IOException {
    try (InputStream in = from) {
      return in.readNBytes(size + 1);
    }
  }
}

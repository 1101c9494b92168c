package org.flowmon.deploy.parquet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.format.CompressionCodec;
import org.flowmon.archive.segment.SegmentCodec;
import org.flowmon.archive.segment.format.PageCodec;
import org.xerial.snappy.Snappy;

/** Decompresses pages of any writer: those codecs that segments have not are here. */
final class ForeignCodec {
  // The highest ratio of LZ4 and Snappy blocks.
  private static final long MAX_RATIO = 256;

  // A match of 258 bytes takes two bits (RFC 1951).
  private static final long DEFLATE_RATIO = 1032;

  private ForeignCodec() {}

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
   * Decompresses a page to exactly {@code size} bytes, at most {@link #mostPlain}.
   *
   * @throws IOException if their number differs, or the compression is invalid
   */
  static byte[] decompress(CompressionCodec codec, byte[] packed, int size) throws IOException {
    byte[] plain =
        switch (codec) {
          case UNCOMPRESSED -> packed;
          case SNAPPY -> snappy(packed, size);
          case GZIP -> gzip(packed, size);
          case ZSTD -> ofSegments(SegmentCodec.ZSTD, packed, size);
          case LZ4_RAW -> ofSegments(SegmentCodec.LZ4, packed, size);
          default -> throw new IOException("pages compressed by " + codec + " are not read");
        };
    if (plain.length != size) {
      throw new IOException("a page holds " + plain.length + " bytes and says it has " + size);
    }
    return plain;
  }

  private static byte[] ofSegments(SegmentCodec codec, byte[] packed, int size) throws IOException {
    byte[] plain = new byte[size];
    String problem = PageCodec.decompress(codec, ByteBuffer.wrap(packed), plain, size);
    if (problem != null) {
      throw new IOException("a page of " + codec.parquet() + ": " + problem);
    }
    return plain;
  }

  private static byte[] snappy(byte[] packed, int size) throws IOException {
    if (Snappy.uncompressedLength(packed) != size) {
      throw new IOException("a Snappy page of " + packed.length + " bytes says it has " + size);
    }
    return Snappy.uncompress(packed);
  }

  private static byte[] gzip(byte[] packed, int size) throws IOException {
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      return in.readNBytes(size + 1);
    }
  }
}

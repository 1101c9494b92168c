package org.flowmon.archive.segment.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import java.util.Objects;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.flowmon.archive.segment.SegmentCodec;
import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/** Compresses and decompresses the bytes of pages. */
public final class PageCodec {
  private static final LZ4Factory LZ4 = LZ4Factory.fastestInstance();

  private PageCodec() {}

  /** Compresses with one context, reused. Not thread-safe. */
  public static final class Compressor implements AutoCloseable {
    private final SegmentCodec codec;
    private final @Nullable ZstdCompressCtx zstd; // of ZSTD
    private final @Nullable LZ4Compressor lz4; // of LZ4

    public Compressor(SegmentCodec codec, int level) {
      this.codec = codec;
      this.zstd = codec == SegmentCodec.ZSTD ? new ZstdCompressCtx() : null;
      if (zstd != null) {
        zstd.setLevel(level).setContentSize(true).setChecksum(false);
      }
      this.lz4 =
          codec != SegmentCodec.LZ4
              ? null
              : level == 0 ? LZ4.fastCompressor() : LZ4.highCompressor(level);
    }

    public SegmentCodec codec() {
      return codec;
    }

    public void compress(byte[] bytes, int length, ByteSink out) {
      switch (codec) {
        case NONE -> out.write(bytes, 0, length);
        case ZSTD -> {
          int room = (int) Zstd.compressBound(length);
          out.reserve(room);
          out.advance(
              Objects.requireNonNull(zstd)
                  .compressByteArray(out.array(), out.size(), room, bytes, 0, length));
        }
        case LZ4 -> {
          int room = LZ4.fastCompressor().maxCompressedLength(length);
          out.reserve(room);
          out.advance(
              Objects.requireNonNull(lz4)
                  .compress(bytes, 0, length, out.array(), out.size(), room));
        }
      }
    }

    @Override
    public void close() {
      if (zstd != null) {
        zstd.close();
      }
    }
  }

  /**
   * Decompresses a mapped file's bytes from position to limit into exactly {@code length} bytes of
   * {@code target}; returns the problem, null if the length is as expected.
   */
  public static @Nullable String decompress(
      SegmentCodec codec, ByteBuffer source, byte[] target, int length) {
    try {
      switch (codec) {
        case NONE -> {
          if (source.remaining() != length) {
            return "expected " + length + " bytes, found " + source.remaining();
          }
          source.get(target, 0, length);
          return null;
        }
        case ZSTD -> {
          byte[] compressed = copy(source);
          try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
            int found =
                context.decompressByteArray(target, 0, length, compressed, 0, compressed.length);
            return found == length ? null : "expected " + length + " bytes, found " + found;
          }
        }
        case LZ4 -> {
          byte[] compressed = copy(source);
          int found =
              LZ4.safeDecompressor()
                  .decompress(compressed, 0, compressed.length, target, 0, length);
          return found == length ? null : "expected " + length + " bytes, found " + found;
        }
      }
    } catch (ZstdException | LZ4Exception e) {
      return "cannot be decompressed: " + e.getMessage();
    }
    throw new IllegalArgumentException(codec.name());
  }

  /** Copies the bytes: native code may not read in place from a mapped file, which may be cut. */
  private static byte[] copy(ByteBuffer source) {
    byte[] bytes = new byte[source.remaining()];
    source.get(bytes);
    return bytes;
  }
}

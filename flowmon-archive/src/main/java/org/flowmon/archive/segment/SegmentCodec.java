package org.flowmon.archive.segment;

import java.util.Locale;
import org.apache.parquet.format.CompressionCodec;
import org.jspecify.annotations.Nullable;

/** The compression of pages in a {@link SegmentProfile#COMPACT} segment. */
public enum SegmentCodec {
  NONE(CompressionCodec.UNCOMPRESSED, 0, 0, 0),
  /** LZ4_RAW of Parquet; level 0 is the fast one, 1 … 17 search longer. */
  LZ4(CompressionCodec.LZ4_RAW, 0, 17, 0),
  ZSTD(CompressionCodec.ZSTD, 1, 19, 1);

  private final CompressionCodec parquet;
  private final int minLevel;
  private final int maxLevel;
  private final int defaultLevel;

  SegmentCodec(CompressionCodec parquet, int minLevel, int maxLevel, int defaultLevel) {
    this.parquet = parquet;
    this.minLevel = minLevel;
    this.maxLevel = maxLevel;
    this.defaultLevel = defaultLevel;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public int minLevel() {
    return minLevel;
  }

  public int maxLevel() {
    return maxLevel;
  }

  /** The default level: the fastest. */
  public int defaultLevel() {
    return defaultLevel;
  }

  public CompressionCodec parquet() {
    return parquet;
  }

  /** The codec of a Parquet file, null for one that segments do not use. */
  public static @Nullable SegmentCodec of(CompressionCodec parquet) {
    for (SegmentCodec codec : values()) {
      if (codec.parquet == parquet) {
        return codec;
      }
    }
    return null;
  }
}

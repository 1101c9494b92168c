package org.flowmon.archive.manifest;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Function;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.OffsetRanges;
import org.flowmon.archive.commit.Removal;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.commit.SourceState;
import org.flowmon.archive.segment.SealedSegment;

/** The bytes of each kind of section ({@code docs/format/manifest.md}). */
final class ManifestSections {
  private static final int RETIRED = 1;
  private static final int ENDED = 2;

  private ManifestSections() {}

  private static int flags(int flags, int known) {
    if ((flags & ~known) != 0) {
      throw new IllegalArgumentException(String.format("flags %#x, this knows %#x", flags, known));
    }
    return flags;
  }

  static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(ByteBuffer in) {
    byte[] bytes = new byte[in.remaining()];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  static byte[] range(SourceRange range) {
    byte[] key = text(range.sourceKey());
    return allocate(36 + key.length)
        .putLong(range.firstOffset())
        .putLong(range.endOffset())
        .putLong(range.firstArrival())
        .putLong(range.maxArrival())
        .putInt(range.ended() ? ENDED : 0)
        .put(key)
        .array();
  }

  static SourceRange range(ByteBuffer in) {
    long first = in.getLong();
    long end = in.getLong();
    long firstArrival = in.getLong();
    long maxArrival = in.getLong();
    int flags = flags(in.getInt(), ENDED);
    return new SourceRange(text(in), first, end, firstArrival, maxArrival, flags == ENDED);
  }

  static byte[] file(ImportedFile file) {
    byte[] name = text(file.name());
    return allocate(40 + name.length)
        .put(HexFormat.of().parseHex(file.sha256()))
        .putLong(file.bytes())
        .put(name)
        .array();
  }

  static ImportedFile file(ByteBuffer in) {
    byte[] hash = new byte[32];
    in.get(hash);
    long bytes = in.getLong();
    return new ImportedFile(HexFormat.of().formatHex(hash), text(in), bytes);
  }

  static SealedSegment segment(ByteBuffer in) {
    byte[] bytes = new byte[in.remaining()];
    in.get(bytes);
    return SealedSegment.fromBytes(bytes);
  }

  static byte[] removed(String id, Removal removal) {
    byte[] name = text(id);
    return allocate(16 + name.length)
        .putLong(removal.commit())
        .putLong(removal.timeMicros())
        .put(name)
        .array();
  }

  static Map.Entry<String, Removal> removed(ByteBuffer in) {
    Removal removal = new Removal(in.getLong(), in.getLong());
    return Map.entry(text(in), removal);
  }

  static byte[] times(long first, long last) {
    return allocate(16).putLong(first).putLong(last).array();
  }

  static Map.Entry<Long, Long> times(ByteBuffer in) {
    long first = in.getLong();
    long last = in.getLong();
    if (last < first || in.hasRemaining()) {
      throw new IllegalArgumentException(
          "arrivals " + first + " … " + last + " and " + in.remaining() + " more bytes");
    }
    return Map.entry(first, last);
  }

  static byte[] source(String key, SourceState state) {
    byte[] name = text(key);
    OffsetRanges ranges = state.committed();
    byte[] bytes = new byte[8 + 32 * ranges.count() + name.length];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt((state.retired() ? RETIRED : 0) | (state.ended() ? ENDED : 0));
    out.putInt(ranges.count());
    for (int i = 0; i < ranges.count(); i++) {
      out.putLong(ranges.first(i)).putLong(ranges.end(i));
      out.putLong(ranges.firstArrival(i)).putLong(ranges.maxArrival(i));
    }
    out.put(name);
    return bytes;
  }

  static Map.Entry<String, SourceState> source(ByteBuffer in) {
    int flags = flags(in.getInt(), RETIRED | ENDED);
    int count = in.getInt();
    if (count < 0 || count > in.remaining() / 32) {
      throw new IllegalArgumentException(count + " ranges in " + in.remaining() + " bytes");
    }
    long[] firstArrival = new long[count];
    long[] maxArrival = new long[count];
    long[] first = new long[count];
    long[] end = new long[count];
    for (int i = 0; i < count; i++) {
      first[i] = in.getLong();
      end[i] = in.getLong();
      firstArrival[i] = in.getLong();
      maxArrival[i] = in.getLong();
    }
    OffsetRanges ranges = OffsetRanges.of(first, end, firstArrival, maxArrival);
    return Map.entry(
        text(in), new SourceState(ranges, (flags & RETIRED) != 0, (flags & ENDED) != 0));
  }

  /** Reads a section; content that does not fit is an error of the file. */
  static <T> T read(String file, ManifestFrame.Section section, Function<ByteBuffer, T> reader) {
    try {
      return reader.apply(section.bytes());
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      throw new ManifestCorruptException(
          file, "section of tag " + section.tag(), String.valueOf(e.getMessage()));
    }
  }

  static <K, V> void readInto(
      Map<K, V> map,
      String file,
      ManifestFrame.Section section,
      Function<ByteBuffer, Map.Entry<K, V>> reader) {
    Map.Entry<K, V> entry = read(file, section, reader);
    map.put(entry.getKey(), entry.getValue());
  }

  static ManifestCorruptException unknown(String file, ManifestFrame.Section section) {
    return new ManifestCorruptException(
        file,
        "section of tag " + section.tag(),
        "unknown here: a newer version of flowmon wrote it");
  }
}

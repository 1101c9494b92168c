package org.flowmon.archive.manifest;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.retention.TimestampHistogram;
import org.flowmon.archive.segment.SealedSegment;
import org.jspecify.annotations.Nullable;

/** The bytes of the sections of retention ({@code docs/format/manifest.md}). */
final class RetentionSections {
  private RetentionSections() {}

  private static void requireEnd(ByteBuffer in) {
    if (in.hasRemaining()) {
      throw new IllegalArgumentException(in.remaining() + " bytes too many");
    }
  }

  static byte[] options(RetentionOptions options) {
    return ManifestSections.allocate(32)
        .putLong(options.rows())
        .putLong(options.slack())
        .putLong(options.ageMicros())
        .putLong(options.bytes())
        .array();
  }

  static RetentionOptions options(ByteBuffer in) {
    RetentionOptions options =
        new RetentionOptions(in.getLong(), in.getLong(), in.getLong(), in.getLong());
    requireEnd(in);
    return options;
  }

  static byte[] firstRow(String id, int row) {
    byte[] name = ManifestSections.text(id);
    return ManifestSections.allocate(4 + name.length).putInt(row).put(name).array();
  }

  static Map.Entry<String, Integer> firstRow(ByteBuffer in) {
    int row = in.getInt();
    return Map.entry(ManifestSections.text(in), row);
  }

  private static byte[] trimmed(String id, SealedSegment by) {
    byte[] name = ManifestSections.text(id);
    byte[] segment = by.toBytes();
    return ManifestSections.allocate(2 + name.length + segment.length)
        .putShort((short) name.length)
        .put(name)
        .put(segment)
        .array();
  }

  private static Map.Entry<String, SealedSegment> trimmed(ByteBuffer in) {
    int length = in.getShort() & 0xFFFF;
    if (length > in.remaining()) {
      throw new IllegalArgumentException("an id of " + length + " bytes in " + in.remaining());
    }
    String id = ManifestSections.text(in.slice(in.position(), length));
    in.position(in.position() + length);
    return Map.entry(id, ManifestSections.segment(in));
  }

  static void write(ManifestFrame.Writer out, Expiration expiration) {
    out.section(
        ManifestFrame.CUTOFF,
        ManifestSections.allocate(24)
            .putLong(expiration.cutoff())
            .putLong(expiration.rows())
            .putLong(expiration.lateRows())
            .array());
    expiration
        .firstRows()
        .forEach((id, row) -> out.section(ManifestFrame.FIRST_ROW, firstRow(id, row)));
    expiration
        .expired()
        .forEach(id -> out.section(ManifestFrame.EXPIRED, ManifestSections.text(id)));
    expiration.trimmed().forEach((id, by) -> out.section(ManifestFrame.TRIMMED, trimmed(id, by)));
    if (expiration.keys() != null) {
      out.section(ManifestFrame.KEYS, expiration.keys().toBytes());
    }
  }

  /** Collects the retention sections of a commit. */
  static final class Reader {
    private final Map<String, Integer> firstRows = new TreeMap<>();
    private final List<String> expired = new ArrayList<>();
    private final Map<String, SealedSegment> trimmed = new TreeMap<>();
    private @Nullable TimestampHistogram keys;
    private long cutoff = Long.MIN_VALUE;
    private long rows;
    private long late;

    /** Takes a section; false if it is not one of retention. */
    boolean take(String file, ManifestFrame.Section section) {
      switch (section.tag()) {
        case ManifestFrame.CUTOFF ->
            ManifestSections.read(
                file,
                section,
                in -> {
                  cutoff = in.getLong();
                  rows = in.getLong();
                  late = in.getLong();
                  requireEnd(in);
                  return cutoff;
                });
        case ManifestFrame.FIRST_ROW ->
            ManifestSections.readInto(firstRows, file, section, RetentionSections::firstRow);
        case ManifestFrame.EXPIRED ->
            expired.add(ManifestSections.read(file, section, ManifestSections::text));
        case ManifestFrame.TRIMMED ->
            ManifestSections.readInto(trimmed, file, section, RetentionSections::trimmed);
        case ManifestFrame.KEYS ->
            keys = ManifestSections.read(file, section, TimestampHistogram::fromBytes);
        default -> {
          return false;
        }
      }
      return true;
    }

    Expiration result() {
      return new Expiration(cutoff, rows, late, firstRows, expired, trimmed, keys);
    }
  }
}

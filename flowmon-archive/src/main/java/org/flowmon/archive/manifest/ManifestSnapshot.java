package org.flowmon.archive.manifest;

import java.nio.ByteBuffer;
import java.util.Map;
import org.flowmon.archive.retention.TimestampHistogram;

/** The snapshot file of a state ({@code docs/format/manifest.md}). */
final class ManifestSnapshot {
  private ManifestSnapshot() {}

  static byte[] toBytes(ManifestState state) {
    ManifestSum sum = state.sum();
    ManifestFrame.Writer out =
        new ManifestFrame.Writer(
            ManifestFrame.Kind.SNAPSHOT, sum.number, sum.archive, sum.checksum, sum.timeMicros);
    sum.segments.values().forEach(s -> out.section(ManifestFrame.SEGMENT, s.toBytes()));
    sum.files.values().forEach(f -> out.section(ManifestFrame.FILE, ManifestSections.file(f)));
    sum.sources.forEach(
        (key, of) -> out.section(ManifestFrame.SOURCE, ManifestSections.source(key, of)));
    sum.removed.forEach(
        (id, of) -> out.section(ManifestFrame.REMOVED, ManifestSections.removed(id, of)));
    sum.imported.forEach(
        (first, last) -> out.section(ManifestFrame.IMPORTED, ManifestSections.times(first, last)));
    sum.firstRows.forEach(
        (id, row) -> out.section(ManifestFrame.FIRST_ROW, RetentionSections.firstRow(id, row)));
    sum.retained.write(out, sum.minArrival, sum.maxArrival);
    return out.toBytes();
  }

  /** Reads a snapshot to add to; {@link ManifestCorruptException} if unsound or another. */
  static ManifestSum read(String file, byte[] bytes, long number) {
    ManifestFrame frame = ManifestFrame.read(file, bytes, ManifestFrame.Kind.SNAPSHOT, number);
    ManifestSum sum = new ManifestSum(frame);
    for (ManifestFrame.Section section : frame.sections()) {
      switch (section.tag()) {
        case ManifestFrame.SEGMENT ->
            sum.addSegment(ManifestSections.read(file, section, ManifestSections::segment));
        case ManifestFrame.FILE ->
            sum.addFile(ManifestSections.read(file, section, ManifestSections::file));
        case ManifestFrame.SOURCE ->
            ManifestSections.readInto(sum.sources, file, section, ManifestSections::source);
        case ManifestFrame.REMOVED ->
            ManifestSections.readInto(sum.removed, file, section, ManifestSections::removed);
        case ManifestFrame.IMPORTED -> {
          Map.Entry<Long, Long> times =
              ManifestSections.read(file, section, ManifestSections::times);
          sum.addImported(times.getKey(), times.getValue());
        }
        default -> readRetention(sum, file, section);
      }
    }
    sum.requireFirstRows(file);
    return sum;
  }

  private static void readRetention(ManifestSum sum, String file, ManifestFrame.Section section) {
    switch (section.tag()) {
      case ManifestFrame.FIRST_ROW ->
          ManifestSections.readInto(sum.firstRows, file, section, RetentionSections::firstRow);
      case ManifestFrame.RETENTION ->
          sum.retained =
              sum.retained.withOptions(
                  ManifestSections.read(file, section, RetentionSections::options));
      case ManifestFrame.CUTOFF -> ManifestSections.read(file, section, in -> readCutoff(sum, in));
      case ManifestFrame.KEYS ->
          sum.retained =
              sum.retained.withKeys(
                  ManifestSections.read(file, section, TimestampHistogram::fromBytes));
      default -> throw ManifestSections.unknown(file, section);
    }
  }

  private static Retained readCutoff(ManifestSum sum, ByteBuffer in) {
    sum.retained = sum.retained.withCutoff(in.getLong(), in.getLong(), in.getLong());
    // Includes segments that are gone.
    sum.minArrival = in.getLong();
    sum.maxArrival = in.getLong();
    return sum.retained;
  }
}

package org.flowmon.archive.manifest;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.commit.RowSums;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.segment.SealedSegment;

/** The content of a commit's file. */
record CommitRecord(ManifestFrame frame, ArchiveCommit commit, Expiration expiration) {

  static byte[] toBytes(
      long number,
      UUID archive,
      int previousChecksum,
      long timeMicros,
      ArchiveCommit commit,
      Expiration expiration) {
    ManifestFrame.Writer out =
        new ManifestFrame.Writer(
            ManifestFrame.Kind.COMMIT, number, archive, previousChecksum, timeMicros);
    for (SealedSegment segment : commit.segments()) {
      out.section(ManifestFrame.SEGMENT, segment.toBytes());
    }
    for (SourceRange range : commit.ranges()) {
      out.section(ManifestFrame.RANGE, ManifestSections.range(range));
    }
    if (commit.file() != null) {
      out.section(ManifestFrame.FILE, ManifestSections.file(commit.file()));
    }
    for (String source : commit.retiredSources()) {
      out.section(ManifestFrame.RETIRED, ManifestSections.text(source));
    }
    for (String id : commit.replaced()) {
      out.section(ManifestFrame.REPLACED, ManifestSections.text(id));
    }
    for (String id : commit.deleted()) {
      out.section(ManifestFrame.DELETED, ManifestSections.text(id));
    }
    if (commit.retention() != null && commit.retention().options() != null) {
      out.section(ManifestFrame.RETENTION, RetentionSections.options(commit.retention().options()));
    }
    if (!expiration.isEmpty()) {
      RetentionSections.write(out, expiration);
    }
    return out.section(ManifestFrame.NOTE, ManifestSections.text(commit.note())).toBytes();
  }

  /** Reads a named file; {@link ManifestCorruptException} unless sound and of this number. */
  static CommitRecord fromBytes(String file, byte[] bytes, long number) {
    ManifestFrame frame = ManifestFrame.read(file, bytes, ManifestFrame.Kind.COMMIT, number);
    List<SealedSegment> segments = new ArrayList<>();
    List<SourceRange> ranges = new ArrayList<>();
    List<String> retired = new ArrayList<>();
    List<String> replaced = new ArrayList<>();
    List<String> deleted = new ArrayList<>();
    RetentionSections.Reader expiration = new RetentionSections.Reader();
    RetentionChange retention = null;
    ImportedFile imported = null;
    String note = "";
    for (ManifestFrame.Section section : frame.sections()) {
      switch (section.tag()) {
        case ManifestFrame.SEGMENT ->
            segments.add(ManifestSections.read(file, section, ManifestSections::segment));
        case ManifestFrame.RANGE ->
            ranges.add(ManifestSections.read(file, section, ManifestSections::range));
        case ManifestFrame.FILE ->
            imported = ManifestSections.read(file, section, ManifestSections::file);
        case ManifestFrame.RETIRED ->
            retired.add(ManifestSections.read(file, section, ManifestSections::text));
        case ManifestFrame.REPLACED ->
            replaced.add(ManifestSections.read(file, section, ManifestSections::text));
        case ManifestFrame.DELETED ->
            deleted.add(ManifestSections.read(file, section, ManifestSections::text));
        case ManifestFrame.NOTE ->
            note = ManifestSections.read(file, section, ManifestSections::text);
        case ManifestFrame.RETENTION ->
            retention =
                RetentionChange.to(
                    ManifestSections.read(file, section, RetentionSections::options));
        default -> {
          if (!expiration.take(file, section)) {
            throw ManifestSections.unknown(file, section);
          }
        }
      }
    }
    try {
      // Whether it was forced is not stored: the file is part of the archive now.
      return new CommitRecord(
          frame,
          new ArchiveCommit(
              segments,
              ranges,
              imported,
              true,
              retired,
              replaced,
              deleted,
              RowSums.NONE,
              retention,
              note),
          expiration.result());
    } catch (IllegalArgumentException e) {
      throw new ManifestCorruptException(file, "sections", String.valueOf(e.getMessage()));
    }
  }
}

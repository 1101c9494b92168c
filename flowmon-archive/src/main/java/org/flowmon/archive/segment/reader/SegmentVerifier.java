package org.flowmon.archive.segment.reader;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.format.ParsedFooter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.Crc32c;

/**
 * Checks every byte of a segment's two files against the sealed ones, and names the damaged
 * columns. Beyond checksums it opens every column and compares the texts of addresses, which other
 * readers see, with the binary side tables that flowmon reads.
 */
public final class SegmentVerifier {
  private final Path directory;
  private final SealedSegment expected;
  private final List<Damage> damage = new ArrayList<>();

  private SegmentVerifier(Path directory, SealedSegment expected) {
    this.directory = directory;
    this.expected = expected;
  }

  /** A damaged or missing file; the column, blob or part; the finding and the expectation. */
  public record Damage(Path file, String place, String what) {}

  /** Reads both files in their folder completely; empty if both are as sealed. */
  public static List<Damage> verify(Path directory, SealedSegment expected) {
    SegmentVerifier verifier = new SegmentVerifier(directory, expected);
    Path segment = directory.resolve(expected.fileName());
    verifier.checkFile(segment, expected.segmentFile(), verifier::checkColumns);
    Path index = directory.resolve(expected.indexFileName());
    verifier.checkFile(index, expected.indexFile(), verifier::checkBlobs);
    return verifier.damage;
  }

  @FunctionalInterface
  private interface PartCheck {
    void run() throws IOException;
  }

  /** Parts come first, since they name the place; the whole file covers the bytes between. */
  private void checkFile(Path file, FileIdentity identity, PartCheck parts) {
    int before = damage.size();
    try {
      check(file, parts);
      if (damage.size() == before) {
        checkWhole(file, identity);
      }
    } catch (NoSuchFileException e) {
      damage.add(new Damage(file, "file", "is missing"));
    } catch (IOException e) {
      damage.add(new Damage(file, "file", "cannot be read: " + e));
    }
  }

  private void check(Path file, PartCheck part) throws IOException {
    try {
      part.run();
    } catch (SegmentCorruptException e) {
      damage.add(new Damage(file, e.place(), e.what()));
    } catch (InternalError e) {
      RuntimeException cut = MappedRegion.explain(e);
      damage.add(new Damage(file, "length", String.valueOf(cut.getMessage())));
    }
  }

  private void checkColumns() throws IOException {
    Path path = directory.resolve(expected.fileName());
    MappedRegion file = MappedRegion.open(path, expected.segmentFile());
    try {
      ParsedFooter content =
          ParsedFooter.open(
              file, expected.segmentFile().footerLength(), expected.id(), expected.rows());
      for (ParsedFooter.Entry entry : content.entries().values()) {
        check(path, () -> checkColumn(file, entry));
      }
      ParsedFooter.Part index = content.pageIndex();
      check(path, () -> file.verify("page index", index.offset(), index.length(), index.crc32c()));
    } finally {
      file.release();
    }
  }

  private void checkColumn(MappedRegion file, ParsedFooter.Entry entry) {
    ColumnData data = ColumnData.open(file, entry, expected.rows(), true, DecodedPages.SHARED);
    try {
      data.checkAll();
      if (entry.column().type() == ColumnType.ADDRESS) {
        data.checkAddressTexts();
      }
    } finally {
      data.close();
    }
  }

  private void checkBlobs() throws IOException {
    Path path = directory.resolve(expected.indexFileName());
    try (SegmentIndex index = expected.openIndex(directory, true)) {
      for (FlowColumn column : FlowColumn.all()) {
        if (index.isIndexed(column)) {
          check(path, () -> index.dictionarySize(column)); // the first use checks the blob
          check(path, () -> index.totals(column));
          check(path, () -> index.hours(column));
        }
      }
    }
  }

  private void checkWhole(Path path, FileIdentity identity) throws IOException {
    int crc32c = Crc32c.of(path);
    if (crc32c != identity.crc32c()) {
      damage.add(
          new Damage(
              path,
              "file",
              "CRC32C "
                  + Crc32c.hex(crc32c)
                  + ", sealed was "
                  + Crc32c.hex(identity.crc32c())
                  + ": outside of columns, indexes and footer"));
    }
  }
}

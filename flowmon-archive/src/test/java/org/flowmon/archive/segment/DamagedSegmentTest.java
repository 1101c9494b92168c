package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.flowmon.archive.index.RowCursor;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SegmentVerifier;
import org.flowmon.archive.segment.reader.SegmentVerifier.Damage;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every byte of a small segment and of its sidecar is flipped, and both are cut at every length.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(
    strings = {
      "lookup",
      "compact",
      "compact codec=lz4 page=4096 split=true",
      "compact codec=none page=4096 split=true"
    })
class DamagedSegmentTest {
  @Parameter String options;

  private static final int ROWS = 40;

  @TempDir Path directory;
  private SealedSegment sealed;
  private Path segment;
  private Path index;

  @BeforeEach
  void seal() throws IOException {
    sealed =
        new SegmentWriter(SegmentOptions.parse(options))
            .seal(directory, List.of(flows()), Provenance.NONE);
    segment = directory.resolve(sealed.fileName());
    index = directory.resolve(sealed.indexFileName());
  }

  /** Few columns, so that every byte can be tried, but every way to store a column. */
  private static FlowBatch flows() {
    Random random = new Random(18);
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    for (int i = 0; i < ROWS; i++) {
      builder.beginRow();
      builder.set(
          FlowColumn.ARRIVAL, 1_790_000_000_000_000L + random.nextInt(1 << 30)); // PLAIN, 8 bytes
      builder.set(FlowColumn.FLOW_SEQUENCE, random.nextInt(1 << 30)); // PLAIN, 4 bytes
      builder.set(FlowColumn.OUTGOING, random.nextInt(2)); // bits
      builder.set(FlowColumn.SOURCE_KIND, 1); // one value, ids of 0 bits
      builder.set(FlowColumn.PROTOCOL, random.nextBoolean() ? 6 : 17);
      builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A00_0000 + random.nextInt(9));
      if (i % 3 > 0) {
        builder.setAddress(FlowColumn.DST_ADDR, (long) random.nextInt(2) << 61, random.nextInt(30));
        builder.setText(FlowColumn.SERVICE, i % 5 == 0 ? "" : "dns" + i % 4);
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, ROWS, 0));
  }

  /** Writes one byte in place: rewriting a whole file would flush it each time. */
  private static void put(RandomAccessFile file, int at, int value) throws IOException {
    file.seek(at);
    file.write(value);
  }

  @Test
  void everyFlippedByteIsFoundAndNamed() throws IOException {
    for (Path file : List.of(segment, index)) {
      byte[] bytes = Files.readAllBytes(file);
      try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
        for (int at = 0; at < bytes.length; at++) {
          put(damaged, at, bytes[at] ^ 1 << at % 8);
          List<Damage> damage = SegmentVerifier.verify(directory, sealed);
          assertFalse(damage.isEmpty(), file + " at " + at);
          assertEquals(file, damage.get(0).file());
          assertFalse(damage.get(0).place().isEmpty());
          put(damaged, at, bytes[at]);
        }
      }
      assertEquals(List.of(), SegmentVerifier.verify(directory, sealed));
    }
  }

  @Test
  void everyTruncationIsFound() throws IOException {
    for (Path file : List.of(segment, index)) {
      byte[] bytes = Files.readAllBytes(file);
      try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
        for (int length = bytes.length - 1; length >= 0; length--) {
          damaged.setLength(length);
          String what = file + " cut to " + length;
          assertFalse(SegmentVerifier.verify(directory, sealed).isEmpty(), what);
          assertThrows(SegmentCorruptException.class, () -> openAndReadAll(sealed, true), what);
        }
      }
      Files.write(file, bytes);
    }
  }

  @Test
  void noFlippedByteOfASegmentChangesAnAnswer() throws IOException {
    byte[] bytes = Files.readAllBytes(segment);
    long expected = openAndReadAll(sealed, true);
    int found = 0;
    try (RandomAccessFile damaged = new RandomAccessFile(segment.toFile(), "rw")) {
      for (int at = 0; at < bytes.length; at++) {
        put(damaged, at, bytes[at] ^ 0x10);
        try {
          assertEquals(
              expected, openAndReadAll(sealed, true), "byte " + at + " changed the answer");
        } catch (SegmentCorruptException e) {
          assertEquals(segment.toString(), e.file());
          found++;
        }
        put(damaged, at, bytes[at]);
      }
    }
    assertTrue(found > bytes.length / 2, found + " of " + bytes.length + " found on reading");
  }

  @Test
  void noFlippedByteOfASidecarChangesAnAnswer() throws IOException {
    byte[] bytes = Files.readAllBytes(index);
    long expected = lookUpAll(sealed, true);
    try (RandomAccessFile damaged = new RandomAccessFile(index.toFile(), "rw")) {
      for (int at = 0; at < bytes.length; at++) {
        put(damaged, at, bytes[at] ^ 0x10);
        try {
          assertEquals(expected, lookUpAll(sealed, true), "byte " + at + " changed the answer");
        } catch (SegmentCorruptException e) {
          assertEquals(index.toString(), e.file());
        }
        put(damaged, at, bytes[at]);
      }
    }
  }

  @Test
  void unverifiedDamageIsWrongOrRefusedButNeverACrash() throws IOException {
    for (Path file : List.of(segment, index)) {
      byte[] bytes = Files.readAllBytes(file);
      int refused = 0;
      try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
        for (int at = 0; at < bytes.length; at++) {
          byte mask = (byte) (at % 3 == 0 ? 0xFF : 1 << at % 8);
          bytes[at] ^= mask;
          put(damaged, at, bytes[at]);
          SealedSegment forged = forged(file.equals(segment), bytes);
          try {
            openAndReadAll(forged, false);
            lookUpAll(forged, false);
          } catch (SegmentCorruptException e) {
            refused++;
          }
          bytes[at] ^= mask;
          put(damaged, at, bytes[at]);
        }
      }
      assertTrue(refused > 0);
    }
  }

  /** A segment sealed with the damage, so that the footer's identity is accepted, too. */
  private SealedSegment forged(boolean isSegment, byte[] bytes) {
    FileIdentity before = isSegment ? sealed.segmentFile() : sealed.indexFile();
    CRC32C footer = new CRC32C();
    footer.update(bytes, bytes.length - before.footerLength(), before.footerLength());
    FileIdentity file =
        new FileIdentity(
            before.length(), before.crc32c(), before.footerLength(), (int) footer.getValue());
    return new SealedSegment(
        sealed.id(),
        sealed.rows(),
        sealed.timeKey(),
        sealed.startTime(),
        sealed.endTime(),
        sealed.arrival(),
        sealed.totalBytes(),
        sealed.totalPackets(),
        isSegment ? file : sealed.segmentFile(),
        isSegment ? sealed.indexFile() : file);
  }

  @Test
  void aSidecarOfAnotherSegmentIsRefused() throws IOException {
    SealedSegment other =
        new SegmentWriter(SegmentOptions.parse(options))
            .seal(directory, new RandomFlows(2, true).batches(ROWS), Provenance.NONE);
    Path path = directory.resolve(other.indexFileName());
    assertThrows(
        SegmentCorruptException.class,
        () ->
            SegmentIndex.open(
                path, other.indexFile(), sealed.id(), sealed.segmentFile(), ROWS, true));
  }

  @Test
  void aMissingFileIsNamed() throws IOException {
    Files.delete(index);
    assertEquals(
        List.of(new Damage(index, "file", "is missing")),
        SegmentVerifier.verify(directory, sealed));
  }

  @Test
  void everyFlippedByteOfASealedSegmentIsFound() {
    byte[] bytes = sealed.toBytes();
    for (int at = 0; at < bytes.length; at++) {
      bytes[at] ^= 0x04;
      assertThrows(
          IllegalArgumentException.class, () -> SealedSegment.fromBytes(bytes), "byte " + at);
      bytes[at] ^= 0x04;
      int length = at;
      assertThrows(
          IllegalArgumentException.class,
          () -> SealedSegment.fromBytes(Arrays.copyOf(bytes, length)));
    }
  }

  /** Reads everything of both files; returns a hash of the segment's values. */
  private long openAndReadAll(SealedSegment sealed, boolean verify) throws IOException {
    long hash = 0;
    long[] high = new long[ROWS];
    long[] low = new long[ROWS];
    long[] valid = new long[1];
    try (SegmentReader reader = SegmentReader.open(directory, sealed, verify)) {
      for (FlowColumn column : FlowColumn.all()) {
        reader.readValidity(column, 0, ROWS, valid);
        if (column.type() == ColumnType.ADDRESS) {
          reader.readAddresses(column, 0, ROWS, high, low);
        } else if (column.type() == ColumnType.TEXT) {
          for (int row = 0; row < ROWS; row++) {
            String text = reader.text(column, row);
            low[row] = text == null ? -1 : text.hashCode();
          }
        } else {
          reader.readLongs(column, 0, ROWS, low);
        }
        hash =
            31 * hash
                + Arrays.hashCode(valid)
                + 7L * Arrays.hashCode(low)
                + 11L * Arrays.hashCode(high);
      }
    }
    if (verify) {
      lookUpAll(sealed, true);
    }
    return hash;
  }

  private long lookUpAll(SealedSegment sealed, boolean verify) throws IOException {
    long hash = 0;
    try (SegmentIndex opened = sealed.openIndex(directory, verify)) {
      for (FlowColumn column : FlowColumn.all()) {
        for (int id = 0; opened.isIndexed(column) && id < opened.dictionarySize(column); id++) {
          hash = 31 * hash + Arrays.hashCode(opened.rows(column, id).toArray());
          hash = 31 * hash + opened.count(column, id);
          hash = 31 * hash + walk(opened.cursor(column, id, 1, opened.rows() - 1));
        }
      }
    }
    return hash;
  }

  /** Rows ascend, whatever the bytes are. */
  private static int walk(RowCursor cursor) {
    int[] block = new int[50];
    int last = 0;
    int hash = 0;
    for (int n = cursor.next(block); n > 0; n = cursor.next(block)) {
      for (int i = 0; i < n; i++) {
        assertTrue(block[i] > last, block[i] + " after " + last);
        last = block[i];
        hash = 31 * hash + last;
      }
    }
    return hash;
  }
}

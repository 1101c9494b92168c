package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Util;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns were renamed, removed and added since a segment was sealed. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"lookup", "compact"})
class SchemaEvolutionTest {
  private static final int ROWS = 50;

  @TempDir Path directory;
  @Parameter String options;

  private static FlowBatch flows() {
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    for (int i = 0; i < ROWS; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1000 + i);
      builder.set(FlowColumn.BYTES, 17L * i);
      builder.set(FlowColumn.VLAN, i);
      builder.set(FlowColumn.TOS, i % 3);
      builder.setText(FlowColumn.SERVICE, "s" + i % 7);
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, ROWS, 0));
  }

  private interface Change {
    void apply(FileMetaData metadata, int column, SchemaElement element, ColumnChunk chunk);
  }

  /** The segment as another version of the schema would have sealed it. */
  private SealedSegment sealedWith(Change change) throws Exception {
    SealedSegment sealed =
        new SegmentWriter(SegmentOptions.parse(options))
            .seal(directory, List.of(flows()), Provenance.NONE);
    Path file = directory.resolve(sealed.fileName());
    byte[] bytes = Files.readAllBytes(file);
    int footer = bytes.length - sealed.segmentFile().footerLength();
    FileMetaData metadata =
        Util.readFileMetaData(new ByteArrayInputStream(bytes, footer, bytes.length - 8 - footer));
    List<ColumnChunk> chunks = metadata.getRow_groups().get(0).getColumns();
    for (int i = chunks.size() - 1; i >= 0; i--) {
      change.apply(metadata, i, metadata.getSchema().get(i + 1), chunks.get(i));
    }
    ByteArrayOutputStream changed = new ByteArrayOutputStream();
    changed.write(bytes, 0, footer);
    Util.writeFileMetaData(metadata, changed);
    int length = changed.size() - footer;
    changed.write(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(length).array());
    changed.write(SegmentFormat.magic());
    byte[] all = changed.toByteArray();
    Files.write(file, all);
    return new SealedSegment(
        sealed.id(),
        ROWS,
        sealed.timeKey(),
        sealed.startTime(),
        sealed.endTime(),
        sealed.arrival(),
        sealed.totalBytes(),
        sealed.totalPackets(),
        new FileIdentity(all.length, crc(all, 0), all.length - footer, crc(all, footer)),
        sealed.indexFile());
  }

  private static int crc(byte[] bytes, int from) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, bytes.length - from);
    return (int) crc.getValue();
  }

  private static void checkTheRest(SegmentReader reader) {
    long[] bytes = new long[ROWS];
    reader.readLongs(FlowColumn.BYTES, 0, ROWS, bytes);
    for (int i = 0; i < ROWS; i++) {
      assertEquals(17L * i, bytes[i]);
    }
    assertEquals("s3", reader.text(FlowColumn.SERVICE, 10));
  }

  @Test
  void aRenamedColumnIsFoundByItsId() throws Exception {
    SealedSegment segment =
        sealedWith(
            (metadata, column, element, chunk) -> {
              element.setName("before_" + element.getName());
              chunk.getMeta_data().setPath_in_schema(List.of(element.getName()));
            });
    try (SegmentReader reader = SegmentReader.open(directory, segment)) {
      checkTheRest(reader);
    }
  }

  @Test
  void aColumnThatASegmentDoesNotHaveIsNull() throws Exception {
    SealedSegment segment =
        sealedWith(
            (metadata, column, element, chunk) -> {
              if (element.getField_id() == FlowColumn.TOS.id()) {
                metadata.getSchema().remove(column + 1);
                metadata.getSchema().get(0).setNum_children(metadata.getSchemaSize() - 1);
                metadata.getRow_groups().get(0).getColumns().remove(column);
              }
            });
    try (SegmentReader reader = SegmentReader.open(directory, segment)) {
      checkTheRest(reader);
      assertEquals(Presence.ABSENT, reader.presence(FlowColumn.TOS));
      assertEquals(ROWS, reader.nullCount(FlowColumn.TOS));
      long[] values = new long[ROWS];
      Arrays.fill(values, 7);
      reader.readLongs(FlowColumn.TOS, 0, ROWS, values);
      assertEquals(0, Arrays.stream(values).sum());
      assertNull(reader.text(FlowColumn.HISTORY, 0));
    }
  }

  @Test
  void aColumnOfALaterSchemaIsPassedOver() throws Exception {
    SealedSegment segment =
        sealedWith(
            (metadata, column, element, chunk) -> {
              if (element.getField_id() == FlowColumn.VLAN.id()) {
                element.setField_id(250);
                element.setName("of_tomorrow");
                chunk.getMeta_data().setPath_in_schema(List.of("of_tomorrow"));
              }
            });
    try (SegmentReader reader = SegmentReader.open(directory, segment)) {
      checkTheRest(reader);
      assertEquals(Presence.ABSENT, reader.presence(FlowColumn.VLAN));
      // Rewriting keeps the columns that this version knows.
      SealedSegment again = new SegmentWriter().seal(directory, List.of(reader), Provenance.NONE);
      try (SegmentReader rewritten = SegmentReader.open(directory, again)) {
        checkTheRest(rewritten);
        assertEquals(Presence.ABSENT, rewritten.presence(FlowColumn.VLAN));
      }
    }
  }
}

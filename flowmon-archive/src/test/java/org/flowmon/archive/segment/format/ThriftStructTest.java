package org.flowmon.archive.segment.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Util;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.reader.ChunkCursor;
import org.junit.jupiter.api.Test;

class ThriftStructTest {
  private static final int DEEP = 200_000;

  private static byte[] header() throws IOException {
    DataPageHeader data = new DataPageHeader(7, Encoding.PLAIN, Encoding.RLE, Encoding.RLE);
    data.setStatistics(new Statistics().setNull_count(3).setMin_value(new byte[300]));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Util.writePageHeader(new PageHeader(PageType.DATA_PAGE, 10, 9).setData_page_header(data), out);
    return out.toByteArray();
  }

  /** A page header with an unknown field before its end that holds nested values. */
  private static byte[] nested(byte[] opening) throws IOException {
    byte[] header = header();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(header, 0, header.length - 1);
    for (int i = 0; i < DEEP; i++) {
      out.writeBytes(opening);
    }
    out.writeBytes(new byte[DEEP + 2]); // ends of structs, or empty lists
    return out.toByteArray();
  }

  @Test
  void aHeaderIsReadToItsEndAndNoFurther() throws IOException {
    byte[] header = header();
    ByteArrayInputStream in = new ByteArrayInputStream(Arrays.copyOf(header, header.length + 100));
    assertArrayEquals(header, ThriftStruct.read(in, 1000));
    assertEquals(100, in.available());
    assertEquals(7, Util.readPageHeader(ThriftStruct.check(header)).data_page_header.num_values);
  }

  @Test
  void nestedFieldsThatNobodyKnowsAreRefusedAndTakeNoStack() throws IOException {
    byte[] structs = {(byte) 0x7C};
    byte[] lists = {(byte) 0x79, 0x19};
    for (byte[] opening : List.of(structs, lists)) {
      ByteBuffer chunk = ByteBuffer.wrap(nested(opening)).order(ByteOrder.LITTLE_ENDIAN);
      ChunkCursor cursor =
          new ChunkCursor(
              chunk,
              0,
              chunk.capacity(),
              what -> new SegmentCorruptException("f", "place", what, null));
      SegmentCorruptException e =
          assertThrows(SegmentCorruptException.class, () -> cursor.readHeader(PageType.DATA_PAGE));
      assertTrue(e.getMessage().contains("nested deeper than 32"), e.getMessage());
    }
  }

  @Test
  void whatAHeaderClaimsIsNotAllocated() throws IOException {
    // A text of 90 MB in field 1, and a list of as many elements in field 2, both without content.
    for (byte[] claim :
        List.of(
            new byte[] {0x18, (byte) 0x80, (byte) 0x95, (byte) 0xF5, 0x2A, 0},
            new byte[] {0x19, (byte) 0xFC, (byte) 0x80, (byte) 0x95, (byte) 0xF5, 0x2A, 0})) {
      IOException e =
          assertThrows(
              IOException.class,
              () -> ThriftStruct.read(new ByteArrayInputStream(claim), 100 << 20));
      assertTrue(e.getMessage().startsWith("byte "), e.getMessage());
    }
  }

  @Test
  void anyBytesAreAStructOrRefused() {
    long seed = 10;
    Random random = new Random(seed);
    int structs = 0;
    for (int round = 0; round < 200_000; round++) {
      byte[] bytes = new byte[random.nextInt(60)];
      random.nextBytes(bytes);
      try {
        byte[] read = ThriftStruct.read(new ByteArrayInputStream(bytes), bytes.length);
        assertArrayEquals(Arrays.copyOf(bytes, read.length), read, "seed " + seed);
        structs++;
      } catch (IOException e) {
        assertTrue(e.getMessage().startsWith("byte "), e.getMessage());
      }
    }
    assertTrue(structs > 1000, structs + " structs, seed " + seed);
  }
}

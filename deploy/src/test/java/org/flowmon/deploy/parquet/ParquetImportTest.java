package org.flowmon.deploy.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parquet files of DuckDB and of flowmon become the flows in them. */
class ParquetImportTest {
  /** Names of classes, exceptions and objects. */
  private static final Pattern JAVA =
      Pattern.compile("\\b(org|java|com|net)\\.[a-z]|Exception|null|[A-Za-z]@[0-9a-f]{4,}");

  @TempDir Path folder;

  private static void duckdb(String... sql) throws Exception {
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      for (String one : sql) {
        statement.execute(one);
      }
    }
  }

  private Path file(String name) {
    return folder.resolve(name);
  }

  @Test
  void whatDuckDbWritesAnewInAnyWayIsTheSameFlows() throws Exception {
    String[] ways = {
      "CODEC snappy",
      "CODEC zstd, ROW_GROUP_SIZE 2048",
      "CODEC gzip, PARQUET_VERSION v2",
      "CODEC lz4_raw, PARQUET_VERSION v2, ROW_GROUP_SIZE 2048",
      "CODEC uncompressed, DICTIONARY_SIZE_LIMIT 1",
    };
    for (int w = 0; w < ways.length; w++) {
      long seed = 70L + w;
      Path archive = ExportedFlows.archive(file("a" + w), seed, 3000, false);
      Path flows = file(w + ".parquet");
      assertEquals(0, CommandRun.of("export", "--archive", archive, "--to", flows).code());
      Path anew = file(w + "anew.parquet");
      duckdb("COPY (FROM '" + flows + "') TO '" + anew + "' (FORMAT parquet, " + ways[w] + ")");
      Path back = file("b" + w);
      CommandRun said = CommandRun.of("import", anew, "--archive", back);
      assertEquals(0, said.code(), ways[w] + said);
      assertEquals(
          ExportedFlows.sorted(ExportedFlows.rows(archive)),
          ExportedFlows.sorted(ExportedFlows.rows(back)),
          "seed " + seed + ", " + ways[w]);
    }
  }

  @Test
  void valuesOfOtherTypesBecomeThoseOfTheirColumns() throws Exception {
    Path parquet = file("types.parquet");
    duckdb(
        "COPY (SELECT TIMESTAMP_MS '2026-11-01 10:00:00.123' AS ts,"
            + " TIMESTAMP_NS '2026-11-01 10:00:01.1234567' AS te,"
            + " '2001:db8::1' AS src_ip, CAST(3232235777 AS UINTEGER) AS dst_ip,"
            + " CAST(443 AS SMALLINT) AS dport, 'udp' AS proto, 7.0::DOUBLE AS bytes,"
            + " CAST(12 AS DECIMAL(30, 0)) AS packets, true AS outgoing, 'SF' AS state,"
            + " 1.5::DOUBLE AS took, 3 AS extra) TO '"
            + parquet
            + "' (FORMAT parquet)");
    Path archive = file("a");
    CommandRun said =
        CommandRun.of(
            "import", parquet, "--archive", archive, "--map", "extra=", "--map", "took=duration:s");
    assertEquals(0, said.code(), said.toString());
    assertTrue(said.out().contains("parquet, 1 flows"), said.out());
    Map<FlowColumn, Object> row = ExportedFlows.rows(archive).get(0);
    assertEquals(1_793_527_200_123_000L, row.get(FlowColumn.START_TIME));
    assertEquals(1_793_527_201_123_457L, row.get(FlowColumn.END_TIME));
    assertEquals(row.get(FlowColumn.END_TIME), row.get(FlowColumn.ARRIVAL));
    assertEquals(IpAddress.parse("2001:db8::1"), row.get(FlowColumn.SRC_ADDR));
    assertEquals(IpAddress.parse("192.168.1.1"), row.get(FlowColumn.DST_ADDR));
    assertEquals(443L, row.get(FlowColumn.DST_PORT));
    assertEquals(17L, row.get(FlowColumn.PROTOCOL));
    assertEquals(7L, row.get(FlowColumn.BYTES));
    assertEquals(12L, row.get(FlowColumn.PACKETS));
    assertEquals(1L, row.get(FlowColumn.OUTGOING));
    assertEquals(3L, row.get(FlowColumn.STATE));
    assertEquals(1_500_000L, row.get(FlowColumn.DURATION));
    assertEquals((long) SourceKind.PARQUET.code(), row.get(FlowColumn.SOURCE_KIND));
  }

  @Test
  void rowsThatCannotBeAreKeptWithTheReason() throws Exception {
    Path parquet = file("bad.parquet");
    duckdb(
        "COPY (SELECT * FROM (VALUES (TIMESTAMP '2026-11-01', '10.0.0.1', 80),"
            + " (TIMESTAMP '2026-11-01', 'ten', 80), (TIMESTAMP '2026-11-01', '10.0.0.2', 70000),"
            + " (NULL, '10.0.0.3', 1), (TIMESTAMP '2026-11-02', NULL, NULL)) AS t(end_time,"
            + " src_addr, src_port)) TO '"
            + parquet
            + "' (FORMAT parquet)");
    Path archive = file("a");
    CommandRun said = CommandRun.of("import", parquet, "--archive", archive);
    assertEquals(1, said.code(), "a part was lost: " + said);
    assertTrue(
        said.out()
            .contains("parquet, 2 flows, rejected {bad_address=1, bad_port=1, missing_time=1}"),
        said.out());
    String rejects;
    try (var files = Files.list(archive.resolve("rejects"))) {
      rejects = Files.readString(files.findFirst().orElseThrow());
    }
    String[] lines = rejects.split("\n", -1);
    assertTrue(lines[0].contains("\"line\":2,\"reason\":\"bad_address\""), rejects);
    assertTrue(lines[0].contains("\\\"src_addr\\\":\\\"ten\\\""), rejects);
    assertTrue(lines[1].contains("70000"), rejects);
    assertEquals(2, ExportedFlows.rows(archive).size());
  }

  @Test
  void columnsThatFlowsDoNotHaveAreNamed() throws Exception {
    Path parquet = file("odd.parquet");
    duckdb(
        "COPY (SELECT TIMESTAMP '2026-11-01' AS end_time, '10.0.0.1' AS src_addr, 5 AS colour,"
            + " 6 AS shade) TO '"
            + parquet
            + "' (FORMAT parquet)");
    refused(parquet, "'colour' is no column of flows; 'shade' is no column of flows");
    duckdb(
        "COPY (SELECT TIMESTAMP '2026-11-01' AS end_time, '10.0.0.1' AS src_addr, 's' AS src_ip,"
            + " INTERVAL 1 DAY AS duration, 1793527200 AS start_time) TO '"
            + parquet
            + "' (FORMAT parquet)");
    refused(
        parquet,
        "'src_addr' and 'src_ip' are both src_addr",
        "'duration' is FIXED_LEN_BYTE_ARRAY",
        "'start_time' is INT32 INT_32, expected a timestamp");
    duckdb(
        "COPY (SELECT TIMESTAMP '2026-11-01' AS end_time, [1, 2] AS list, {'a': 1, 'b': 2} AS both,"
            + " 7 AS bytes) TO '"
            + parquet
            + "' (FORMAT parquet)");
    refused(parquet, "nested or lists", "'list', 'both'");
    Path archive = file("left");
    CommandRun said =
        CommandRun.of("import", parquet, "--archive", archive, "--map", "list=", "--map", "both=");
    assertEquals(0, said.code(), said.toString());
    assertEquals(7L, ExportedFlows.rows(archive).get(0).get(FlowColumn.BYTES));
  }

  private void refused(Path parquet, String... parts) {
    CommandRun said = CommandRun.of("import", parquet, "--archive", file("refused"));
    assertEquals(3, said.code(), said.toString());
    assertTrue(said.err().contains(": not imported: columns"), said.err());
    for (String part : parts) {
      assertTrue(said.err().contains(part), said.err());
    }
  }

  @Test
  void damageEndsInAnErrorAndNeverHangsOrFillsTheHeap() throws Exception {
    Path archive = ExportedFlows.archive(file("a"), 5, 400, false);
    Path plain = file("plain.parquet");
    assertEquals(0, CommandRun.of("export", "--archive", archive, "--to", plain).code());
    Path snappy = file("snappy.parquet");
    duckdb("COPY (FROM '" + plain + "') TO '" + snappy + "' (FORMAT parquet, CODEC snappy)");
    int refused = 0;
    for (Path good : List.of(plain, snappy)) {
      byte[] bytes = Files.readAllBytes(good);
      Random random = new Random(99);
      for (int round = 0; round < 600; round++) {
        byte[] bad = bytes.clone();
        if (round % 3 == 0) {
          bad = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length));
        } else {
          // Footers and page headers are a small part of the bytes, so they get half of the flips.
          int at =
              round % 2 == 0 ? bad.length - 1 - random.nextInt(2000) : random.nextInt(bad.length);
          bad[Math.max(0, at)] ^= (byte) (1 << random.nextInt(8));
        }
        Path file = Files.write(file("bad.parquet"), bad);
        refused += isRefused(file, "seed 99, round " + round + " of " + good) ? 1 : 0;
      }
    }
    assertTrue(refused > 500, refused + " were refused");
  }

  private static boolean isRefused(Path file, String at) {
    List<FlowBatch> batches = new ArrayList<>();
    try {
      FileSummary summary =
          new ParquetFlowReader(file, FileReadOptions.defaults()).read(1, batches::add);
      long rows = batches.stream().mapToLong(FlowBatch::rows).sum();
      assertEquals(rows, summary.rows(), at);
      assertTrue(rows + summary.rejectedTotal() <= 400, at + ": " + rows + " rows");
      return summary.damage() != null;
    } catch (IOException e) {
      assertTrue(e.getMessage().contains(file.toString()), at + ": " + e);
      return true;
    } catch (RuntimeException e) {
      throw new AssertionError(at, e);
    }
  }

  @Test
  void damageIsToldOfWithoutTheNamesOfJavasClasses() throws Exception {
    Path good = file("good.parquet");
    duckdb(
        "COPY (SELECT TIMESTAMP '2026-11-01' + INTERVAL (i) SECOND AS end_time,"
            + " '10.0.0.' || (i % 200) AS src_addr, i AS bytes FROM range(500) AS r(i)) TO '"
            + good
            + "' (FORMAT parquet, CODEC snappy)");
    byte[] bytes = Files.readAllBytes(good);
    Path bad = file("bad.parquet");
    int footers = 0;
    int footer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 8);
    // Every byte of the footer, and each third of the pages.
    for (int at = 4; at < bytes.length - 4; at += at < bytes.length - 8 - footer ? 3 : 1) {
      byte[] flipped = bytes.clone();
      flipped[at] ^= 0x15;
      Files.write(bad, flipped);
      String said = error(bad);
      footers += said.startsWith(bad + ": its footer") ? 1 : 0;
      assertFalse(JAVA.matcher(said).find(), "byte " + at + ": " + said);
      if (at % 16 == 0 || (at % 4 == 0 && said.startsWith(bad + ": its footer, from"))) {
        CommandRun inspected = CommandRun.of("inspect", bad);
        assertTrue(inspected.code() == 0 || inspected.code() == 3, inspected.toString());
        assertFalse(JAVA.matcher(inspected.err()).find(), "byte " + at + ": " + inspected);
      }
    }
    assertTrue(footers > 100, footers + " of a damaged footer");
  }

  private static String error(Path file) {
    try {
      FileSummary summary =
          new ParquetFlowReader(file, FileReadOptions.defaults()).read(1, batch -> {});
      return summary.damage() == null ? "" : summary.damage();
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /** A first import that stores nothing would leave no rejects. */
  private Path archiveOfOneFlow() throws Exception {
    Path archive = file("a");
    Path csv = Files.writeString(file("one.csv"), "end_time,bytes\n1,7\n");
    assertEquals(0, CommandRun.of("import", csv, "--archive", archive).code());
    return archive;
  }

  @Test
  void aLongTextInManyRejectedRowsDoesNotFillTheDisk() throws Exception {
    Path parquet = file("long.parquet");
    duckdb(
        "COPY (SELECT TIMESTAMP '2026-11-01' AS end_time, repeat('x', 3000000) AS src_addr"
            + " FROM range(5)) TO '"
            + parquet
            + "' (FORMAT parquet)");
    Path archive = archiveOfOneFlow();
    CommandRun said = CommandRun.of("import", parquet, "--archive", archive);
    assertEquals(3, said.code(), said.toString());
    try (var files = Files.list(archive.resolve("rejects"))) {
      Path rejects = files.findFirst().orElseThrow();
      assertTrue(Files.size(rejects) < 1 << 20, Files.size(rejects) + " bytes");
      assertTrue(Files.readString(rejects).contains("\"truncated\":true"));
    }
  }

  /** A page of equal values holds any number of them. */
  @Test
  void moreRejectsThanAFileKeepsAreCountedAndSaid() throws Exception {
    Path parquet = file("many.parquet");
    int rows = 1_000_007;
    duckdb(
        "COPY (SELECT TIMESTAMP '2026-11-01' AS end_time, 'x' AS src_addr FROM range("
            + rows
            + ")) TO '"
            + parquet
            + "' (FORMAT parquet)");
    assertTrue(Files.size(parquet) < 100_000, "a small file: " + Files.size(parquet));
    Path archive = archiveOfOneFlow();
    CommandRun said = CommandRun.of("import", parquet, "--archive", archive);
    assertEquals(3, said.code(), said.toString());
    assertTrue(said.toString().contains("but for the last 7, which are only counted"), said + "");
    assertTrue(said.toString().contains("; lost: " + rows + " rows"), said + "");
    try (var files = Files.list(archive.resolve("rejects"));
        var lines = Files.lines(files.findFirst().orElseThrow())) {
      assertEquals(1_000_001, lines.count());
    }
  }

  @Test
  void aListThatClaimsMoreThanItsFooterHasTakesNoMemory() throws Exception {
    // The version, then a list of 90 million elements of the schema, all missing.
    byte[] footer = {0x15, 2, 0x19, (byte) 0xFC, (byte) 0x80, (byte) 0x95, (byte) 0xF5, 0x2A, 0};
    ByteBuffer bytes = ByteBuffer.allocate(footer.length + 12).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put("PAR1".getBytes(StandardCharsets.US_ASCII)).put(footer).putInt(footer.length);
    bytes.put("PAR1".getBytes(StandardCharsets.US_ASCII));
    Path parquet = Files.write(file("list.parquet"), bytes.array());
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    assertTrue(isRefused(parquet, "a long list"));
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertTrue(allocated < 64 << 20, allocated + " bytes");
  }

  @Test
  void pagesThatDoNotFitTheHeapTogetherAreRefused() throws Exception {
    int rows = 28_000_000;
    byte[] packed = Zstd.compress(new byte[8 * rows], 1);
    List<FlowColumn> columns =
        List.of(
            FlowColumn.BYTES,
            FlowColumn.PACKETS,
            FlowColumn.REVERSE_BYTES,
            FlowColumn.REVERSE_PACKETS,
            FlowColumn.DURATION);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes("PAR1".getBytes(StandardCharsets.US_ASCII));
    List<SchemaElement> schema = new ArrayList<>();
    schema.add(new SchemaElement("schema").setNum_children(columns.size()));
    List<ColumnChunk> chunks = new ArrayList<>();
    for (FlowColumn column : columns) {
      schema.add(
          new SchemaElement(column.sqlName())
              .setType(Type.INT64)
              .setRepetition_type(FieldRepetitionType.REQUIRED));
      int at = out.size();
      PageHeader header = new PageHeader(PageType.DATA_PAGE, 8 * rows, packed.length);
      header.setData_page_header(
          new DataPageHeader(rows, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
      Util.writePageHeader(header, out);
      out.writeBytes(packed);
      chunks.add(
          new ColumnChunk(at)
              .setMeta_data(
                  new ColumnMetaData(
                      Type.INT64,
                      List.of(Encoding.PLAIN),
                      List.of(column.sqlName()),
                      CompressionCodec.ZSTD,
                      rows,
                      8L * rows,
                      out.size() - at,
                      at)));
    }
    int footerAt = out.size();
    RowGroup group = new RowGroup(chunks, 8L * rows * chunks.size(), rows);
    Util.writeFileMetaData(new FileMetaData(1, schema, rows, List.of(group)), out);
    int footer = out.size() - footerAt;
    ByteBuffer tail = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putInt(footer);
    out.writeBytes(tail.put("PAR1".getBytes(StandardCharsets.US_ASCII)).array());
    Path parquet = Files.write(file("bomb.parquet"), out.toByteArray());
    assertTrue(Files.size(parquet) < 1 << 20, Files.size(parquet) + " bytes");
    CommandRun said = CommandRun.of("import", parquet, "--archive", file("a"));
    assertEquals(3, said.code(), said.toString());
    assertTrue(said.err().contains("half of the heap"), said.err());
  }

  @Test
  void aDictionaryIsNotBelievedToHaveMoreValuesThanItsBytesHold() throws Exception {
    for (Type type : List.of(Type.INT32, Type.INT64, Type.BYTE_ARRAY)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes("PAR1".getBytes(StandardCharsets.US_ASCII));
      PageHeader header = new PageHeader(PageType.DICTIONARY_PAGE, 100, 100);
      header.setDictionary_page_header(new DictionaryPageHeader(800, Encoding.PLAIN));
      Util.writePageHeader(header, out);
      out.writeBytes(new byte[100]);
      Path page = Files.write(file("page"), out.toByteArray());
      ColumnMetaData chunk =
          new ColumnMetaData(
              type,
              List.of(Encoding.PLAIN),
              List.of("bytes"),
              CompressionCodec.UNCOMPRESSED,
              5,
              100,
              out.size() - 4,
              4);
      try (FileChannel channel = FileChannel.open(page)) {
        ChunkPages pages = new ChunkPages(channel, chunk, 5, new AtomicLong(), new PageMemory());
        assertThrows(UncheckedIOException.class, pages::readDictionaryPage, type.toString());
      }
    }
  }

  /** A file of one column of one page with any header. */
  private static byte[] onePage(byte[] pageHeader, byte[] page, CompressionCodec codec, int rows)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes("PAR1".getBytes(StandardCharsets.US_ASCII));
    out.writeBytes(pageHeader);
    out.writeBytes(page);
    ColumnMetaData chunk =
        new ColumnMetaData(
            Type.INT64,
            List.of(Encoding.PLAIN),
            List.of("bytes"),
            codec,
            rows,
            8L * rows,
            out.size() - 4,
            4);
    List<SchemaElement> schema =
        List.of(
            new SchemaElement("s").setNum_children(1),
            new SchemaElement("bytes")
                .setType(Type.INT64)
                .setRepetition_type(FieldRepetitionType.REQUIRED));
    int footerAt = out.size();
    RowGroup group = new RowGroup(List.of(new ColumnChunk(4).setMeta_data(chunk)), 8L * rows, rows);
    Util.writeFileMetaData(new FileMetaData(1, schema, rows, List.of(group)), out);
    int footer = out.size() - footerAt;
    ByteBuffer tail = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putInt(footer);
    out.writeBytes(tail.put("PAR1".getBytes(StandardCharsets.US_ASCII)).array());
    return out.toByteArray();
  }

  private static byte[] header(PageHeader header) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Util.writePageHeader(header, out);
    return out.toByteArray();
  }

  @Test
  void aSmallFileThatClaimsALargePageIsDamagedAndNotShortOfMemory() throws Exception {
    for (CompressionCodec codec :
        List.of(
            CompressionCodec.UNCOMPRESSED,
            CompressionCodec.SNAPPY,
            CompressionCodec.GZIP,
            CompressionCodec.ZSTD,
            CompressionCodec.LZ4_RAW)) {
      for (PageType type : List.of(PageType.DATA_PAGE, PageType.DICTIONARY_PAGE)) {
        PageHeader header = new PageHeader(type, 256 << 20, 20);
        header.setData_page_header(
            new DataPageHeader(5, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
        header.setDictionary_page_header(new DictionaryPageHeader(32 << 20, Encoding.PLAIN));
        byte[] bytes = onePage(header(header), new byte[20], codec, 5);
        Path parquet = Files.write(file("claims.parquet"), bytes);
        CommandRun said = CommandRun.of("import", parquet, "--archive", file("a"));
        assertEquals(3, said.code(), codec + " " + type + ": " + said);
        assertTrue(said.err().contains("row 1, column 'bytes'"), said.err());
        assertTrue(said.err().contains("the header at byte 4: a page of 268435456"), said.err());
        assertTrue(!said.err().contains("heap"), said.err());
      }
    }
  }

  @Test
  void aHeaderWithDeeplyNestedFieldsIsDamageAndTakesNoStack() throws Exception {
    byte[] header =
        header(
            new PageHeader(PageType.DATA_PAGE, 40, 40)
                .setData_page_header(
                    new DataPageHeader(5, Encoding.PLAIN, Encoding.RLE, Encoding.RLE)));
    ByteArrayOutputStream deep = new ByteArrayOutputStream();
    deep.write(header, 0, header.length - 1);
    for (int i = 0; i < 300_000; i++) {
      deep.write(0x7C); // field 7 after the previous one: a struct
    }
    deep.writeBytes(new byte[300_002]);
    Path page =
        Files.write(
            file("page.parquet"),
            onePage(deep.toByteArray(), new byte[40], CompressionCodec.UNCOMPRESSED, 5));
    CommandRun said = CommandRun.of("import", page, "--archive", file("a"));
    assertEquals(3, said.code(), said.toString());
    assertTrue(said.err().contains("the page header at byte 4: byte 49 of its Thrift"), said.err());
    // The same in the footer.
    ByteBuffer footer = ByteBuffer.allocate(700_020).order(ByteOrder.LITTLE_ENDIAN);
    footer.put("PAR1".getBytes(StandardCharsets.US_ASCII));
    while (footer.position() < 350_000) {
      footer.put((byte) 0x7C);
    }
    footer.position(700_012);
    footer.putInt(700_008).put("PAR1".getBytes(StandardCharsets.US_ASCII));
    Path parquet = Files.write(file("footer.parquet"), footer.array());
    assertTrue(isRefused(parquet, "a nested footer"));
    said = CommandRun.of("import", parquet, "--archive", file("a"));
    assertEquals(3, said.code(), said.toString());
    assertTrue(
        said.err()
            .contains("its footer, from byte 4 on, is damaged: byte 33 of its Thrift: structs or"),
        said.err());
  }
}

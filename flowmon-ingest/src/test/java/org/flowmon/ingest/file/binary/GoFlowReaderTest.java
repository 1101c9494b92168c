package org.flowmon.ingest.file.binary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages made from the fields of GoFlow2's {@code pb/flow.proto}. */
class GoFlowReaderTest {
  @TempDir Path folder;

  private FileSummary summary;

  private List<Map<FlowColumn, Object>> read(byte[] bytes, FileReadOptions options)
      throws IOException {
    Path file = Files.write(folder.resolve("input"), bytes);
    FlowRecorder recorder = new FlowRecorder(1000);
    summary = FlowFiles.open(file, options).read(recorder);
    return recorder.rows();
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  @Test
  void fieldsBecomeColumnsAndUnknownOnesAreSkipped() throws IOException {
    byte[] six = new byte[16];
    six[0] = 0x20;
    six[1] = 0x01;
    byte[] icmp =
        new GoFlowBytes()
            .number(1, 1)
            .number(112, 1_700_000_002_000_000_000L)
            .bytes(6, six)
            .bytes(7, six)
            .bytes(999, new byte[300])
            .fixed32(2000)
            .number(9, 90)
            .number(20, 58)
            .number(31, 135)
            .number(32, 1)
            .number(38, 2)
            .delimited();
    List<Map<FlowColumn, Object>> rows =
        read(join(GoFlowBytes.flow(1234).delimited(), icmp), FileReadOptions.defaults());
    assertEquals("goflow2_protobuf", summary.label());
    assertEquals(Map.of(), summary.rejected());
    Map<FlowColumn, Object> tcp = rows.get(0);
    assertEquals((long) SourceKind.NETFLOW_V9.code(), tcp.get(FlowColumn.SOURCE_KIND));
    assertEquals(1_700_000_000_000_001L, tcp.get(FlowColumn.START_TIME));
    assertEquals(1_700_000_001_500_000L, tcp.get(FlowColumn.END_TIME));
    assertEquals("10.0.0.1", tcp.get(FlowColumn.EXPORTER).toString());
    assertEquals("10.0.0.2", tcp.get(FlowColumn.SRC_ADDR).toString());
    assertEquals("10.0.0.3", tcp.get(FlowColumn.DST_ADDR).toString());
    assertEquals(1234L, tcp.get(FlowColumn.SRC_PORT));
    assertEquals(443L, tcp.get(FlowColumn.DST_PORT));
    assertEquals(1500L, tcp.get(FlowColumn.BYTES));
    assertEquals(2L, tcp.get(FlowColumn.PACKETS));
    assertEquals(512L, tcp.get(FlowColumn.SAMPLING_RATE));
    assertEquals(65001L, tcp.get(FlowColumn.SRC_AS));
    assertEquals(null, tcp.get(FlowColumn.DST_AS));
    assertEquals(77L, tcp.get(FlowColumn.FLOW_SEQUENCE));
    Map<FlowColumn, Object> second = rows.get(1);
    assertEquals("2001::", second.get(FlowColumn.SRC_ADDR).toString());
    assertEquals(135L << 8 | 1, second.get(FlowColumn.ICMP_TYPE_CODE));
    assertEquals(null, second.get(FlowColumn.SRC_PORT));
    assertEquals(null, second.get(FlowColumn.START_TIME), "2 of field 38 is no time");
  }

  @Test
  void aMessageThatIsNoneIsCountedAndTheNextOneRead() throws IOException {
    byte[] broken = {3, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF};
    byte[] good = GoFlowBytes.flow(1).delimited();
    assertEquals(2, read(join(good, broken, good), FileReadOptions.defaults()).size());
    assertEquals(Map.of("bad_message", 1L), summary.rejected());
    byte[] untimed = new GoFlowBytes().number(9, 5).bytes(6, new byte[4]).delimited();
    assertEquals(1, read(join(good, untimed), FileReadOptions.defaults()).size());
    assertEquals(Map.of("missing_time", 1L), summary.rejected());
  }

  @Test
  void aLengthThatCannotBeEndsTheFileAsDamage() throws IOException {
    byte[] good = GoFlowBytes.flow(1).delimited();
    byte[] huge = {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0x0F};
    assertEquals(1, read(join(good, huge, good), FileReadOptions.defaults()).size());
    assertTrue(summary.damage().contains("message 2: a message of 4294967295 bytes"));
    byte[] cut = Arrays.copyOf(join(good, good), 2 * good.length - 3);
    assertEquals(1, read(cut, FileReadOptions.defaults()).size());
    assertTrue(summary.damage().contains("message 2: it is cut short"), summary.damage());
  }

  @Test
  void aMessageAsLongAsABraceHasIsNoJson() throws IOException {
    for (byte length : new byte[] {'{', '[', '#', 'A'}) {
      GoFlowBytes flow =
          new GoFlowBytes()
              .number(112, 1_700_000_001_500_000_000L)
              .bytes(6, new byte[] {10, 0, 0, 2})
              .number(9, 5);
      int rest = length - flow.toBytes().length - 3;
      byte[] message = flow.bytes(999, new byte[rest]).delimited();
      assertEquals(length, message[0]);
      assertEquals(1, read(message, FileReadOptions.defaults()).size());
      assertEquals("goflow2_protobuf", summary.label());
    }
  }

  @Test
  void ofAFieldThatComesTwiceTheFirstCounts() throws IOException {
    byte[] twice = GoFlowBytes.flow(1).bytes(6, new byte[] {9, 9, 9, 9}).number(9, 7).delimited();
    Map<FlowColumn, Object> row = read(twice, FileReadOptions.defaults()).get(0);
    assertEquals("10.0.0.2", row.get(FlowColumn.SRC_ADDR).toString());
    assertEquals(1500L, row.get(FlowColumn.BYTES));
  }

  @Test
  void aLabelThatRunsPastItsListMakesABadMessage() throws IOException {
    byte[] label = GoFlowBytes.flow(1).bytes(81, (byte) 0x80).number(999, 1).delimited();
    assertEquals(0, read(label, FileReadOptions.defaults()).size());
    assertEquals(Map.of("bad_message", 1L), summary.rejected());
  }

  @Test
  void anAddressOfHardwareIsItsText() throws IOException {
    byte[] message = GoFlowBytes.flow(1).number(27, 0x001B213C9DF8L).delimited();
    Map<FlowColumn, Object> row = read(message, FileReadOptions.defaults()).get(0);
    assertEquals("00:1b:21:3c:9d:f8", row.get(FlowColumn.SRC_MAC));
  }

  @Test
  void everyMessageOfMutatedBytesIsAFlowOrAReject() throws IOException {
    byte[] good = GoFlowBytes.flow(1).delimited();
    byte[] whole = join(good, good, good);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    FileReadOptions given = FileReadOptions.defaults().withFormat("goflow2_protobuf");
    for (int round = 0; round < 500; round++) {
      byte[] bytes = whole.clone();
      for (int i = random.nextInt(6); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      String what = "seed " + seed + ", round " + round;
      List<Map<FlowColumn, Object>> rows = read(bytes, given);
      int[] messages = messages(bytes);
      assertEquals(messages[0], rows.size() + summary.rejectedTotal(), what);
      assertEquals(messages[1] < bytes.length, summary.damage() != null, what);
    }
  }

  /** How many messages there are by their lengths, and where the last one ends. */
  private static int[] messages(byte[] bytes) {
    int count = 0;
    for (int at = 0; ; count++) {
      long length = 0;
      int from = at;
      int shift = 0;
      boolean isWhole = false;
      for (; from < bytes.length && shift < 35 && !isWhole; shift += 7) {
        length |= (long) (bytes[from] & 0x7F) << shift;
        isWhole = bytes[from++] >= 0;
      }
      if (!isWhole || length > bytes.length - from) {
        return new int[] {count, at};
      }
      at = from + (int) length;
    }
  }
}

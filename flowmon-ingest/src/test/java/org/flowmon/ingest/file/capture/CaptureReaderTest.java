package org.flowmon.ingest.file.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureReaderTest {
  private static final int SECONDS = 1_750_000_000;
  private static final int RAW_IP = 101;

  private final FlowRecorder recorder = new FlowRecorder(10);
  private FileReadOptions options = FileReadOptions.defaults();
  @TempDir Path folder;

  @Test
  void theCapturesOfAnImportShareTemplates() throws IOException {
    FileSummary templates = read("template.pcap", 2055, template());
    FileSummary data = read("data.pcap", 2055, data(7));
    assertEquals(1, recorder.rows().size());
    assertEquals(7L, recorder.rows().get(0).get(FlowColumn.BYTES));
    assertEquals(Map.of(), templates.rejected());
    assertEquals(Map.of(), data.rejected());
    assertEquals(2, options.counters().get(IngestCounter.PACKETS_READ));
    assertEquals(0, options.counters().get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS));
  }

  @Test
  void aSummaryHasTheLossesOfItsFileOnly() throws IOException {
    FileSummary data = read("data.pcap", 2055, data(7));
    assertEquals(Map.of("sets_dropped_no_template", 1L), data.rejected());
    FileSummary templates = read("template.pcap", 2055, template());
    assertEquals(Map.of(), templates.rejected());
    assertEquals(0, recorder.rows().size(), "a file's data waits to its end");
  }

  @Test
  void templatesOfAnotherPortServeIfAsked() throws IOException {
    options = options.withTemplates(TemplateScope.ADDRESS);
    read("template.pcap", 2055, template());
    read("data.pcap", 2056, data(7));
    assertEquals(1, recorder.rows().size());
  }

  private FileSummary read(String name, int port, byte[] message) throws IOException {
    Path file = Files.write(folder.resolve(name), pcap(port, message));
    return FlowFiles.open(file, options).read(recorder);
  }

  private static byte[] template() {
    byte[] set = {0, 2, 0, 12, 1, 0, 0, 1, 0, 1, 0, 4};
    return message(100, set);
  }

  private static byte[] data(int bytes) {
    byte[] set = {1, 0, 0, 8, 0, 0, 0, (byte) bytes};
    return message(999_999, set);
  }

  private static byte[] message(int sequence, byte[] set) {
    byte[] bytes = new byte[16 + set.length];
    ByteBuffer message = ByteBuffer.wrap(bytes);
    message.putShort((short) 10).putShort((short) (16 + set.length)).putInt(SECONDS);
    message.putInt(sequence).putInt(0).put(set);
    return bytes;
  }

  private static byte[] pcap(int port, byte[] payload) {
    int length = 28 + payload.length;
    byte[] bytes = new byte[200];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0xA1B2C3D4).putInt(0x0004_0002).putLong(0).putInt(65535).putInt(RAW_IP);
    out.putInt(SECONDS).putInt(0).putInt(length).putInt(length);
    out.order(ByteOrder.BIG_ENDIAN);
    out.putInt(0x4500_0000 | length).putInt(0).putInt(0x4011_0000);
    out.putInt(0xC000_0201).putInt(0xC000_0202);
    out.putShort((short) port).putShort((short) 2055);
    out.putShort((short) (8 + payload.length)).putShort((short) 0).put(payload);
    return Arrays.copyOf(bytes, out.position());
  }
}

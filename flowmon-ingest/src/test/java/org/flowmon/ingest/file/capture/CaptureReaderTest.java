package org.flowmon.ingest.file.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.reader.BatchSummary;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.meter.MeterOptions;
import org.flowmon.ingest.meter.PacketReading;
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

  @Test
  void lossesAreCountedByTheirUnitsAndNeverAddedTogether() throws IOException {
    byte[] bad = {0, 77, 0, 0};
    FileSummary summary = read("data.pcap", 2055, data(7), bad, bad, template());
    assertEquals(
        Map.of("datagrams_dropped_unknown_version", 2L),
        summary.rejected(),
        "the data waited for its template");
    assertEquals(Map.of("datagrams", 2L), summary.lost());
    assertTrue(summary.isPartLost());
    FileSummary missed = read("missed.pcap", 2056, data(7), bad);
    assertEquals(Map.of("datagrams", 1L, "sets", 1L), missed.lost());
    assertEquals(Map.of("datagrams", 3L, "sets", 1L), options.counters().lost());
  }

  @Test
  void gapsOfSequenceNumbersAreToldAsLostFlowsButNotOfTheFile() throws IOException {
    Map<String, Long> gaps = Map.of("sequence_lost_flows", 5L, "sequence_lost_datagrams", 2L);
    FileSummary summary = new BatchSummary().of(folder, InputFormat.PCAP, gaps, null);
    assertEquals(Map.of("flows", 5L, "datagrams", 2L), summary.lost());
    assertFalse(summary.isPartLost());
  }

  @Test
  void aCaptureOfTemplatesHasNoFlowAndNoLoss() throws IOException {
    FileSummary summary = read("template.pcap", 2055, template());
    assertEquals(0, summary.rows());
    assertEquals(Map.of(), summary.lost());
  }

  @Test
  void whatWaitsInADamagedCaptureIsCountedAsItsOwnLoss() throws IOException {
    byte[] whole = pcap(2055, data(7));
    byte[] damaged = Arrays.copyOf(whole, whole.length + 16);
    Arrays.fill(damaged, whole.length, damaged.length, (byte) 0xFF); // of impossible length
    Path file = Files.write(folder.resolve("damaged.pcap"), damaged);
    FileSummary summary = FlowFiles.open(file, options).read(recorder);
    assertTrue(String.valueOf(summary.damage()).contains("damaged.pcap"), summary.toString());
    assertEquals(Map.of("sets_dropped_no_template", 1L), summary.rejected());
    assertEquals(Map.of(), read("template.pcap", 2055, template()).rejected());
  }

  /** Read = stored + lost, for packets, datagrams and flows. */
  @Test
  void theCountsOfEveryMutatedCaptureAddUp() throws IOException {
    List<byte[]> captures = new ArrayList<>();
    captures.add(pcap(2055, data(7), template(), data(9), new byte[] {0, 77}));
    for (Path file : TestData.walk("fixtures")) {
      if (file.toString().endsWith(".pcap") && Files.size(file) < 40_000) {
        captures.add(TestData.read(file));
      }
    }
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 8; round++) {
      for (int c = 0; c < captures.size(); c++) {
        byte[] bytes = captures.get(c).clone();
        for (int flips = random.nextInt(12); flips > 0; flips--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        if (random.nextInt(3) == 0) {
          bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
        }
        Path file = Files.write(folder.resolve("mutant"), bytes);
        String what = "seed " + seed + ", round " + round + ", capture " + c;
        addUp(file, what, false);
        addUp(file, what, true);
      }
    }
  }

  private static void addUp(Path file, String what, boolean fromPackets) throws IOException {
    FileReadOptions given = FileReadOptions.defaults().withFormat("pcap");
    if (fromPackets) {
      given =
          given.withPackets(
              new PacketReading(TunnelHeaders.INNER, Optional.of(MeterOptions.DEFAULTS)));
    }
    FlowRecorder flows = new FlowRecorder(100);
    IngestCounters counters = given.counters();
    try {
      FileSummary summary = FlowFiles.open(file, given).read(flows);
      assertEquals(flows.rows().size(), summary.rows(), what);
      assertEquals(counters.lost(), summary.lost(), what);
    } catch (IOException e) {
      assertTrue(String.valueOf(e.getMessage()).startsWith(file.toString()), what + ": " + e);
    }
    assertEquals(flows.rows().size(), counters.get(IngestCounter.FLOWS_DECODED), what);
    long left = 0;
    for (IngestCounter counter : IngestCounter.values()) {
      left += counter.name().startsWith("PACKETS_SKIPPED_") ? counters.get(counter) : 0;
    }
    long taken = counters.get(IngestCounter.DATAGRAMS_RECEIVED);
    if (fromPackets) {
      taken = flows.rows().stream().mapToLong(row -> (Long) row.get(FlowColumn.PACKETS)).sum();
    }
    assertEquals(counters.get(IngestCounter.PACKETS_READ), taken + left, what + ": " + counters);
    long bad = counters.get(IngestCounter.DATAGRAMS_DAMAGED);
    for (IngestCounter counter : IngestCounter.values()) {
      bad += counter.name().startsWith("DATAGRAMS_DROPPED_") ? counters.get(counter) : 0;
    }
    assertEquals(
        counters.get(IngestCounter.DATAGRAMS_RECEIVED),
        counters.get(IngestCounter.DATAGRAMS_DECODED) + bad,
        what + ": " + counters);
    assertEquals(
        bad + counters.get(IngestCounter.SEQUENCE_LOST_DATAGRAMS),
        counters.lost().getOrDefault("datagrams", 0L),
        what);
  }

  private FileSummary read(String name, int port, byte[]... messages) throws IOException {
    Path file = Files.write(folder.resolve(name), pcap(port, messages));
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

  private static byte[] pcap(int port, byte[]... payloads) {
    byte[] bytes = new byte[1000];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0xA1B2C3D4).putInt(0x0004_0002).putLong(0).putInt(65535).putInt(RAW_IP);
    for (byte[] payload : payloads) {
      int length = 28 + payload.length;
      out.order(ByteOrder.LITTLE_ENDIAN);
      out.putInt(SECONDS).putInt(0).putInt(length).putInt(length);
      out.order(ByteOrder.BIG_ENDIAN);
      out.putInt(0x4500_0000 | length).putInt(0).putInt(0x4011_0000);
      out.putInt(0xC000_0201).putInt(0xC000_0202);
      out.putShort((short) port).putShort((short) 2055);
      out.putShort((short) (8 + payload.length)).putShort((short) 0).put(payload);
    }
    return Arrays.copyOf(bytes, out.position());
  }
}

package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.TestData;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.file.capture.PcapReader;
import org.junit.jupiter.api.Test;

/** For any bytes, nothing is thrown, decoding ends, and the counters add up. */
class MutatedExportTest {
  private static final long SEED = 20261121;
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");

  @Test
  void realDatagramsThatWereMutatedAreDecodedOrCounted() throws IOException {
    List<byte[]> datagrams = realDatagrams();
    assertTrue(datagrams.size() > 300, datagrams.size() + " datagrams");
    for (int round = 0; round < 60; round++) {
      Random random = new Random(SEED + round);
      run(mutants(datagrams, random, 2000), random, "seed " + (SEED + round));
    }
  }

  @Test
  void randomBytesBehindEveryVersionAreDecodedOrCounted() {
    for (int round = 0; round < 100; round++) {
      Random random = new Random(SEED + round);
      List<byte[]> datagrams = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        byte[] bytes = new byte[random.nextInt(400)];
        random.nextBytes(bytes);
        int[] versions = {5, 9, 10, random.nextInt(65536)};
        int version = versions[random.nextInt(4)];
        if (bytes.length > 1) {
          bytes[0] = (byte) (version >>> 8);
          bytes[1] = (byte) version;
        }
        if (bytes.length > 4 && random.nextBoolean()) {
          bytes[2] = (byte) (bytes.length >>> 8); // IPFIX: its actual length
          bytes[3] = (byte) bytes.length;
          for (int at = 16; at + 4 < bytes.length; at += 24) {
            bytes[at] = (byte) random.nextInt(2);
            bytes[at + 2] = 0;
            bytes[at + 3] = 24;
          }
        }
        datagrams.add(bytes);
      }
      run(datagrams, random, "seed " + (SEED + round));
    }
  }

  @Test
  void everyTruncationOfEveryDatagramIsDecodedOrCounted() throws IOException {
    for (byte[] datagram : realDatagrams()) {
      if (datagram.length < 600) {
        List<byte[]> cut = new ArrayList<>();
        for (int length = 0; length <= datagram.length; length++) {
          cut.add(Arrays.copyOf(datagram, length));
        }
        run(cut, new Random(SEED), "a datagram of " + datagram.length + " bytes");
      }
    }
  }

  private static void run(List<byte[]> datagrams, Random random, String where) {
    IngestCounters counters = new IngestCounters();
    BadDatagramSamples samples = new BadDatagramSamples(3);
    FlowRecorder recorder = new FlowRecorder(1 + random.nextInt(300));
    DecoderLimits limits =
        DecoderLimits.defaults()
            .withBytes(1 << 17, 1 << 16, 1 << 15)
            .withTemplates(50, 100, 1_000_000);
    ExportDecoder decoder =
        new ExportDecoder(
            counters,
            samples,
            ProtectedNetworks.NONE,
            limits,
            TunnelHeaders.INNER,
            TemplateScope.SESSION,
            ExporterRules.NONE.withSplitBiflows(random.nextBoolean()));
    long arrival = 0;
    for (byte[] datagram : datagrams) {
      arrival += random.nextInt(10_000);
      int port = random.nextInt(4);
      decoder.decode(datagram, 0, datagram.length, EXPORTER, port, arrival, recorder);
      assertFalse(recorder.isHandedOut(), where);
    }
    assertEquals(datagrams.size(), counters.get(IngestCounter.DATAGRAMS_RECEIVED), where);
    assertEquals(
        datagrams.size(),
        counters.get(IngestCounter.DATAGRAMS_DECODED)
            + counters.get(IngestCounter.DATAGRAMS_DAMAGED)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_UNKNOWN_VERSION)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_LENGTH)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_COUNT),
        where + ": " + counters);
    assertEquals(
        recorder.rows().size(),
        counters.get(IngestCounter.FLOWS_DECODED) + counters.get(IngestCounter.BIFLOWS_SPLIT),
        where + counters);
    for (IngestCounter counter : IngestCounter.values()) {
      assertTrue(counters.get(counter) >= 0, where + ": " + counter + " in " + counters);
    }
    assertTrue(samples.samples().size() <= 3 * IngestCounter.values().length, where);
  }

  private static List<byte[]> mutants(List<byte[]> datagrams, Random random, int count) {
    List<byte[]> mutants = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] bytes = datagrams.get(random.nextInt(datagrams.size())).clone();
      switch (random.nextInt(5)) {
        case 0 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        case 1 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(50));
        case 2 -> {
          byte[] other = datagrams.get(random.nextInt(datagrams.size()));
          int length = random.nextInt(Math.min(bytes.length, other.length) + 1);
          System.arraycopy(other, 0, bytes, bytes.length - length, length);
        }
        default -> {}
      }
      int flips = random.nextInt(6);
      for (int f = 0; f < flips && bytes.length > 0; f++) {
        int[] values = {0, 1, 0xFF, 0x80, random.nextInt(256)};
        bytes[random.nextInt(bytes.length)] = (byte) values[random.nextInt(values.length)];
      }
      mutants.add(bytes);
    }
    return mutants;
  }

  /** The payloads of all fixtures. */
  static List<byte[]> realDatagrams() throws IOException {
    List<byte[]> datagrams = new ArrayList<>();
    for (Path file : TestData.walk("fixtures")) {
      String name = file.toString();
      if (name.endsWith(".dat") || name.endsWith(".bin") || name.endsWith(".dump")) {
        datagrams.add(TestData.read(file));
      } else if (name.endsWith(".pcap")) {
        try (PcapReader reader = PcapReader.open(file, new IngestCounters())) {
          while (reader.next()) {
            datagrams.add(
                Arrays.copyOfRange(
                    reader.bytes(), reader.offset(), reader.offset() + reader.length()));
          }
        }
      }
    }
    return datagrams;
  }
}

package org.flowmon.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.meter.MeterOptions;
import org.flowmon.ingest.meter.PacketReading;
import org.flowmon.ingest.publish.BatchCollectingSink;

/** Reads bytes as a file that somebody wants to import. */
final class FileReading {
  // pcap of microseconds and nanoseconds in both byte orders, pcapng.
  private static final Set<Integer> MAGICS =
      Set.of(0xA1B2C3D4, 0xD4C3B2A1, 0xA1B23C4D, 0x4D3CB2A1, 0x0A0D0D0A);

  private FileReading() {}

  /** Each batch must open, and the summary must count the flows that came. */
  static void read(byte[] bytes) throws IOException {
    read(bytes, FileReadOptions.defaults());
  }

  /** Likewise, flows are made of the packets of captures. */
  static void readPackets(byte[] bytes) throws IOException {
    MeterOptions few = new MeterOptions(60_000_000, 15_000_000, 3);
    PacketReading made = new PacketReading(TunnelHeaders.INNER, Optional.of(few));
    read(bytes, FileReadOptions.defaults().withPackets(made));
  }

  private static void read(byte[] bytes, FileReadOptions options) throws IOException {
    try (ScratchFolder folder = new ScratchFolder()) {
      Path file = folder.file("input", bytes);
      long[] flows = new long[1];
      FileSummary summary = null;
      try (BatchCollectingSink sink =
          new BatchCollectingSink(
              64, batch -> flows[0] += FlowBatch.open(batch.bytes().clone()).rows())) {
        summary = FlowFiles.open(file, options).read(sink);
      } catch (IOException e) { // UnknownFormatException among them
        ExportsFuzz.require(
            e.getMessage() != null && e.getMessage().contains("input"),
            "an error that does not name the file: " + e);
      }
      ExportsFuzz.require(
          summary == null || summary.rows() == flows[0],
          flows[0] + " flows, the summary says " + summary);
    }
  }

  /** Bytes that reading a file may allocate: a capture's packets, or chunks of text. */
  static long allocationLimit(byte[] input) {
    long fixed = hasMagic(input) ? 8L << 20 : 64L << 20;
    return fixed + 64L * input.length;
  }

  /** Whether a file begins as a capture or an IPFIX file, and is not packed. */
  private static boolean hasMagic(byte[] input) {
    if (input.length < 4) {
      return false;
    }
    int magic = ByteBuffer.wrap(input).getInt();
    return MAGICS.contains(magic) || magic >>> 16 == 10;
  }

  static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }
}

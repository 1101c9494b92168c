package org.flowmon.ingest.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.DecoderLimits;
import org.flowmon.ingest.decode.ExportDecoder;

/**
 * Reads the flows of a file that holds exports: a capture (pcap, pcapng) of NetFlow v5, v9 or IPFIX
 * datagrams, or an IPFIX file; plain or compressed by gzip. {@code arrival} is the capture's clock
 * (of an IPFIX file the export time) and never goes back within a file. An IPFIX file does not know
 * its exporter: NULL.
 */
public final class ExportFileReader {
  private final IngestCounters counters;
  private final BadDatagramSamples samples;
  private final ProtectedNetworks networks;
  private final DecoderLimits limits;

  /**
   * @param networks what decides {@code outgoing}; null leaves it NULL
   */
  public ExportFileReader(
      IngestCounters counters,
      BadDatagramSamples samples,
      ProtectedNetworks networks,
      DecoderLimits limits) {
    this.counters = counters;
    this.samples = samples;
    this.networks = networks;
    this.limits = limits;
  }

  /** Whether a file begins as those do that {@link #read} reads. */
  public static boolean isExportFile(Path file) throws IOException {
    int magic = magic(file);
    return PcapReader.isMagic(magic) || IpfixFileReader.isMagic(magic);
  }

  private static int magic(Path file) throws IOException {
    try (CaptureInput in = CaptureInput.open(file)) {
      byte[] first = new byte[4];
      return in.read(first, 0, 4) < 4 ? 0 : ByteBuffer.wrap(first).getInt();
    }
  }

  /**
   * Reads a file to its end. Each file has its own exporters: templates are not carried over.
   *
   * @throws IOException naming the file and the place where it is not what it began as
   */
  public void read(Path file, FlowSink out) throws IOException {
    boolean ipfix = IpfixFileReader.isMagic(magic(file));
    DecoderLimits kept = ipfix ? limits.forOneExporter() : limits;
    ExportDecoder decoder = new ExportDecoder(counters, samples, networks, kept);
    if (ipfix) {
      readIpfix(file, decoder, out);
    } else {
      readCapture(file, decoder, out);
    }
  }

  private void readCapture(Path file, ExportDecoder decoder, FlowSink out) throws IOException {
    try (PcapReader reader = PcapReader.open(file, counters)) {
      long arrival = Long.MIN_VALUE;
      while (reader.next()) {
        arrival = Math.max(arrival, reader.timeMicros());
        decoder.decode(
            reader.bytes(),
            reader.offset(),
            reader.length(),
            reader.source(),
            reader.sourcePort(),
            arrival,
            out);
      }
    }
  }

  private static void readIpfix(Path file, ExportDecoder decoder, FlowSink out) throws IOException {
    try (IpfixFileReader reader = IpfixFileReader.open(file)) {
      long arrival = Long.MIN_VALUE;
      while (reader.next()) {
        arrival = Math.max(arrival, reader.exportMicros());
        decoder.decode(reader.bytes(), 0, reader.length(), null, 0, arrival, out);
      }
    }
  }
}

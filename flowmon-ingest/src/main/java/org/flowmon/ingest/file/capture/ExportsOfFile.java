package org.flowmon.ingest.file.capture;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.file.capture.FileDatagrams.Datagram;
import org.flowmon.ingest.file.reader.ArrivalClock;

/**
 * Reads a capture (pcap, pcapng) of NetFlow v5, v9, IPFIX or sFlow v5 datagrams, or an IPFIX file,
 * which has no exporter (NULL); plain or gzip. {@code arrival} is the time of capture (IPFIX file:
 * export) through an {@link ArrivalClock}.
 */
public final class ExportsOfFile {
  private final IngestCounters counters;
  private final BadDatagramSamples samples;
  private final ProtectedNetworks networks;
  private final DecoderLimits limits;
  private final TunnelHeaders tunnels;

  public ExportsOfFile(
      IngestCounters counters,
      BadDatagramSamples samples,
      ProtectedNetworks networks,
      DecoderLimits limits,
      TunnelHeaders tunnels) {
    this.tunnels = tunnels;
    this.counters = counters;
    this.samples = samples;
    this.networks = networks;
    this.limits = limits;
  }

  private static int magic(Path file) throws IOException {
    try (CaptureInput in = CaptureInput.open(file)) {
      byte[] first = new byte[4];
      return in.read(first, 0, 4) < 4 ? 0 : BigEndian.getInt(first, 0);
    }
  }

  /**
   * Reads a file to its end with the exporters and templates that a decoder knows, but for an IPFIX
   * file, which has its own.
   *
   * @return as {@link #read(Path, FlowSink)}
   * @throws IOException naming file and place if it does not continue in its format
   */
  public long read(Path file, ExportDecoder decoder, FlowSink out) throws IOException {
    if (IpfixFileReader.isMagic(magic(file))) {
      return read(file, out);
    }
    try (FileDatagrams datagrams = new FileDatagrams(PcapReader.open(file, counters))) {
      return decode(datagrams, decoder, out);
    }
  }

  /**
   * Reads a file to its end, with exporters and templates of its own.
   *
   * @return flows that arrive with neighbours, far ahead in time ({@link ArrivalClock#aheadFlows})
   * @throws IOException naming file and place if it does not continue in its format
   */
  public long read(Path file, FlowSink out) throws IOException {
    boolean ipfix = IpfixFileReader.isMagic(magic(file));
    DecoderLimits kept = ipfix ? limits.forOneExporter() : limits;
    ExportDecoder decoder =
        new ExportDecoder(counters, samples, networks, kept, tunnels, TemplateScope.SESSION);
    try (FileDatagrams datagrams =
        new FileDatagrams(ipfix ? IpfixFileReader.open(file) : PcapReader.open(file, counters))) {
      return decode(datagrams, decoder, out);
    }
  }

  private long decode(FileDatagrams datagrams, ExportDecoder decoder, FlowSink out)
      throws IOException {
    try {
      return decodeAll(datagrams, decoder, out);
    } finally {
      decoder.endInput(); // also of a damaged file all is counted
    }
  }

  private long decodeAll(FileDatagrams datagrams, ExportDecoder decoder, FlowSink out)
      throws IOException {
    ArrivalClock clock = new ArrivalClock();
    long ahead = 0;
    long[] following = new long[ArrivalClock.LOOK_AHEAD];
    for (Datagram next = datagrams.next(); next != null; next = datagrams.next()) {
      Datagram datagram = next;
      long wereAhead = clock.aheadFlows();
      long arrival;
      if (clock.needsFollowing(datagram.time())) {
        datagram = datagram.copy(); // looking ahead takes the file's buffer
        arrival = clock.arrival(datagram.time(), following, datagrams.readAhead(following));
      } else {
        arrival = clock.arrival(datagram.time());
      }
      long before = counters.get(IngestCounter.FLOWS_DECODED);
      decoder.decode(
          datagram.bytes(),
          datagram.offset(),
          datagram.length(),
          datagram.source(),
          datagram.port(),
          arrival,
          out);
      if (clock.aheadFlows() > wereAhead) {
        ahead += counters.get(IngestCounter.FLOWS_DECODED) - before;
      }
    }
    return ahead;
  }
}

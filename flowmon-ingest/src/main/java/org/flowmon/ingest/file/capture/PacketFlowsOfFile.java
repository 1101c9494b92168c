package org.flowmon.ingest.file.capture;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.packet.PacketHeaders;
import org.flowmon.ingest.decode.packet.PacketParser;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.file.capture.FileDatagrams.Datagram;
import org.flowmon.ingest.file.reader.ArrivalClock;
import org.flowmon.ingest.meter.FlowMeter;
import org.flowmon.ingest.meter.MeterOptions;

/** Makes flows of the packets of a capture, of which {@code packets_skipped_…} are left out. */
final class PacketFlowsOfFile {
  private final IngestCounters counters;
  private final FlowMeter meter;
  private final PacketParser parser;
  private final PacketHeaders headers = new PacketHeaders();

  PacketFlowsOfFile(
      IngestCounters counters,
      MeterOptions options,
      ProtectedNetworks networks,
      TunnelHeaders tunnels) {
    this.counters = counters;
    meter = new FlowMeter(options, networks);
    parser = new PacketParser(tunnels);
  }

  /**
   * Reads a file to its end; if it fails, the flows so far are ended first.
   *
   * @return packets whose time is far ahead of those around them ({@link ArrivalClock#aheadFlows})
   * @throws IOException naming file and place if it does not continue in its format
   */
  long read(Path file, FlowSink out) throws IOException {
    ArrivalClock clock = new ArrivalClock();
    try (FileDatagrams packets = new FileDatagrams(new WholePackets(file, counters))) {
      long[] following = new long[ArrivalClock.LOOK_AHEAD];
      for (Datagram next = packets.next(); next != null; next = packets.next()) {
        Datagram packet = next;
        long arrival;
        if (clock.needsFollowing(packet.time())) {
          packet = packet.copy(); // looking ahead takes the file's buffer
          arrival = clock.arrival(packet.time(), following, packets.readAhead(following));
        } else {
          arrival = clock.arrival(packet.time());
        }
        add(packet, arrival, out);
      }
    } finally {
      meter.finish(out);
      counters.add(IngestCounter.FLOWS_DECODED, meter.ended());
    }
    return clock.aheadFlows();
  }

  private void add(Datagram packet, long arrival, FlowSink out) {
    LinkLayer.parse(
        parser, packet.linkType(), packet.bytes(), packet.offset(), packet.length(), headers);
    if (headers.isIpCutOff()) {
      counters.increment(IngestCounter.PACKETS_SKIPPED_TRUNCATED);
    } else if (!headers.hasIp()) {
      counters.increment(IngestCounter.PACKETS_SKIPPED_NOT_IP);
    } else {
      meter.add(headers, packet.time(), arrival, out);
    }
  }
}

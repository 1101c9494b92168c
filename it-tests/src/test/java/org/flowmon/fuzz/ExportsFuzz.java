package org.flowmon.fuzz;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.flowmon.ingest.publish.BatchCollectingSink;

/**
 * Sequences of datagrams against a decoder that keeps templates. The counters must add up, each
 * batch must open, and a NetFlow v5 datagram must give what its fixed layout says.
 */
final class ExportsFuzz implements FuzzTarget {
  private static final int V5_HEADER = 24;
  private static final int V5_RECORD = 48;

  @Override
  public String name() {
    return "exports";
  }

  @Override
  public String about() {
    return "sequences of NetFlow v5, v9, IPFIX and sFlow datagrams from four exporters";
  }

  @Override
  public List<byte[]> seeds() {
    return ExportBytes.conversations();
  }

  @Override
  public void run(byte[] input) {
    IngestCounters counters = new IngestCounters();
    ExportDecoder decoder =
        new ExportDecoder(
            counters,
            new BadDatagramSamples(1),
            ProtectedNetworks.NONE,
            DecoderLimits.defaults(),
            TunnelHeaders.INNER,
            TemplateScope.SESSION,
            ExporterRules.NONE.withSplitBiflows(input.length % 2 == 1));
    List<FlowBatch> batches = new ArrayList<>();
    BatchCollectingSink sink = new BatchCollectingSink(64, batches::add);
    long time = FuzzFlows.START;
    long datagrams = 0;
    for (Datagrams.Datagram datagram : Datagrams.of(input)) {
      byte[] bytes = datagram.bytes();
      long before = sink.flows();
      decoder.decode(
          bytes,
          0,
          bytes.length,
          IpAddress.ofIpv4(0xC000_0200 + datagram.sender()),
          2055,
          time,
          sink);
      sink.flush();
      checkV5(bytes, batches, sink.flows() - before);
      for (FlowBatch batch : batches) {
        FlowBatch.open(batch.bytes().clone());
      }
      batches.clear();
      time += 1000;
      datagrams++;
    }
    long ended =
        counters.get(IngestCounter.DATAGRAMS_DECODED)
            + counters.get(IngestCounter.DATAGRAMS_DAMAGED)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_UNKNOWN_VERSION)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_TRUNCATED)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_LENGTH)
            + counters.get(IngestCounter.DATAGRAMS_DROPPED_BAD_COUNT);
    require(ended == datagrams, datagrams + " datagrams, counters " + counters);
    require(
        counters.get(IngestCounter.FLOWS_DECODED) + counters.get(IngestCounter.BIFLOWS_SPLIT)
            == sink.flows(),
        sink.flows() + " flows, counters " + counters);
  }

  private static void checkV5(byte[] bytes, List<FlowBatch> batches, long flows) {
    if (bytes.length < V5_HEADER || u16(bytes, 0) != 5) {
      return;
    }
    int count = u16(bytes, 2);
    boolean fits = count >= 1 && count <= 30 && V5_HEADER + count * V5_RECORD <= bytes.length;
    require(flows == (fits ? count : 0), flows + " flows of a v5 datagram that counts " + count);
    int i = 0;
    for (FlowBatch batch : batches) {
      for (int row = 0; row < batch.rows(); row++, i++) {
        int at = V5_HEADER + i * V5_RECORD;
        long source = IpAddress.ipv4Low((int) u32(bytes, at));
        IpAddress found = batch.getAddress(FlowColumn.SRC_ADDR, row);
        require(found != null && found.lo() == source, "source of record " + i + ": " + found);
        long packets = batch.getLong(FlowColumn.PACKETS, row);
        require(packets == u32(bytes, at + 16), "packets of record " + i + ": " + packets);
        long octets = batch.getLong(FlowColumn.BYTES, row);
        require(octets == u32(bytes, at + 20), "bytes of record " + i + ": " + octets);
        long port = batch.getLong(FlowColumn.DST_PORT, row);
        require(port == u16(bytes, at + 34), "port of record " + i + ": " + port);
      }
    }
  }

  static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private static int u16(byte[] bytes, int at) {
    return (bytes[at] & 0xFF) << 8 | (bytes[at + 1] & 0xFF);
  }

  private static long u32(byte[] bytes, int at) {
    return (long) u16(bytes, at) << 16 | u16(bytes, at + 2);
  }
}

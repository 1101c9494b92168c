package org.flowmon.deploy.demo.feed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.junit.jupiter.api.Test;

final class RouterCountsTest {
  private static final IpAddress ROUTER = IpAddress.parse("127.0.0.1");

  private final IngestCounters all = new IngestCounters();
  private final RouterCounts senders =
      new RouterCounts(
          new ExportDecoder(
              all, new BadDatagramSamples(1), ProtectedNetworks.NONE, DecoderLimits.defaults()),
          all,
          ROUTER);
  private long seconds = 1_790_000_000;
  private final FlowBatchBuilder builder = new FlowBatchBuilder(1_000);
  private final FlowSink sink =
      new FlowSink() {
        @Override
        public FlowBatchBuilder builder() {
          return builder;
        }

        @Override
        public void rowsEnded(int rows) {}
      };

  @Test
  void flowsAndLossesAreCountedForWhoSentThem() {
    senders.routersSendFrom(Set.of(4_001));
    receive(ROUTER, 4_001, 1, 0);
    receive(ROUTER, 4_001, 1, 1);
    receive(ROUTER, 4_002, 2, 0);
    receive(ROUTER, 4_002, 2, 8); // seven are lost
    receive(IpAddress.parse("127.0.0.2"), 4_001, 1, 0);
    assertEquals(
        Map.of("datagrams_received", 2L, "flows_decoded", 2L), senders.routers().snapshot());
    assertEquals(
        Map.of("datagrams_received", 3L, "flows_decoded", 3L, "sequence_unproven_flows", 7L),
        senders.others().snapshot());
  }

  @Test
  void whatARouterProvesOfAnothersClaimStaysTheOthers() {
    senders.routersSendFrom(Set.of(4_001));
    receive(ROUTER, 4_001, 1, 0);
    receive(ROUTER, 4_002, 2, 0);
    receive(ROUTER, 4_002, 2, 301);
    assertEquals(300L, senders.others().snapshot().get("sequence_unproven_flows"));
    seconds += 61; // from now on the exporter of both is known
    receive(ROUTER, 4_001, 1, 1);
    assertEquals(
        Map.of("datagrams_received", 2L, "flows_decoded", 2L), senders.routers().snapshot());
    assertEquals(
        Map.of("datagrams_received", 2L, "flows_decoded", 2L, "sequence_lost_flows", 300L),
        senders.others().snapshot());
  }

  @Test
  void whatIsNotUnderstoodIsCountedByReasonWhoeverSentIt() {
    senders.routersSendFrom(Set.of(4_001));
    receive(ROUTER, 4_001, 1, 0);
    assertEquals(Map.of(), senders.notUnderstood());
    byte[] random = new byte[40];
    random[1] = 77;
    byte[] cut = {0, 5, 0, 1, 0, 0};
    // NetFlow v9 (RFC 3954) with data of template 256, which is undefined.
    byte[] unknown = new byte[28];
    ByteBuffer.wrap(unknown).putShort((short) 9).putShort((short) 1);
    ByteBuffer.wrap(unknown, 20, 8).putShort((short) 256).putShort((short) 8);
    // IPFIX (RFC 7011) whose set is longer than the message.
    byte[] broken = new byte[20];
    ByteBuffer.wrap(broken).putShort((short) 10).putShort((short) 20);
    ByteBuffer.wrap(broken, 16, 4).putShort((short) 300).putShort((short) 500);
    for (byte[] one : List.of(random, random, cut, unknown, broken)) {
      senders.receive(one, 0, one.length, ROUTER, 4_002, seconds * 1_000_000, sink);
    }
    assertEquals(
        Map.of(
            "datagrams_dropped_unknown_version", 2L,
            "datagrams_dropped_truncated", 1L,
            "sets_dropped_bad_length", 1L,
            "datagrams_damaged", 1L),
        senders.notUnderstood());
    // The data of template 256 waits for it, half an hour at most.
    seconds += 1_801;
    senders.receive(random, 0, random.length, ROUTER, 4_002, seconds * 1_000_000, sink);
    senders.receive(unknown, 0, unknown.length, ROUTER, 4_002, seconds * 1_000_000, sink);
    assertEquals(1L, senders.notUnderstood().get("sets_dropped_no_template"));
  }

  /** A NetFlow v5 flow (Cisco's format). */
  private void receive(IpAddress from, int port, int engine, int sequence) {
    ByteBuffer out = ByteBuffer.allocate(72);
    out.putShort((short) 5).putShort((short) 1).putInt(60_000).putInt((int) seconds).putInt(0);
    out.putInt(sequence).put((byte) 0).put((byte) engine);
    senders.receive(out.array(), 0, 72, from, port, seconds * 1_000_000, sink);
  }
}

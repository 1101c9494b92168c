package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.collect.CollectorDecoders;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What goes wrong on the way from an exporter stands in the confidence of reports, with the exact
 * amount: each fault alone, from the datagram to the report.
 */
class ConfidenceIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  // Windows over end times: a flow of long ago is late.
  private static final String ANALYSIS =
      """
      name: %s
      live:
        query: SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr
        window: 1h
      report: {logic: live}
      sinks: [kafka]
      """;

  @TempDir static Path folder;
  private static OneJvm jvm;

  /** Sends datagrams to a collector. */
  private interface Faults {
    void send(Exporter exporter) throws IOException;
  }

  /** The sums over the windows that were reported; the sampling rate is the highest. */
  private record Sums(long flows, long late, long ahead, long lost, long sampled, long rate) {}

  @BeforeAll
  static void start() {
    jvm = OneJvm.start(folder);
  }

  @AfterAll
  static void stop() {
    if (jvm != null) {
      jvm.close();
    }
  }

  @Test
  void whereNothingIsWrongNothingIsSaid() throws Exception {
    assertEquals(
        new Sums(20, 0, 0, 0, 0, 0),
        report(
            "clean",
            exporter -> {
              for (int i = 0; i < 20; i++) {
                exporter.v5(i, 0, 0);
              }
            }));
  }

  @Test
  void sampledFlowsAreCountedWithTheirRate() throws Exception {
    assertEquals(
        new Sums(20, 0, 0, 0, 15, 100),
        report(
            "sampled",
            exporter -> {
              for (int i = 0; i < 20; i++) {
                exporter.v5(i, i < 5 ? 0 : 100, 0);
              }
            }));
  }

  @Test
  void aGapOfAnExporterThatIsNotKnownYetIsNobodysLoss() throws Exception {
    assertEquals(
        new Sums(20, 0, 0, 0, 0, 0),
        report(
            "gap",
            exporter -> {
              for (int i = 0; i < 20; i++) {
                exporter.v5(i < 10 ? i : i + 7, 0, 0);
              }
            }));
  }

  @Test
  void aGapOfAKnownExporterIsLost() throws Exception {
    assertEquals(
        new Sums(20, 0, 0, 7, 0, 0),
        report(
            "known_gap",
            DecoderLimits.defaults().withEstablishedAfter(0),
            exporter -> {
              for (int i = 0; i < 20; i++) {
                exporter.awaitLosses(i == 19 ? 7 : 0);
                exporter.v5(i < 10 ? i : i + 7, 0, 0);
              }
            }));
  }

  @Test
  void flowsWhoseTemplateIsLostAreLost() throws Exception {
    assertEquals(
        new Sums(20, 0, 0, 3, 0, 0),
        report(
            "template",
            DecoderLimits.defaults().withWaiting(0, 0, 0),
            exporter -> {
              exporter.ipfix(0, false, 3);
              for (int i = 0; i < 20; i++) {
                exporter.awaitLosses(i == 19 ? 3 : 0);
                exporter.ipfix(3 + i, i == 0, 1);
              }
            }));
  }

  @Test
  void flowsThatWaitForTheirTemplateAreNotLost() throws Exception {
    assertEquals(
        new Sums(23, 0, 0, 0, 0, 0),
        report(
            "waiting",
            exporter -> {
              exporter.ipfix(0, false, 3);
              for (int i = 0; i < 20; i++) {
                exporter.ipfix(3 + i, i == 0, 1);
              }
            }));
  }

  @Test
  void lateFlowsAreCounted() throws Exception {
    assertEquals(
        new Sums(24, 4, 0, 0, 0, 0),
        report(
            "late",
            exporter -> {
              for (int i = 0; i < 24; i++) {
                exporter.v5(i, 0, i % 6 == 3 ? 86_400 : 0);
              }
            }));
  }

  private static Sums report(String name, Faults faults) throws Exception {
    return report(name, DecoderLimits.defaults(), faults);
  }

  private static Sums report(String name, DecoderLimits limits, Faults faults) throws Exception {
    FlowTopics.ensure(jvm.bootstrap(), name, OneJvm.PARTITIONS);
    IngestCounters counters = new IngestCounters();
    ExportDecoder decoder =
        new ExportDecoder(counters, new BadDatagramSamples(4), ProtectedNetworks.NONE, limits);
    try (FlowPublisher publisher =
        FlowPublisher.open(PublisherOptions.of(jvm.bootstrap()).withTopic(name).withBatchRows(4))) {
      try (UdpCollector collector =
              UdpCollector.start(
                  List.of(UdpCollector.loopback(0)),
                  1 << 20,
                  new CollectorDecoders(List.of(decoder)),
                  publisher,
                  counters);
          DatagramSocket socket = new DatagramSocket()) {
        faults.send(new Exporter(socket, collector.addresses().get(0), publisher));
      }
      publisher.endOfFile(System.currentTimeMillis() * 1000 + 3_600_000_000L);
    }
    jvm.run(
        name,
        folder.resolve(name),
        1,
        AnalysisConfig.parse(name + ".yaml", ANALYSIS.formatted(name)));
    TreeMap<String, JsonNode> windows = new TreeMap<>();
    for (ConsumerRecord<String, String> record :
        OneJvm.read(jvm.bootstrap(), "flowmon.reports." + name)) {
      JsonNode json = JSON.readTree(record.value());
      windows.put(json.get("window_end").asText(), json.get("confidence"));
    }
    assertTrue(!windows.isEmpty(), counters.toString());
    Sums sums = new Sums(0, 0, 0, 0, 0, 0);
    for (JsonNode confidence : windows.values()) {
      sums =
          new Sums(
              sums.flows() + confidence.get("flows").asLong(),
              sums.late() + confidence.get("late_flows").asLong(),
              sums.ahead() + confidence.get("ahead_flows").asLong(),
              sums.lost() + confidence.get("lost_flows").asLong(),
              sums.sampled() + confidence.get("sampled_flows").asLong(),
              Math.max(sums.rate(), confidence.get("sampling_rate").asLong()));
    }
    return sums;
  }

  /** Writes datagrams by the formats' tables: Cisco's of version 5, RFC 7011. */
  private record Exporter(DatagramSocket socket, InetSocketAddress to, FlowPublisher publisher) {
    private static final int TEMPLATE = 256;

    /** Losses are told a second after they are known; the window is to have a batch after that. */
    void awaitLosses(long flows) {
      while (publisher.stats().flowsLostBefore() < flows) {
        LockSupport.parkNanos(1_000_000);
        if (Thread.interrupted()) { // by the test's timeout
          throw new AssertionError(publisher.stats().flowsLostBefore() + " flows are lost");
        }
      }
    }

    /** A flow by NetFlow v5 that ended some seconds ago. */
    void v5(int sequence, int sampling, int secondsAgo) throws IOException {
      int uptime = 100_000_000;
      ByteBuffer out = ByteBuffer.allocate(72);
      out.putShort((short) 5).putShort((short) 1).putInt(uptime);
      out.putInt((int) (System.currentTimeMillis() / 1000)).putInt(0).putInt(sequence);
      out.putShort((short) 0).putShort((short) (sampling == 0 ? 0 : 1 << 14 | sampling));
      out.putInt(0x0A00_0001).putInt(0x0A00_0002).putInt(0).putInt(0);
      out.putInt(1).putInt(100);
      int last = uptime - secondsAgo * 1000;
      out.putInt(last - 100).putInt(last);
      out.putShort((short) 1024).putShort((short) 53);
      send(out.array());
    }

    /** Flows by IPFIX that ended now, maybe with their template before them. */
    void ipfix(int sequence, boolean template, int flows) throws IOException {
      int length = 16 + (template ? 24 : 0) + 4 + 24 * flows;
      ByteBuffer out = ByteBuffer.allocate(length);
      out.putShort((short) 10).putShort((short) length);
      out.putInt((int) (System.currentTimeMillis() / 1000)).putInt(sequence).putInt(7);
      if (template) {
        out.putShort((short) 2).putShort((short) 24);
        out.putShort((short) TEMPLATE).putShort((short) 4);
        out.putShort((short) 8).putShort((short) 4); // sourceIPv4Address
        out.putShort((short) 12).putShort((short) 4); // destinationIPv4Address
        out.putShort((short) 1).putShort((short) 8); // octetDeltaCount
        out.putShort((short) 153).putShort((short) 8); // flowEndMilliseconds
      }
      out.putShort((short) TEMPLATE).putShort((short) (4 + 24 * flows));
      for (int i = 0; i < flows; i++) {
        out.putInt(0x0A00_0001).putInt(0x0A00_0002);
        out.putLong(100).putLong(System.currentTimeMillis());
      }
      send(out.array());
    }

    private void send(byte[] datagram) throws IOException {
      socket.send(new DatagramPacket(datagram, datagram.length, to));
    }
  }
}

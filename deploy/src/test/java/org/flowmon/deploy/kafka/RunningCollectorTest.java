package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Failure;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Several sockets, and connections beside them, into a real topic. */
class RunningCollectorTest {
  private static final int EXPORTERS = 30;
  private static final int DATAGRAMS = 40;
  private static final int MESSAGES = 25;

  @TempDir Path folder;

  private static RunningCollector collector(ListenOption listen) {
    return new RunningCollector(
        listen,
        (own, limits) ->
            new ExportDecoder(own, new BadDatagramSamples(1), ProtectedNetworks.NONE, limits));
  }

  /** Two flows of NetFlow v5. */
  private static byte[] datagram(int sequence) {
    ByteBuffer out = ByteBuffer.allocate(24 + 2 * 48);
    out.putShort((short) 5).putShort((short) 2).putInt(100_000);
    out.putInt((int) (System.currentTimeMillis() / 1000)).putInt(0).putInt(sequence);
    return out.array();
  }

  /** One flow of IPFIX, with its template. */
  private static byte[] message(int sequence) {
    ByteBuffer out = ByteBuffer.allocate(16 + 12 + 8).putShort((short) 10).putShort((short) 36);
    out.putInt((int) (System.currentTimeMillis() / 1000)).putInt(sequence).putInt(7);
    out.putShort((short) 2).putShort((short) 12).putShort((short) 256).putShort((short) 1);
    out.putShort((short) 8).putShort((short) 4);
    out.putShort((short) 256).putShort((short) 8).putInt(0x0A00_0001);
    return out.array();
  }

  @Test
  void everyFlowOfFourSocketsAndConnectionsIsInTheTopic() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/net/udp")), "no addresses for many exporters");
    ListenOption listen = new ListenOption();
    new CommandLine(listen)
        .parseArgs("--listen", "127.0.0.1:0,tcp://127.0.0.1:0", "--sockets", "4");
    listen.check();
    assertEquals(5, listen.publishers());
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      FlowTopics.ensure(kafka.bootstrapServers(), "flows", 2);
      List<FlowPublisher> publishers = new ArrayList<>();
      for (int i = 0; i < listen.publishers(); i++) {
        publishers.add(
            FlowPublisher.open(PublisherOptions.of(kafka.bootstrapServers()).withTopic("flows")));
      }
      RunningCollector collector = collector(listen);
      try (collector) {
        collector.start(publishers, Optional.empty(), ExporterRules.NONE);
        long sent = send(collector);
        while (collector.counters().get(IngestCounter.DATAGRAMS_RECEIVED) < sent) {
          Thread.sleep(1);
        }
        List<ExporterStatus> exporters = collector.exporters(100).exporters();
        IpAddress connected = IpAddress.parse("127.0.0.1"); // while it is
        assertEquals(
            EXPORTERS, exporters.stream().filter(one -> !one.address().equals(connected)).count());
      }
      IngestCounters counters = collector.counters();
      long flows = EXPORTERS * DATAGRAMS * 2L + MESSAGES;
      assertEquals(flows, counters.get(IngestCounter.FLOWS_DECODED), counters.toString());
      assertEquals(0, counters.get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS), counters.toString());
      assertEquals(flows, collector.stats().flowsProduced());
      assertEquals(0, collector.stats().flowsUnderWay());
      assertEquals(0, collector.stats().arrivalsBack(), "arrivals of a stream ascend");
      assertEquals(4, collector.sockets().size());
      assertEquals(0, collector.kernelDrops().orElse(-1));
      assertEquals(flows, flowsInTopic(kafka.bootstrapServers()));
    }
  }

  @Test
  void anErrorInAThreadThatReceivesEndsTheCollectorWithItsCause() throws Exception {
    ListenOption listen = new ListenOption();
    new CommandLine(listen).parseArgs("--listen", "tcp://127.0.0.1:0");
    listen.check();
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      FlowTopics.ensure(kafka.bootstrapServers(), "flows", 1);
      RunningCollector collector =
          new RunningCollector(
              listen,
              (own, limits) -> {
                throw new NoClassDefFoundError("missing");
              });
      collector.start(
          List.of(
              FlowPublisher.open(PublisherOptions.of(kafka.bootstrapServers()).withTopic("flows"))),
          Optional.empty(),
          ExporterRules.NONE);
      String place = collector.places();
      int port = Integer.parseInt(place.substring(place.lastIndexOf(':') + 1));
      try (Socket connection = new Socket(InetAddress.getLoopbackAddress(), port)) {
        connection.getOutputStream().write(message(0));
        while (collector.failure().isEmpty()) {
          Thread.sleep(1);
        }
      }
      Failure failure = Failure.of(assertThrows(IOException.class, collector::close));
      assertEquals(ExitCodes.ABORTED, failure.code());
      assertTrue(failure.line().contains("missing"), failure.line());
    }
  }

  /** By UDP from many addresses, and by a connection; returns datagrams and messages. */
  private static long send(RunningCollector collector) throws Exception {
    InetSocketAddress udp = collector.sockets().get(0).address();
    for (int i = 0; i < EXPORTERS; i++) {
      InetAddress from = InetAddress.getByAddress(new byte[] {127, 2, 0, (byte) (1 + i)});
      try (DatagramSocket exporter = new DatagramSocket(0, from)) {
        for (int n = 0; n < DATAGRAMS; n++) {
          byte[] bytes = datagram(2 * n);
          exporter.send(new DatagramPacket(bytes, bytes.length, udp));
        }
      }
    }
    String place = collector.places();
    assertTrue(place.contains("(4 sockets), tcp://127.0.0.1:"), place);
    int port = Integer.parseInt(place.substring(place.lastIndexOf(':') + 1));
    try (Socket connection = new Socket(InetAddress.getLoopbackAddress(), port)) {
      for (int n = 0; n < MESSAGES; n++) {
        connection.getOutputStream().write(message(n));
      }
    }
    return EXPORTERS * DATAGRAMS + MESSAGES;
  }

  private static long flowsInTopic(String bootstrap) {
    List<TopicPartition> all =
        List.of(new TopicPartition("flows", 0), new TopicPartition("flows", 1));
    long flows = 0;
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      while (all.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofMillis(100))) {
          flows += FlowBatch.open(one.value()).rows();
        }
      }
    }
    return flows;
  }
}

package org.flowmon.it;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowFormatException;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.ingest.synthetic.exporter.ExporterSimulator;

/** Sends {@link HostileInput} among what others send. */
final class HostileSenders {
  /** Under other addresses and, by another port, under that of the demo's routers. */
  private static final List<String> SENDERS =
      List.of("127.0.0.1", "127.0.0.2", "127.0.3.4", "127.255.255.254");

  private HostileSenders() {}

  /**
   * Follows a topic and puts a hostile message behind every so many, into the same partition, until
   * it is stopped.
   *
   * @param sendable whether a hostile message, the second, is to be sent behind a good one
   * @return values of the messages that Kafka took
   */
  static List<byte[]> amongMessages(
      String bootstrap,
      String topic,
      int every,
      HostileInput input,
      BiPredicate<byte[], byte[]> sendable,
      AtomicBoolean stop)
      throws Exception {
    List<byte[]> sent = new ArrayList<>();
    Map<String, Object> properties = Map.of("bootstrap.servers", bootstrap);
    try (KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      for (PartitionInfo info : consumer.partitionsFor(topic)) {
        partitions.add(new TopicPartition(topic, info.partition()));
      }
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      int seen = 0;
      while (!stop.get()) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          byte[] value = record.value();
          // Of batches: heartbeats are short.
          if (value.length > 200 && ++seen % every == 0) {
            byte[] hostile = input.message(value);
            while (!sendable.test(value, hostile)) {
              hostile = input.message(value);
            }
            producer.send(new ProducerRecord<>(topic, record.partition(), null, hostile)).get();
            sent.add(hostile);
          }
        }
      }
    }
    return sent;
  }

  /** Whether a job leaves a message out, as its bytes are no batch or from the future. */
  static boolean isRefused(byte[] message) {
    try {
      long ahead = FlowBatch.open(message).maxArrival() - System.currentTimeMillis() * 1_000;
      return ahead > Duration.ofHours(1).toNanos() / 1_000;
    } catch (FlowFormatException e) {
      return true;
    }
  }

  /** Datagrams of simulated routers, all versions among them. */
  static List<byte[]> exports(long seed) throws Exception {
    List<byte[]> datagrams = new ArrayList<>();
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        ExporterSimulator routers =
            new ExporterSimulator(
                new TrafficModel(seed, TrafficOptions.defaults()),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort()),
                ExporterSimulator.defaultExporters())) {
      socket.setReceiveBufferSize(1 << 20);
      socket.setSoTimeout(1_000);
      routers.run(new ExporterSimulator.Pace(0, 100, Duration.ofSeconds(5), 2_000));
      byte[] buffer = new byte[1 << 16];
      long sent = routers.sent().total().datagrams();
      while (datagrams.size() < Math.min(sent, 50)) {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        socket.receive(packet);
        datagrams.add(Arrays.copyOf(buffer, packet.getLength()));
      }
    }
    return datagrams;
  }

  /**
   * Sends hostile datagrams at a steady rate, until it is stopped.
   *
   * @return how many
   */
  static int amongDatagrams(
      InetSocketAddress to, int everyMillis, HostileInput input, AtomicBoolean stop)
      throws Exception {
    List<byte[]> good = exports(1);
    List<DatagramSocket> sockets = new ArrayList<>();
    try {
      for (String address : SENDERS) {
        sockets.add(new DatagramSocket(new InetSocketAddress(address, 0)));
      }
      int sent = 0;
      for (; !stop.get(); sent++) {
        byte[] hostile = input.datagram(good.get(sent % good.size()));
        sockets.get(sent % sockets.size()).send(new DatagramPacket(hostile, hostile.length, to));
        Thread.sleep(everyMillis);
      }
      return sent;
    } finally {
      sockets.forEach(DatagramSocket::close);
    }
  }
}

package org.flowmon.deploy.demo.feed;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.deploy.demo.service.DemoOptions;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.exporter.ExporterSimulator;
import org.flowmon.ingest.synthetic.exporter.SentCounts;

/**
 * Simulated routers → UDP on loopback → collector → Kafka. The routers wait for room in the
 * collector's socket: a demo shows flowmon at the machine's rate, not a kernel's drops.
 */
final class ExporterFeed implements FlowFeed {
  private static final int RECEIVE_BUFFER = 16 << 20;

  /** Room for a datagram of 1400 bytes in a Linux socket's buffer, with a reserve. */
  private static final int BUFFER_PER_DATAGRAM = 4_608;

  private static final int SAMPLES_PER_REASON = 4;

  private final FlowPublisher publisher;
  private final IngestCounters counters = new IngestCounters();
  private final RouterCounts senders;
  private final UdpCollector collector;
  private final ExporterSimulator simulator;
  private final FeedThread sender;
  private boolean collecting = true;

  ExporterFeed(FlowPublisher publisher, TrafficModel model, DemoOptions options)
      throws IOException {
    this.publisher = publisher;
    ExportDecoder decoder =
        new ExportDecoder(
            counters,
            new BadDatagramSamples(SAMPLES_PER_REASON),
            new ProtectedNetworks(TrafficModel.protectedNetworks()),
            DecoderLimits.defaults());
    InetSocketAddress listen = UdpCollector.loopback(0);
    this.senders =
        new RouterCounts(decoder, counters, IpAddress.ofBytes(listen.getAddress().getAddress()));
    this.collector =
        UdpCollector.start(List.of(listen), RECEIVE_BUFFER, senders, publisher, counters);
    this.simulator = simulator(model);
    this.sender =
        new FeedThread(
            "demo-routers",
            () ->
                simulator.run(
                    ExporterSimulator.Pace.of(options.flowsPerSecond(), options.duration())));
  }

  private ExporterSimulator simulator(TrafficModel model) throws IOException {
    try {
      InetSocketAddress target = collector.addresses().get(0);
      ExporterSimulator routers =
          new ExporterSimulator(model, target, ExporterSimulator.defaultExporters());
      routers.waitForReceiver(
          () -> senders.routers().get(IngestCounter.DATAGRAMS_RECEIVED),
          Math.max(8, Math.min(4_096, collector.receiveBufferBytes() / BUFFER_PER_DATAGRAM)));
      senders.routersSendFrom(routers.ports());
      return routers;
    } catch (IOException | RuntimeException e) {
      collector.close();
      throw e;
    }
  }

  @Override
  public void tellWhereItListens(PrintStream out) throws IOException {
    InetSocketAddress address = collector.addresses().get(0);
    out.printf(
        "exports of your own (NetFlow v5, v9, IPFIX) are taken, too, at UDP %s:%d%n",
        address.getAddress().getHostAddress(), address.getPort());
  }

  @Override
  public void start() {
    sender.start();
  }

  @Override
  public boolean isSending() {
    return sender.isRunning();
  }

  @Override
  public long sent() {
    SentCounts sent = simulator.sent();
    return sent.flows();
  }

  @Override
  public Map<String, Long> dropped() {
    Map<String, Long> dropped = new TreeMap<>();
    put(dropped, IngestCounter.SEQUENCE_LOST_FLOWS);
    put(dropped, IngestCounter.SEQUENCE_UNPROVEN_FLOWS);
    put(dropped, IngestCounter.FLOWS_DROPPED_NO_TEMPLATE);
    publisher
        .stats()
        .failedByReason()
        .forEach((reason, flows) -> dropped.put("publish " + reason, flows));
    return dropped;
  }

  @Override
  public long others() {
    return senders.others().get(IngestCounter.FLOWS_DECODED);
  }

  @Override
  public Set<Long> producerIds() {
    return publisher.producerIds();
  }

  @Override
  public Map<String, Long> notUnderstood() {
    return senders.notUnderstood();
  }

  @Override
  public List<InputFaults.LeftOut> leftOut() {
    return List.of(); // no files
  }

  private void put(Map<String, Long> dropped, IngestCounter counter) {
    long count = senders.routers().get(counter);
    if (count != 0) {
      dropped.put(counter.label(), count);
    }
  }

  @Override
  public void finish() throws IOException, InterruptedException {
    sender.await();
    collecting = false;
    collector.close();
    Instant now = Instant.now();
    publisher.endOfFile(FlowTime.micros(now));
  }

  @Override
  public void close() throws IOException {
    simulator.stop();
    try (publisher;
        simulator) {
      if (collecting) {
        collecting = false;
        collector.close();
      }
    }
  }
}

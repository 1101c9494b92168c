package org.flowmon.deploy.kafka;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.collect.CollectorDecoders;
import org.flowmon.ingest.collect.ServerTls;
import org.flowmon.ingest.collect.TcpCollector;
import org.flowmon.ingest.collect.TemplateKeeper;
import org.flowmon.ingest.collect.UdpCollector;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.PublisherStats;

/**
 * The parts of a collector. Each thread that receives UDP has a publisher, so a stream of its own
 * in each partition, where arrivals ascend; all connections together have another one.
 */
final class RunningCollector implements Closeable {
  private final ListenOption listen;
  private final BiFunction<IngestCounters, DecoderLimits, ExportDecoder> newDecoder;
  private final List<IngestCounters> counters = new ArrayList<>();
  private final CollectorDecoders decoders;
  private final List<FlowPublisher> publishers = new ArrayList<>();
  private Optional<TemplateKeeper> keeper = Optional.empty();
  private Optional<UdpCollector> udp = Optional.empty();
  private Optional<TcpCollector> tcp = Optional.empty();
  private boolean started;

  /** {@code newDecoder} makes decoders, with the rules so far. Nothing is opened yet. */
  RunningCollector(
      ListenOption listen, BiFunction<IngestCounters, DecoderLimits, ExportDecoder> newDecoder) {
    this.listen = listen;
    this.newDecoder = newDecoder;
    List<ExportDecoder> parts = new ArrayList<>();
    for (int i = 0; i < listen.lanes(); i++) {
      IngestCounters own = new IngestCounters();
      counters.add(own);
      parts.add(newDecoder.apply(own, DecoderLimits.defaults().sharedBy(listen.lanes())));
    }
    decoders = new CollectorDecoders(parts);
  }

  /**
   * Restores templates from a file and keeps them there. What is damaged or of another kind is no
   * reason to take no flows.
   *
   * @return what was restored, for people
   * @throws CommandException if nothing can be saved there
   */
  String keepTemplates(Path file) {
    TemplateKeeper opened;
    try {
      opened = TemplateKeeper.open(decoders, file);
    } catch (IOException e) {
      throw new CommandException("--state " + file + ": cannot be written: " + e);
    }
    keeper = Optional.of(opened);
    try {
      return opened.restore(FlowTime.now()) + " templates restored from " + file;
    } catch (IOException e) {
      return "no templates restored from "
          + file
          + ": "
          + e.getMessage()
          + "; data waits for the exporters' next ones";
    }
  }

  /**
   * Starts.
   *
   * @param all at least as many publishers as {@link ListenOption#publishers}; they are closed with
   *     this
   */
  void start(List<FlowPublisher> all, Optional<ServerTls> tls, ExporterRules rules)
      throws IOException {
    int lanes = listen.lanes();
    publishers.addAll(all);
    if (lanes > 0) {
      List<UdpCollector.Lane> threads = new ArrayList<>();
      for (int i = 0; i < lanes; i++) {
        threads.add(new UdpCollector.Lane(decoders, publishers.get(i), counters.get(i)));
      }
      udp = Optional.of(UdpCollector.start(listen.udp(), listen.receiveBuffer(), threads));
    }
    if (!listen.tcp().isEmpty()) {
      DecoderLimits limits = DecoderLimits.defaults().forConnection();
      TcpCollector.Target target =
          new TcpCollector.Target(
              own -> newDecoder.apply(own, limits), publishers.get(listen.publishers() - 1));
      tcp = Optional.of(TcpCollector.start(listen.tcp(), tls, rules, listen.limits(), target));
    }
    keeper.ifPresent(one -> one.start(TemplateKeeper.INTERVAL));
    started = true;
  }

  void useRules(ExporterRules rules) {
    decoders.useRules(rules);
    tcp.ifPresent(one -> one.useRules(rules));
  }

  void useTls(ServerTls tls) {
    tcp.ifPresent(one -> one.useTls(tls));
  }

  /** Empty while all parts run. */
  Optional<Throwable> failure() {
    return udp.flatMap(one -> Optional.ofNullable(one.failure()))
        .or(() -> tcp.flatMap(one -> Optional.ofNullable(one.failure())));
  }

  /** The addresses, for people. */
  String places() {
    Stream<String> ofUdp =
        udp.stream()
            .flatMap(one -> one.addresses().stream())
            .map(
                place ->
                    text(place) + (listen.lanes() > 1 ? " (" + listen.lanes() + " sockets)" : ""));
    List<TcpCollector.Listen> asked = listen.tcp();
    List<String> all = new ArrayList<>(ofUdp.toList());
    for (int i = 0; i < asked.size(); i++) {
      all.add(
          (asked.get(i).isTls() ? "tls://" : "tcp://")
              + text(tcp.orElseThrow().addresses().get(i)));
    }
    return String.join(", ", all);
  }

  private static String text(Object place) {
    return place.toString().replaceFirst("^[^/]*/", "");
  }

  /** The smallest receive buffer that the kernel gave; empty without UDP. */
  OptionalLong receiveBufferBytes() throws IOException {
    return udp.isPresent() ? OptionalLong.of(udp.get().receiveBufferBytes()) : OptionalLong.empty();
  }

  /** The counts of all decoders together. */
  IngestCounters counters() {
    List<IngestCounters> all = new ArrayList<>(counters);
    tcp.ifPresent(one -> all.add(one.counters()));
    return IngestCounters.sum(all);
  }

  /** Of UDP. */
  List<UdpCollector.SocketDrops> sockets() {
    return udp.map(UdpCollector::sockets).orElse(List.of());
  }

  /** Datagrams that the kernel dropped at the sockets; empty if it does not tell. */
  OptionalLong kernelDrops() {
    return udp.isPresent() ? udp.get().kernelDrops() : OptionalLong.of(0);
  }

  /** Open connections; empty if it does not listen for any. */
  Optional<Integer> connections() {
    return tcp.map(TcpCollector::connections);
  }

  /** TLS's handshakes under way; empty likewise. */
  Optional<Integer> handshakes() {
    return tcp.map(TcpCollector::handshakes);
  }

  /** The counts of all publishers together. */
  PublisherStats stats() {
    return PublisherStats.sum(publishers.stream().map(FlowPublisher::stats).toList());
  }

  /**
   * All known exporters, and so many strangers; one that sends by UDP and over connections comes
   * once.
   *
   * @throws IOException if the collector does not answer
   */
  ExportDecoder.Exporters exporters(int mostStrangers) throws IOException {
    ExportDecoder.Exporters ofUdp = decoders.statuses(mostStrangers);
    List<ExporterStatus> connected = tcp.map(TcpCollector::statuses).orElse(List.of());
    List<ExporterStatus> all =
        Stream.concat(ofUdp.exporters().stream(), connected.stream())
            .collect(
                Collectors.groupingBy(
                    ExporterStatus::address, LinkedHashMap::new, Collectors.toList()))
            .values()
            .stream()
            .map(some -> some.stream().reduce(ExporterStatus::with).orElseThrow())
            .toList();
    return new ExportDecoder.Exporters(all, ofUdp.strangers());
  }

  /**
   * The last counters of each interface of known exporters that came since then (µs).
   *
   * @throws IOException as {@link #exporters}
   */
  List<InterfaceCounters> interfaceCounters(long since) throws IOException {
    return decoders.interfaceCounters(since); // sFlow comes by UDP only
  }

  /** If anything fails, flows are still sent or counted as lost, and templates are saved. */
  @Override
  public void close() throws IOException {
    try {
      closeAll(Stream.concat(udp.stream(), tcp.stream()).toList());
    } finally {
      try {
        closeAll(publishers.stream().map(one -> (Closeable) one::close).toList());
      } finally {
        if (started) {
          keeper.ifPresent(TemplateKeeper::close);
        }
      }
    }
  }

  /** At once, as each may wait for Kafka; throws the first failure. */
  private static void closeAll(List<? extends Closeable> parts) throws IOException {
    List<IOException> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (Closeable part : parts) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  part.close();
                } catch (IOException e) {
                  synchronized (failures) {
                    failures.add(e);
                  }
                }
              },
              "collect-close");
      thread.start();
      threads.add(thread);
    }
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true; // the caller is in a hurry
          threads.forEach(Thread::interrupt);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (failures) {
      if (!failures.isEmpty()) {
        throw failures.get(0);
      }
    }
  }
}

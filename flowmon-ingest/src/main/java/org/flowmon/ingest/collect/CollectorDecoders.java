package org.flowmon.ingest.collect;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.Exporter;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.flowmon.ingest.decode.exporter.InterfaceCounters;
import org.flowmon.ingest.decode.exporter.SavedTemplates;

/**
 * The decoders of a collector's threads. An exporter (an IPv4 address, a /64 of IPv6) belongs to
 * one of them, whichever thread its datagrams come to: so templates of another port, limits and
 * counts are the same as with one thread. The thread that received a datagram decodes it, into its
 * own sink, and waits if another one is at work with the same decoder; nothing is handed over.
 *
 * <p>Thread-safe.
 */
public final class CollectorDecoders implements UdpCollector.Receiver {
  private static final long WAIT_SECONDS = 5;

  /** A decoder and its lock. */
  private record Part(ExportDecoder decoder, ReentrantLock lock) {
    void locked(Consumer<ExportDecoder> work) {
      lock.lock();
      try {
        work.accept(decoder);
      } finally {
        lock.unlock();
      }
    }
  }

  private final List<Part> parts;

  /** The decoders are these ones' from now on. */
  public CollectorDecoders(List<ExportDecoder> decoders) {
    parts = decoders.stream().map(one -> new Part(one, new ReentrantLock())).toList();
  }

  private Part of(IpAddress exporter) {
    if (parts.size() == 1) {
      return parts.get(0);
    }
    Exporter.Source source = Exporter.Source.of(exporter);
    long hash = TableHash.of(source.hi(), source.lo());
    return parts.get((int) Long.remainderUnsigned(hash, parts.size()));
  }

  @Override
  public void receive(
      byte[] datagram,
      int offset,
      int length,
      IpAddress exporter,
      int port,
      long arrivalMicros,
      FlowSink out) {
    Part part = of(exporter);
    part.lock.lock();
    try {
      part.decoder.decode(datagram, offset, length, exporter, port, arrivalMicros, out);
    } finally {
      part.lock.unlock();
    }
  }

  /** More than once has the effect of once. */
  @Override
  public void end() {
    parts.forEach(part -> part.locked(ExportDecoder::endInput));
  }

  /** Replaces the rules of the configuration; what comes from now on goes by the new ones. */
  public void useRules(ExporterRules rules) {
    parts.forEach(part -> part.locked(decoder -> decoder.useRules(rules)));
  }

  /**
   * What is remembered of exporters, with so many strangers or a few more.
   *
   * @throws IOException if a thread does not let go of its decoder for five seconds
   */
  public ExportDecoder.Exporters statuses(int mostStrangers) throws IOException {
    List<ExporterStatus> all = new ArrayList<>();
    int most = (mostStrangers + parts.size()) / Math.max(1, parts.size());
    int strangers = 0;
    for (Part part : parts) {
      lock(part);
      try {
        ExportDecoder.Exporters some = part.decoder.statuses(most);
        all.addAll(some.exporters());
        strangers += some.strangers();
      } finally {
        part.lock.unlock();
      }
    }
    return new ExportDecoder.Exporters(all, strangers);
  }

  /**
   * {@link ExportDecoder#interfaceCounters} of all decoders.
   *
   * @throws IOException as {@link #statuses}
   */
  public List<InterfaceCounters> interfaceCounters(long since) throws IOException {
    List<InterfaceCounters> all = new ArrayList<>();
    for (Part part : parts) {
      lock(part);
      try {
        all.addAll(part.decoder.interfaceCounters(since));
      } finally {
        part.lock.unlock();
      }
    }
    return all;
  }

  private static void lock(Part part) throws IOException {
    try {
      if (!part.lock.tryLock(WAIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("the collector does not answer within " + WAIT_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the collector is ending", e);
    }
  }

  /**
   * The templates of known exporters, for {@link #restore}. Threads that decode wait for a few
   * hundred µs at a time; each exporter's templates are of one moment.
   */
  SavedTemplates.Writer templates() {
    SavedTemplates.Writer writer = new SavedTemplates.Writer();
    for (Part part : parts) {
      List<Exporter> known = new ArrayList<>();
      part.locked(decoder -> known.addAll(decoder.knownExporters()));
      Iterator<Exporter> left = known.iterator();
      while (left.hasNext()) {
        writer.makeRoom();
        part.locked(decoder -> writer.add(left));
      }
    }
    return writer;
  }

  /**
   * Restores what {@link #templates} gave, whatever the number of decoders was, before the first
   * datagram.
   *
   * @return how many templates
   * @throws IOException if they are damaged or no templates
   */
  int restore(byte[] saved, long nowMicros) throws IOException {
    return ExportDecoder.restoreTemplates(saved, address -> of(address).decoder, nowMicros);
  }
}

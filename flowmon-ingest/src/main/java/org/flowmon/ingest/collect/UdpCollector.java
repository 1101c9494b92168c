package org.flowmon.ingest.collect;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.ExportDecoder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes the export datagrams of one or more UDP ports into a sink, on one thread. The sink must
 * not wait, like a {@link org.flowmon.ingest.publish.FlowPublisher} with {@link
 * org.flowmon.ingest.publish.PublisherOptions#ofCollector}: once the kernel's buffer is full,
 * datagrams are lost. The ports take turns of several datagrams, so that a flood on one does not
 * silence the others.
 *
 * <p>Sent datagrams = {@code datagrams_received} + {@code datagrams_dropped_kernel} + {@code
 * datagrams_dropped_at_stop}, if the kernel reports its drops ({@link #kernelDrops}).
 */
public final class UdpCollector implements Closeable {
  public static final long TICK_MILLIS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(UdpCollector.class);
  private static final int MAX_DATAGRAM = 1 << 16;
  // The most datagrams of one socket in a row, with one look at the clock.
  static final int BURST = 64;
  private static final long KERNEL_MILLIS = 1000;
  private static final long DRAIN_MILLIS = 5000;
  // Reading without decoding empties any buffer in less; exporters may go on sending.
  private static final long DISCARD_MILLIS = 1000;

  /** The receiver of a collector's datagrams, for example {@link ExportDecoder#decode}. */
  public interface Receiver {
    /** On the collector's thread; {@code datagram} is only read and only until this returns. */
    void receive(
        byte[] datagram,
        int offset,
        int length,
        IpAddress exporter,
        int port,
        long arrivalMicros,
        FlowSink out);

    /** After the last datagram, so that all that waits is counted. */
    default void end() {}
  }

  private record Decoding(ExportDecoder decoder) implements Receiver {
    @Override
    public void receive(
        byte[] datagram,
        int offset,
        int length,
        IpAddress exporter,
        int port,
        long arrivalMicros,
        FlowSink out) {
      decoder.decode(datagram, offset, length, exporter, port, arrivalMicros, out);
    }

    @Override
    public void end() {
      decoder.endInput();
    }
  }

  private final Selector selector;
  private final List<DatagramChannel> channels;
  private final Set<Integer> ports = new HashSet<>();
  private final Receiver receiver;
  private final CollectorSink sink;
  private final IngestCounters counters;
  private final KernelDrops kernel = new KernelDrops();
  private final Thread thread;
  private final byte[] bytes = new byte[MAX_DATAGRAM];
  private final ByteBuffer buffer = ByteBuffer.wrap(bytes);

  private final Queue<Runnable> questions = new ConcurrentLinkedQueue<>();
  private final long drainMillis;

  // Written before {@code stopping}.
  private long drainUntil;
  private volatile boolean stopping;
  private volatile @Nullable Throwable failure;
  private volatile long kernelDrops = -1;
  private final long lossesBefore;
  private long knownLosses;
  private long toldLosses;
  private long clock = Long.MIN_VALUE;
  private @Nullable SocketAddress lastSender;
  private IpAddress lastExporter = IpAddress.ofIpv4(0);
  private int lastPort;

  private UdpCollector(
      Selector selector,
      List<DatagramChannel> channels,
      Receiver receiver,
      CollectorSink sink,
      IngestCounters counters,
      long drainMillis)
      throws IOException {
    this.drainMillis = drainMillis;
    this.selector = selector;
    this.channels = channels;
    this.receiver = receiver;
    this.sink = sink;
    this.counters = counters;
    this.lossesBefore = countedLosses();
    List<InetSocketAddress> addresses = addresses();
    addresses.forEach(address -> ports.add(address.getPort()));
    thread = new Thread(this::run, "flowmon-collector-" + addresses.get(0).getPort());
  }

  public static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /**
   * Binds the ports (0: any free one, {@link #addresses}) and starts; decoder and sink then belong
   * to the collector's thread. The kernel may give smaller buffers ({@link #receiveBufferBytes}).
   *
   * @throws IOException naming the port if it cannot be bound
   */
  public static UdpCollector start(
      List<InetSocketAddress> listen,
      int receiveBufferBytes,
      ExportDecoder decoder,
      CollectorSink sink,
      IngestCounters counters)
      throws IOException {
    return start(listen, receiveBufferBytes, new Decoding(decoder), sink, counters);
  }

  /** With a receiver before the decoder, used by the collector's thread alone from now on. */
  public static UdpCollector start(
      List<InetSocketAddress> listen,
      int receiveBufferBytes,
      Receiver receiver,
      CollectorSink sink,
      IngestCounters counters)
      throws IOException {
    return start(listen, receiveBufferBytes, receiver, sink, counters, DRAIN_MILLIS);
  }

  /** For tests: decodes waiting datagrams for {@code drainMillis} after {@link #close}. */
  static UdpCollector start(
      List<InetSocketAddress> listen,
      int receiveBufferBytes,
      Receiver receiver,
      CollectorSink sink,
      IngestCounters counters,
      long drainMillis)
      throws IOException {
    if (listen.isEmpty()) {
      throw new IllegalArgumentException("a collector listens on at least one port");
    }
    List<DatagramChannel> channels = new ArrayList<>();
    Selector selector = Selector.open();
    try {
      for (InetSocketAddress address : listen) {
        channels.add(bind(address, receiveBufferBytes, selector));
      }
      UdpCollector collector =
          new UdpCollector(selector, channels, receiver, sink, counters, drainMillis);
      collector.thread.start();
      return collector;
    } catch (IOException | RuntimeException e) {
      for (DatagramChannel channel : channels) {
        channel.close();
      }
      selector.close();
      throw e;
    }
  }

  private static DatagramChannel bind(InetSocketAddress address, int buffer, Selector selector)
      throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, buffer);
      channel.bind(address);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw new IOException("cannot listen on UDP " + address + ": " + e.getMessage(), e);
    }
  }

  /** The bound addresses, in the order of the requested ones. */
  public List<InetSocketAddress> addresses() throws IOException {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (DatagramChannel channel : channels) {
      addresses.add((InetSocketAddress) channel.getLocalAddress());
    }
    return addresses;
  }

  /** The smallest that the kernel gave (Linux doubles the requested size). */
  public int receiveBufferBytes() throws IOException {
    int smallest = Integer.MAX_VALUE;
    for (DatagramChannel channel : channels) {
      smallest = Math.min(smallest, channel.getOption(StandardSocketOptions.SO_RCVBUF));
    }
    return smallest;
  }

  /** Datagrams that the kernel dropped, up to a second ago; empty if it does not report them. */
  public OptionalLong kernelDrops() {
    return kernelDrops < 0 ? OptionalLong.empty() : OptionalLong.of(kernelDrops);
  }

  /** Null while the collector runs, or if it was closed. */
  public @Nullable Throwable failure() {
    return failure;
  }

  private void run() {
    try {
      lookAtKernel();
      long lastTick = System.nanoTime();
      long lastLook = lastTick;
      while (!stopping) {
        selector.select(TICK_MILLIS);
        selector.selectedKeys().clear();
        receiveFromAll();
        long now = System.nanoTime();
        if (now - lastTick >= TICK_MILLIS * 1_000_000) {
          sink.tick(readClock());
          answer();
          lastTick = now;
        }
        if (now - lastLook >= KERNEL_MILLIS * 1_000_000) {
          lookAtKernel();
          tellLosses();
          lastLook = now;
        }
      }
      drain();
      receiver.end();
      lookAtKernel();
      tellLosses();
      tellLosses();
      sink.tick(readClock());
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      LOG.error("the collector on {} has ended", ports, e);
    }
  }

  /**
   * Asks something on the collector's thread, for example a decoder's state, within {@link
   * #TICK_MILLIS} or so. A collector that has ended never answers.
   */
  public <T> CompletableFuture<T> ask(Supplier<T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    questions.add(
        () -> {
          try {
            answer.complete(question.get());
          } catch (RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  private void answer() {
    for (Runnable question = questions.poll(); question != null; question = questions.poll()) {
      question.run();
    }
  }

  private long countedLosses() {
    return counters.get(IngestCounter.SEQUENCE_LOST_FLOWS)
        + counters.get(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE)
        + counters.get(IngestCounter.FLOWS_DROPPED_TOO_MANY);
  }

  /** Tells the sink the losses that were known at the last call and still are. */
  private void tellLosses() {
    long known = countedLosses() - lossesBefore;
    long sure = Math.min(known, knownLosses);
    knownLosses = known;
    if (sure > toldLosses) {
      sink.lost(sure - toldLosses);
      toldLosses = sure;
    }
  }

  /** For a limited time, as exporters may go on sending; the rest counts as dropped. */
  private void drain() throws IOException {
    while (receiveFromAll() && mayReceive()) {
      // on
    }
    if (!mayReceive()) {
      discardFromAll();
    }
  }

  private boolean mayReceive() {
    return !stopping || System.nanoTime() - drainUntil < 0;
  }

  boolean isStopping() {
    return stopping;
  }

  private void discardFromAll() throws IOException {
    long until = System.nanoTime() + DISCARD_MILLIS * 1_000_000;
    long discarded = 0;
    for (DatagramChannel channel : channels) {
      buffer.clear();
      while (channel.receive(buffer) != null) {
        discarded++;
        if (System.nanoTime() - until >= 0) {
          break;
        }
        buffer.clear();
      }
    }
    counters.add(IngestCounter.DATAGRAMS_DROPPED_AT_STOP, discarded);
  }

  private boolean receiveFromAll() throws IOException {
    boolean any = false;
    for (DatagramChannel channel : channels) {
      long arrival = readClock();
      for (int i = 0; i < BURST && mayReceive() && receive(channel, arrival); i++) {
        any = true;
      }
    }
    return any;
  }

  private boolean receive(DatagramChannel channel, long arrival) throws IOException {
    buffer.clear();
    SocketAddress sender = channel.receive(buffer);
    if (sender == null) {
      return false;
    }
    if (!sender.equals(lastSender)) {
      InetSocketAddress address = (InetSocketAddress) sender;
      lastExporter = IpAddress.ofBytes(address.getAddress().getAddress());
      lastPort = address.getPort();
      lastSender = sender;
    }
    receiver.receive(bytes, 0, buffer.position(), lastExporter, lastPort, arrival, sink);
    return true;
  }

  /** µs since 1970, never going back. */
  private long readClock() {
    clock = Math.max(clock, FlowTime.now());
    return clock;
  }

  private void lookAtKernel() {
    OptionalLong drops = kernel.of(ports);
    if (drops.isPresent()) {
      long before = Math.max(kernelDrops, 0);
      counters.add(IngestCounter.DATAGRAMS_DROPPED_KERNEL, drops.getAsLong() - before);
      kernelDrops = drops.getAsLong();
    }
  }

  /**
   * Datagrams that the kernel holds are decoded, or counted as dropped after five seconds; the sink
   * is ticked once more. Fails if the collector had failed before, which is the cause.
   */
  @Override
  public void close() throws IOException {
    if (!stopping) {
      drainUntil = System.nanoTime() + drainMillis * 1_000_000;
    }
    stopping = true;
    selector.wakeup();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true; // the sockets belong to the thread until it ends
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    for (DatagramChannel channel : channels) {
      channel.close();
    }
    selector.close();
    if (failure != null) {
      throw new IOException("the collector on " + ports + " had failed", failure);
    }
  }
}

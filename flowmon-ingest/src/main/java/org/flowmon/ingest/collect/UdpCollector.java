package org.flowmon.ingest.collect;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounters;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the export datagrams of one or more UDP addresses, on one thread or several. A sink must
 * not wait, like a {@link org.flowmon.ingest.publish.FlowPublisher} with {@link
 * org.flowmon.ingest.publish.PublisherOptions#ofCollector}: once the kernel's buffer is full,
 * datagrams are lost.
 *
 * <p>Each thread has a socket of its own on every address (SO_REUSEPORT): the kernel gives all
 * datagrams of one sender's address and port to the same one. An exporter that sends from several
 * ports may reach several threads: {@link CollectorDecoders} keep its state in one place.
 *
 * <p>Sent datagrams = {@code datagrams_received} + {@code datagrams_dropped_kernel} + {@code
 * datagrams_dropped_at_stop}, if the kernel reports its drops ({@link #kernelDrops}).
 */
public final class UdpCollector implements Closeable {
  public static final long TICK_MILLIS = 10;

  private static final long DRAIN_MILLIS = 5000;

  /** The receiver of a collector's datagrams, for example {@link CollectorDecoders}. */
  public interface Receiver {
    /** On a collector's thread; {@code datagram} is only read and only until this returns. */
    void receive(
        byte[] datagram,
        int offset,
        int length,
        IpAddress exporter,
        int port,
        long arrivalMicros,
        FlowSink out);

    /** After the last datagram of all threads, so that all that waits is counted. */
    default void end() {}
  }

  /**
   * What one thread works with.
   *
   * @param receiver of this thread alone, or one for several threads
   * @param sink of this thread alone
   * @param counters whose losses the sink is told, and where dropped datagrams are counted: of this
   *     lane alone
   */
  public record Lane(Receiver receiver, CollectorSink sink, IngestCounters counters) {}

  /**
   * A socket.
   *
   * @param number from 1 on, of those on this address
   * @param drops datagrams that the kernel dropped since it was opened; empty if unknown
   */
  public record SocketDrops(InetSocketAddress address, int number, OptionalLong drops) {}

  private final List<UdpReceiver> receivers;
  private final long drainMillis;

  private UdpCollector(List<UdpReceiver> receivers, long drainMillis) {
    this.receivers = receivers;
    this.drainMillis = drainMillis;
  }

  public static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /**
   * Binds the ports (0: any free one, {@link #addresses}) and starts one thread; receiver and sink
   * then belong to it. The kernel may give smaller buffers ({@link #receiveBufferBytes}).
   *
   * @throws IOException naming the port if it cannot be bound
   */
  public static UdpCollector start(
      List<InetSocketAddress> listen,
      int receiveBufferBytes,
      Receiver receiver,
      CollectorSink sink,
      IngestCounters counters)
      throws IOException {
    return start(listen, receiveBufferBytes, List.of(new Lane(receiver, sink, counters)));
  }

  /** With as many sockets on each address, and threads, as there are lanes. */
  public static UdpCollector start(
      List<InetSocketAddress> listen, int receiveBufferBytes, List<Lane> lanes) throws IOException {
    return start(listen, receiveBufferBytes, lanes, DRAIN_MILLIS);
  }

  /** For tests: decodes waiting datagrams for {@code drainMillis} after {@link #close}. */
  static UdpCollector start(
      List<InetSocketAddress> listen, int receiveBufferBytes, List<Lane> lanes, long drainMillis)
      throws IOException {
    if (listen.isEmpty() || lanes.isEmpty()) {
      throw new IllegalArgumentException("a collector has at least one port and one thread");
    }
    KernelDrops kernel = new KernelDrops();
    List<List<UdpSocket>> sockets = new ArrayList<>();
    lanes.forEach(lane -> sockets.add(new ArrayList<>()));
    List<UdpReceiver> receivers = new ArrayList<>();
    try {
      for (InetSocketAddress address : listen) {
        bind(address, receiveBufferBytes, sockets, kernel);
      }
      String name = "flowmon-collector-" + sockets.get(0).get(0).address().getPort();
      CountDownLatch undrained = new CountDownLatch(lanes.size());
      for (int i = 0; i < lanes.size(); i++) {
        String own = i == 0 ? name : name + "-" + (i + 1);
        receivers.add(new UdpReceiver(own, sockets.get(i), lanes.get(i), kernel, undrained));
      }
    } catch (IOException | RuntimeException e) {
      for (UdpReceiver receiver : receivers) {
        receiver.close();
      }
      for (List<UdpSocket> some : sockets) {
        for (UdpSocket socket : some) {
          socket.close();
        }
      }
      throw e;
    }
    receivers.forEach(UdpReceiver::start);
    return new UdpCollector(List.copyOf(receivers), drainMillis);
  }

  /** A socket for each thread. */
  private static void bind(
      InetSocketAddress address, int bufferBytes, List<List<UdpSocket>> sockets, KernelDrops kernel)
      throws IOException {
    boolean shares = sockets.size() > 1;
    if (shares && address.getPort() != 0) {
      // Else a second collector on the port would take a part of the first one's datagrams.
      UdpSocket.bind(address, bufferBytes, false, kernel).close();
    }
    InetSocketAddress next = address;
    for (List<UdpSocket> some : sockets) {
      UdpSocket socket = UdpSocket.bind(next, bufferBytes, shares, kernel);
      some.add(socket);
      next = socket.address();
    }
  }

  /** The bound addresses, in the order of the requested ones. */
  public List<InetSocketAddress> addresses() {
    return receivers.get(0).sockets().stream().map(UdpSocket::address).toList();
  }

  /** The smallest that the kernel gave (Linux doubles the requested size). */
  public int receiveBufferBytes() throws IOException {
    int smallest = Integer.MAX_VALUE;
    for (UdpReceiver receiver : receivers) {
      for (UdpSocket socket : receiver.sockets()) {
        smallest = Math.min(smallest, socket.receiveBufferBytes());
      }
    }
    return smallest;
  }

  /** All sockets, by thread and address. */
  public List<SocketDrops> sockets() {
    List<SocketDrops> all = new ArrayList<>();
    for (int i = 0; i < receivers.size(); i++) {
      for (UdpSocket socket : receivers.get(i).sockets()) {
        all.add(new SocketDrops(socket.address(), i + 1, socket.drops()));
      }
    }
    return all;
  }

  /** Datagrams that the kernel dropped, up to a second ago; empty if it does not report them. */
  public OptionalLong kernelDrops() {
    List<SocketDrops> all = sockets();
    return all.stream().allMatch(socket -> socket.drops().isPresent())
        ? OptionalLong.of(all.stream().mapToLong(socket -> socket.drops().orElse(0)).sum())
        : OptionalLong.empty();
  }

  /** Null while the collector runs, or if it was closed; of several threads the first one's. */
  public @Nullable Throwable failure() {
    for (UdpReceiver receiver : receivers) {
      Throwable failure = receiver.failure();
      if (failure != null) {
        return failure;
      }
    }
    return null;
  }

  boolean isStopping() {
    return receivers.get(0).isStopping();
  }

  /**
   * Datagrams that the kernel holds are decoded, or counted as dropped after five seconds; the
   * sinks are ticked once more. No socket is closed before all threads have ended, as the kernel
   * would give its exporters to the others. Fails if the collector had failed before, which is the
   * cause.
   */
  @Override
  public void close() throws IOException {
    receivers.forEach(receiver -> receiver.stop(drainMillis));
    receivers.forEach(UdpReceiver::join);
    for (UdpReceiver receiver : receivers) {
      receiver.close();
    }
    Throwable failure = failure();
    if (failure != null) {
      throw new IOException("the collector on " + addresses() + " had failed", failure);
    }
  }
}

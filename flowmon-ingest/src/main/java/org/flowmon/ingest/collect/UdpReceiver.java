package org.flowmon.ingest.collect;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.IngestCounter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread of a {@link UdpCollector} with a socket on each of its addresses. The sockets take turns
 * of several datagrams, so that a flood on one does not silence the others.
 */
final class UdpReceiver implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(UdpReceiver.class);
  private static final int MAX_DATAGRAM = 1 << 16;
  // The most datagrams of one socket in a row, with one look at the clock.
  static final int BURST = 64;
  // Reading without decoding empties any buffer in less; exporters may go on sending.
  private static final long DISCARD_MILLIS = 1000;

  private final Selector selector;
  private final List<UdpSocket> sockets;
  private final List<Long> inodes;
  private final UdpCollector.Lane lane;
  private final LossTeller losses;
  private final KernelDrops kernel;
  private final CountDownLatch undrained;
  private final Thread thread;
  private final byte[] bytes = new byte[MAX_DATAGRAM];
  private final ByteBuffer buffer = ByteBuffer.wrap(bytes);

  // Written before {@code stopping}.
  private long drainUntil;
  private volatile boolean stopping;
  private volatile @Nullable Throwable failure;
  private long clock = Long.MIN_VALUE;
  private @Nullable SocketAddress lastSender;
  private IpAddress lastExporter = IpAddress.ofIpv4(0);
  private int lastPort;

  /** {@code undrained}: how many threads of the collector may still take datagrams. */
  UdpReceiver(
      String name,
      List<UdpSocket> sockets,
      UdpCollector.Lane lane,
      KernelDrops kernel,
      CountDownLatch undrained)
      throws IOException {
    this.sockets = sockets;
    this.inodes = sockets.stream().flatMapToLong(one -> one.inode().stream()).boxed().toList();
    this.lane = lane;
    this.losses = new LossTeller(lane.sink(), lane::counters);
    this.kernel = kernel;
    this.undrained = undrained;
    this.thread = new Thread(this::run, name);
    this.selector = Selector.open();
    try {
      for (UdpSocket socket : sockets) {
        socket.channel().register(selector, SelectionKey.OP_READ);
      }
    } catch (IOException | RuntimeException e) {
      selector.close();
      throw e;
    }
  }

  void start() {
    thread.start();
  }

  List<UdpSocket> sockets() {
    return sockets;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  private void run() {
    try {
      receive();
      drain();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    } finally {
      undrained.countDown();
    }
    if (failure == null) {
      try {
        finish();
      } catch (IOException | RuntimeException | Error e) {
        fail(e);
      }
    }
  }

  private void fail(Throwable e) {
    failure = e;
    LOG.error("{} has ended", thread.getName(), e);
  }

  private void receive() throws IOException {
    lookAtKernel();
    long lastTick = System.nanoTime();
    long lastLook = lastTick;
    while (!stopping) {
      selector.select(UdpCollector.TICK_MILLIS);
      selector.selectedKeys().clear();
      receiveFromAll();
      long now = System.nanoTime();
      if (now - lastTick >= UdpCollector.TICK_MILLIS * 1_000_000) {
        lane.sink().tick(readClock());
        lastTick = now;
      }
      if (now - lastLook >= LossTeller.EVERY_MILLIS * 1_000_000) {
        lookAtKernel();
        losses.tell();
        lastLook = now;
      }
    }
  }

  /** For a limited time, as exporters may go on sending. */
  private void drain() throws IOException {
    while (receiveFromAll() && mayReceive()) {
      // on
    }
  }

  /** Once no thread decodes any more: what this lane's exporters have lost is known then. */
  private void finish() throws IOException {
    awaitOthers();
    discardFromAll();
    lane.receiver().end();
    lookAtKernel();
    losses.tellAll();
    lane.sink().tick(readClock());
  }

  private void awaitOthers() {
    boolean interrupted = false;
    while (undrained.getCount() > 0) {
      try {
        undrained.await();
      } catch (InterruptedException e) {
        interrupted = true; // each has a time limit
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean mayReceive() {
    return !stopping || System.nanoTime() - drainUntil < 0;
  }

  boolean isStopping() {
    return stopping;
  }

  /** What came too late is counted as dropped. */
  private void discardFromAll() throws IOException {
    long until = System.nanoTime() + DISCARD_MILLIS * 1_000_000;
    long discarded = 0;
    for (UdpSocket socket : sockets) {
      buffer.clear();
      while (socket.channel().receive(buffer) != null) {
        discarded++;
        if (System.nanoTime() - until >= 0) {
          break;
        }
        buffer.clear();
      }
    }
    lane.counters().add(IngestCounter.DATAGRAMS_DROPPED_AT_STOP, discarded);
  }

  private boolean receiveFromAll() throws IOException {
    boolean any = false;
    for (UdpSocket socket : sockets) {
      long arrival = readClock();
      for (int i = 0; i < BURST && mayReceive() && receive(socket, arrival); i++) {
        any = true;
      }
    }
    return any;
  }

  private boolean receive(UdpSocket socket, long arrival) throws IOException {
    buffer.clear();
    SocketAddress sender = socket.channel().receive(buffer);
    if (sender == null) {
      return false;
    }
    if (!sender.equals(lastSender)) {
      InetSocketAddress address = (InetSocketAddress) sender;
      lastExporter = IpAddress.ofBytes(address.getAddress().getAddress());
      lastPort = address.getPort();
      lastSender = sender;
    }
    lane.receiver()
        .receive(bytes, 0, buffer.position(), lastExporter, lastPort, arrival, lane.sink());
    return true;
  }

  /** µs since 1970, never going back. */
  private long readClock() {
    clock = Math.max(clock, FlowTime.now());
    return clock;
  }

  private void lookAtKernel() {
    Map<Long, Long> drops = kernel.of(inodes);
    for (UdpSocket socket : sockets) {
      Long all = socket.inode().isPresent() ? drops.get(socket.inode().getAsLong()) : null;
      if (all != null) {
        lane.counters().add(IngestCounter.DATAGRAMS_DROPPED_KERNEL, socket.drops(all));
      }
    }
  }

  /** Ends receiving: datagrams that the kernel holds are decoded for at most so long. */
  void stop(long drainMillis) {
    if (!stopping) {
      drainUntil = System.nanoTime() + drainMillis * 1_000_000;
    }
    stopping = true;
    selector.wakeup();
  }

  /** After {@link #stop}: waits for the thread, whose sockets these are until it ends. */
  void join() {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** After {@link #join}, or instead of {@link #start}. */
  @Override
  public void close() throws IOException {
    for (UdpSocket socket : sockets) {
      socket.close();
    }
    selector.close();
  }
}

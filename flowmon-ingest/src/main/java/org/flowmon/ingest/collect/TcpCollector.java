package org.flowmon.ingest.collect;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.ingest.decode.exporter.ExporterStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes IPFIX over TCP, and over TLS (RFC 7011 sections 10.4 and 11.1). Each connection has a
 * thread and a decoder: templates and sequence numbers end with it (section 8), and its limits are
 * its own. Anything else than IPFIX ends a connection. Threads take turns to decode into the sink,
 * which must not wait.
 */
public final class TcpCollector implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpCollector.class);
  private static final Duration DRAIN = Duration.ofSeconds(5);
  private static final Duration QUIET = Duration.ofMillis(200);
  private static final long PAUSE_MILLIS = 100;
  private static final int BACKLOG = 128;

  /** An address to listen on. */
  public record Listen(InetSocketAddress address, boolean isTls) {}

  /**
   * What the connections' messages go to.
   *
   * @param decoders makes a connection's decoder, which counts there
   * @param sink of this collector alone
   */
  public record Target(Function<IngestCounters, ExportDecoder> decoders, CollectorSink sink) {}

  /** A connection with what was decoded of it; the lock guards the decoder. */
  private final class Session implements IpfixConnection.Target {
    private final IngestCounters own = new IngestCounters();
    private final IpfixConnection connection;
    private final Thread thread;
    private final int port;
    private final boolean isTls;
    private final long number = nextNumber++;
    // Under the lock.
    private boolean isHandshake;
    // After the first message, as it takes much more memory than a connection that sends nothing.
    private @Nullable ExportDecoder decoder;

    Session(Socket socket, boolean isTls, IpAddress peer) {
      Optional<ServerTls> with = isTls ? Optional.ofNullable(tls) : Optional.empty();
      this.port = socket.getPort();
      this.isTls = isTls;
      this.isHandshake = isTls;
      this.connection = new IpfixConnection(socket, with, peer, this);
      this.thread = new Thread(connection, "flowmon-connection-" + peer + "-" + port);
      thread.setDaemon(true);
    }

    @Override
    public Optional<IngestCounter> authenticated() {
      lock.lock();
      try {
        Optional<IngestCounter> refused = refusal(connection.peer(), isTls);
        if (refused.isEmpty() && !connection.isClosed()) {
          isHandshake = false;
          own.increment(IngestCounter.CONNECTIONS_ACCEPTED);
        }
        return refused;
      } finally {
        lock.unlock();
      }
    }

    /** Whether it holds a place among the handshakes. */
    boolean isInHandshake() {
      return isHandshake && !connection.isClosed();
    }

    @Override
    public void message(byte[] bytes, int offset, int length) {
      lock.lock();
      try {
        ExportDecoder by = decoder;
        if (by == null) {
          by = target.decoders.apply(own);
          by.useRules(rules);
          decoder = by;
        }
        by.decode(bytes, offset, length, connection.peer(), port, readClock(), target.sink);
      } catch (RuntimeException | Error e) {
        fail(e);
        throw e;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void failed(Error e) {
      fail(e);
    }

    @Override
    public void ended(Optional<IngestCounter> why) {
      why.ifPresent(own::increment);
      lock.lock();
      try {
        if (decoder != null) {
          decoder.endInput();
        }
        counters.addAll(own);
        sessions.remove(this);
      } finally {
        lock.unlock();
      }
    }
  }

  private final List<ServerSocket> servers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final ConnectionLimits limits;
  private final Target target;
  private final Duration drain;
  // In the order in which they began.
  private final Set<Session> sessions =
      new ConcurrentSkipListSet<>(Comparator.comparingLong(session -> session.number));
  private final IngestCounters counters = new IngestCounters(); // of no session, or of ended ones
  private final LossTeller losses;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable ServerTls tls;
  private volatile ExporterRules rules;
  private volatile boolean stopping;
  private volatile @Nullable Throwable failure;
  private long clock = Long.MIN_VALUE;
  private long nextNumber; // under the lock

  private TcpCollector(
      Optional<ServerTls> tls,
      ExporterRules rules,
      ConnectionLimits limits,
      Target target,
      Duration drain) {
    this.drain = drain;
    this.tls = tls.orElse(null);
    this.rules = rules;
    this.limits = limits;
    this.target = target;
    this.losses = new LossTeller(target.sink, this::counters);
  }

  /**
   * Binds the addresses (port 0: any free one, {@link #addresses}) and starts.
   *
   * @param tls needed if an address is of TLS
   * @throws IOException naming the address if it cannot be bound
   */
  public static TcpCollector start(
      List<Listen> listen,
      Optional<ServerTls> tls,
      ExporterRules rules,
      ConnectionLimits limits,
      Target target)
      throws IOException {
    return start(listen, tls, rules, limits, target, DRAIN);
  }

  /** For tests: {@link #close} closes what is not quiet after {@code drain}. */
  static TcpCollector start(
      List<Listen> listen,
      Optional<ServerTls> tls,
      ExporterRules rules,
      ConnectionLimits limits,
      Target target,
      Duration drain)
      throws IOException {
    if (tls.isEmpty() && listen.stream().anyMatch(Listen::isTls)) {
      throw new IllegalArgumentException("TLS without a key");
    }
    TcpCollector collector = new TcpCollector(tls, rules, limits, target, drain);
    try {
      for (Listen one : listen) {
        collector.bind(one);
      }
    } catch (IOException e) {
      collector.closeServers();
      throw e;
    }
    collector.threads.add(new Thread(collector::tick, "flowmon-connections"));
    collector.threads.forEach(Thread::start);
    return collector;
  }

  private void bind(Listen listen) throws IOException {
    ServerSocket server = new ServerSocket();
    servers.add(server);
    try {
      server.bind(listen.address, BACKLOG);
    } catch (IOException e) {
      throw new CannotListenException("TCP", listen.address, e);
    }
    threads.add(
        new Thread(() -> accept(server, listen.isTls), "flowmon-accept-" + server.getLocalPort()));
  }

  /** The bound addresses, in the order of the requested ones. */
  public List<InetSocketAddress> addresses() {
    return servers.stream()
        .map(server -> new InetSocketAddress(server.getInetAddress(), server.getLocalPort()))
        .toList();
  }

  /** Null while the collector runs, or if it was closed. */
  public @Nullable Throwable failure() {
    return failure;
  }

  private void fail(Throwable e) {
    failure = e;
    LOG.error("the collector on {} has ended", addresses(), e);
  }

  /** Open connections, without those in the handshake. */
  public int connections() {
    return count(one -> !one.isHandshake);
  }

  /** Handshakes that have not ended. */
  public int handshakes() {
    return count(Session::isInHandshake);
  }

  private int count(Predicate<Session> which) {
    lock.lock();
    try {
      return (int) sessions.stream().filter(which).count();
    } finally {
      lock.unlock();
    }
  }

  /** The counts of all connections, open or not. */
  public IngestCounters counters() {
    lock.lock();
    try {
      List<IngestCounters> all = new ArrayList<>();
      all.add(counters);
      sessions.forEach(session -> all.add(session.own));
      return IngestCounters.sum(all);
    } finally {
      lock.unlock();
    }
  }

  /** The exporters at the other ends, as often as they have connections. */
  public List<ExporterStatus> statuses() {
    lock.lock();
    try {
      List<ExporterStatus> all = new ArrayList<>();
      for (Session session : sessions) {
        if (session.decoder != null) {
          all.addAll(session.decoder.statuses(1).exporters());
        }
      }
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Of connections from now on. */
  public void useTls(ServerTls newTls) {
    tls = newTls;
  }

  /** Replaces the rules of the configuration; connections that they do not allow are closed. */
  public void useRules(ExporterRules newRules) {
    lock.lock();
    try {
      rules = newRules;
      for (Session session : sessions) {
        if (session.decoder != null) {
          session.decoder.useRules(newRules);
        }
        if (!newRules.allows(session.connection.peer())) {
          session.connection.close(Optional.of(IngestCounter.CONNECTIONS_REFUSED_NOT_ALLOWED));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void accept(ServerSocket server, boolean isTls) {
    while (!stopping) {
      try {
        take(server.accept(), isTls);
      } catch (RuntimeException | Error e) {
        fail(e);
        throw e;
      } catch (IOException e) {
        if (!stopping) {
          LOG.warn("TCP {}: {}", server.getLocalSocketAddress(), e.toString());
          var unused = pause(PAUSE_MILLIS); // perhaps there are too many open files
        }
      }
    }
  }

  private void take(Socket socket, boolean isTls) throws IOException {
    IpAddress peer = IpAddress.ofBytes(socket.getInetAddress().getAddress());
    Optional<Session> displaced = Optional.empty();
    lock.lock();
    try {
      Optional<IngestCounter> refused = refusal(peer, isTls);
      counters.increment(
          refused.orElse(
              isTls ? IngestCounter.CONNECTIONS_HANDSHAKES : IngestCounter.CONNECTIONS_ACCEPTED));
      if (refused.isPresent() || stopping) {
        socket.close();
        return;
      }
      displaced = isTls ? displaced(peer) : displaced;
      displaced.ifPresent(
          one -> one.connection.close(Optional.of(IngestCounter.CONNECTIONS_CLOSED_DISPLACED)));
      Session session = new Session(socket, isTls, peer);
      sessions.add(session);
      try {
        session.thread.start();
      } catch (OutOfMemoryError e) {
        sessions.remove(session); // its thread would remove it
        socket.close();
        throw e;
      }
    } finally {
      lock.unlock();
    }
    displaced.ifPresent(one -> join(one.thread)); // so threads are bounded as handshakes are
  }

  /** Before TLS's handshake and after it; of connections of the same kind. */
  private Optional<IngestCounter> refusal(IpAddress peer, boolean isTls) {
    if (!rules.allows(peer)) {
      return Optional.of(IngestCounter.CONNECTIONS_REFUSED_NOT_ALLOWED);
    }
    List<IpAddress> open =
        sessions.stream()
            .filter(one -> one.isTls == isTls && !one.isHandshake)
            .map(one -> one.connection.peer())
            .toList();
    return limits.areTooMany(open, peer)
        ? Optional.of(IngestCounter.CONNECTIONS_REFUSED_TOO_MANY)
        : Optional.empty();
  }

  private Optional<Session> displaced(IpAddress peer) {
    List<Session> open = sessions.stream().filter(Session::isInHandshake).toList();
    OptionalInt which =
        limits.displaced(open.stream().map(one -> one.connection.peer()).toList(), peer);
    return which.isPresent() ? Optional.of(open.get(which.getAsInt())) : Optional.empty();
  }

  /** Tells the sink the time and the losses, and closes what is overdue. */
  private void tick() {
    try {
      tickUntilStop();
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    }
  }

  private void tickUntilStop() {
    long lastLook = System.nanoTime();
    while (!stopping) {
      var unused = pause(UdpCollector.TICK_MILLIS);
      for (Session session : sessions) {
        Optional<IngestCounter> overdue = session.connection.overdue(limits);
        if (overdue.isPresent()) {
          session.connection.close(overdue);
        }
      }
      boolean tells = System.nanoTime() - lastLook >= LossTeller.EVERY_MILLIS * 1_000_000;
      lastLook = tells ? System.nanoTime() : lastLook;
      lock.lock();
      try {
        if (tells) {
          losses.tell();
        }
        target.sink.tick(readClock());
      } finally {
        lock.unlock();
      }
    }
  }

  /** False if the thread was interrupted: any further pause would end at once. */
  private static boolean pause(long millis) {
    try {
      Thread.sleep(millis);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** µs since 1970, never going back; under the lock. */
  private long readClock() {
    clock = Math.max(clock, FlowTime.now());
    return clock;
  }

  private void closeServers() throws IOException {
    for (ServerSocket server : servers) {
      server.close();
    }
  }

  /**
   * Takes no more connections, and closes each once nothing has come for 200 ms, all after five
   * seconds, or at once if the caller is interrupted: what their peers send later is lost, as they
   * see. Fails if the collector had failed.
   */
  @Override
  public void close() throws IOException {
    stopping = true;
    closeServers();
    threads.forEach(TcpCollector::join);
    long end = System.nanoTime() + drain.toNanos();
    while (!sessions.isEmpty() && System.nanoTime() - end < 0 && failure == null) {
      for (Session session : sessions) {
        if (session.connection.isQuiet(QUIET)) {
          session.connection.close(Optional.empty());
        }
      }
      if (!pause(UdpCollector.TICK_MILLIS)) {
        break;
      }
    }
    for (Session session : sessions) {
      session.connection.close(Optional.empty());
      join(session.thread);
    }
    if (failure != null) {
      throw new IOException("the collector on " + addresses() + " had failed", failure);
    }
    losses.tellAll();
    target.sink.tick(readClock());
  }

  private static void join(Thread thread) {
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
}

package org.flowmon.ingest.collect;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.IngestCounter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection of a {@link TcpCollector}, and the thread that reads it. */
final class IpfixConnection implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(IpfixConnection.class);

  /** Takes what a connection brings, on its thread. */
  interface Target {
    void message(byte[] bytes, int offset, int length);

    /** The TLS handshake is done; returns why the connection has no place, if so. */
    Optional<IngestCounter> authenticated();

    /** The thread has failed, and not the peer. */
    void failed(Error e);

    /** Nothing follows; {@code why} is empty if the peer or the collector has closed it. */
    void ended(Optional<IngestCounter> why);
  }

  private enum Phase {
    HANDSHAKE,
    /** Before a message. */
    IDLE,
    /** Within one. */
    MESSAGE,
    /** It does not wait for the peer. */
    BUSY
  }

  /** What the thread waits for since when (ns), and since when in one call. */
  private record Waiting(Phase phase, long since, long called) {}

  private final Socket socket;
  private final Optional<ServerTls> tls;
  private final IpAddress peer;
  private final MessageReader reader = new MessageReader();
  private final Target target;
  private volatile Waiting waiting;
  private volatile Optional<IngestCounter> closedFor = Optional.empty();
  private volatile boolean closed;

  /** {@code tls}: for a connection with TLS. */
  IpfixConnection(Socket socket, Optional<ServerTls> tls, IpAddress peer, Target target) {
    this.socket = socket;
    this.tls = tls;
    this.peer = peer;
    this.target = target;
    this.waiting = since(tls.isPresent() ? Phase.HANDSHAKE : Phase.IDLE);
  }

  private static Waiting since(Phase phase) {
    long now = System.nanoTime();
    return new Waiting(phase, now, now);
  }

  IpAddress peer() {
    return peer;
  }

  @Override
  public void run() {
    Optional<IngestCounter> why = Optional.of(IngestCounter.CONNECTIONS_CLOSED_BROKEN);
    try (Socket plain = socket) {
      Socket open = plain;
      if (tls.isPresent()) {
        open = tls.get().accept(plain);
        waiting = since(Phase.IDLE);
        Optional<IngestCounter> refused = target.authenticated();
        if (refused.isPresent()) {
          why = refused;
          return;
        }
      }
      why = read(open.getInputStream());
    } catch (IOException e) {
      why = broken(e);
    } catch (Error e) {
      target.failed(e);
      throw e;
    } finally {
      target.ended(closed ? closedFor : why);
    }
  }

  private Optional<IngestCounter> broken(IOException e) {
    boolean isHandshake = waiting.phase == Phase.HANDSHAKE;
    if (!closed) {
      LOG.info("connection of {} is broken: {}", peer, e.toString());
    }
    if (reader.partBytes() > 0) {
      cut();
    }
    return Optional.of(
        isHandshake && e instanceof SSLException
            ? IngestCounter.CONNECTIONS_CLOSED_HANDSHAKE
            : IngestCounter.CONNECTIONS_CLOSED_BROKEN);
  }

  /** Until the end of the stream; returns why it was given up before. */
  private Optional<IngestCounter> read(InputStream in) throws IOException {
    boolean within = false;
    while (true) {
      switch (reader.next()) {
        case MESSAGE -> {
          within = false;
          target.message(reader.bytes(), reader.offset(), reader.length());
        }
        case MORE -> {
          Waiting before = waiting;
          Waiting now = since(reader.partBytes() > 0 ? Phase.MESSAGE : Phase.IDLE);
          // A message that comes byte by byte is late since its first one.
          waiting = within ? new Waiting(Phase.MESSAGE, before.since, now.called) : now;
          within = reader.partBytes() > 0;
          if (!reader.fill(in)) {
            if (reader.partBytes() > 0) {
              cut();
            }
            return Optional.empty();
          }
          waiting = new Waiting(Phase.BUSY, waiting.since, waiting.called);
        }
        case NOT_IPFIX -> {
          return Optional.of(IngestCounter.CONNECTIONS_CLOSED_NOT_IPFIX);
        }
        case BAD_LENGTH -> {
          return Optional.of(IngestCounter.CONNECTIONS_CLOSED_BAD_LENGTH);
        }
      }
    }
  }

  /** A part of a message is a truncated one. */
  private void cut() {
    target.message(reader.bytes(), reader.partOffset(), reader.partBytes());
  }

  /** Whether it has to be closed by now, and what counts that. */
  Optional<IngestCounter> overdue(ConnectionLimits limits) {
    Waiting now = waiting;
    Duration most =
        switch (now.phase) {
          case HANDSHAKE -> limits.handshake();
          case MESSAGE -> limits.message();
          case IDLE -> limits.idle();
          case BUSY -> Duration.ZERO;
        };
    if (now.phase == Phase.BUSY || System.nanoTime() - now.since < most.toNanos()) {
      return Optional.empty();
    }
    return Optional.of(
        now.phase == Phase.IDLE
            ? IngestCounter.CONNECTIONS_CLOSED_IDLE
            : IngestCounter.CONNECTIONS_CLOSED_SLOW);
  }

  /** Whether nothing has come for so long. */
  boolean isQuiet(Duration time) {
    Waiting now = waiting;
    return now.phase != Phase.BUSY && System.nanoTime() - now.called >= time.toNanos();
  }

  boolean isClosed() {
    return closed;
  }

  /** From another thread; what waits in the kernel is lost. */
  void close(Optional<IngestCounter> why) {
    if (closed) {
      return;
    }
    closedFor = why;
    closed = true;
    try {
      socket.close(); // below TLS, which would wait for the peer
    } catch (IOException e) {
      LOG.info("connection of {}: {}", peer, e.toString());
    }
  }
}

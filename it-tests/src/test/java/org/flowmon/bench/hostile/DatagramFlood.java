package org.flowmon.bench.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends an attack's datagrams until it is stopped, from one address of 127.0.0.0/8 after the other,
 * none of them a good exporter's.
 *
 * <p>If Linux reports the socket's fill, it waits while the collector's socket is half full: the
 * kernel drops all datagrams for a full socket, and the collector's behaviour would not show.
 */
final class DatagramFlood implements Callable<Long> {
  private static final List<Path> SOCKETS =
      List.of(Path.of("/proc/net/udp6"), Path.of("/proc/net/udp"));
  private static final int LOCAL_ADDRESS = 1; // columns of these files
  private static final int QUEUES = 4;
  private static final Path MOST_BUFFER = Path.of("/proc/sys/net/core/rmem_max");
  private static final long ASKED_BUFFER = 16 << 20;
  private static final int FIRST_ADDRESS = 127 << 24 | 1 << 16;
  private static final int ADDRESSES = 200 << 16;
  private static final int BETWEEN_LOOKS = 32;
  private static final long CATCH_UP_NANOS = 2_000_000_000;

  private final DatagramAttack attack;
  private final InetSocketAddress target;
  private final List<byte[]> good;
  private final Random random;
  private final String socket;
  private final long halfFull;
  private volatile boolean stopped;

  DatagramFlood(DatagramAttack attack, InetSocketAddress target, List<byte[]> good, long seed)
      throws IOException {
    this.attack = attack;
    this.target = target;
    this.good = good;
    this.random = new Random(seed);
    this.socket = String.format(":%04X", target.getPort());
    // The kernel doubles the size for its own overhead.
    this.halfFull =
        Files.isReadable(MOST_BUFFER)
            ? Math.min(ASKED_BUFFER, Long.parseLong(Files.readString(MOST_BUFFER).strip()))
            : Long.MAX_VALUE;
  }

  /** Ends {@link #call}. */
  void stop() {
    stopped = true;
  }

  /** Sends datagrams and returns their number. */
  @Override
  public Long call() throws IOException {
    ByteBuffer out = ByteBuffer.allocateDirect(DatagramAttack.BYTES);
    long start = System.nanoTime();
    long due = start;
    long sent = 0;
    for (int address = 0; !stopped; address = (address + 1) % ADDRESSES) {
      int from = FIRST_ADDRESS + address;
      byte[] bytes = ByteBuffer.allocate(4).putInt(from).array();
      try (DatagramChannel channel = DatagramChannel.open()) {
        channel.bind(new InetSocketAddress(InetAddress.getByAddress(bytes), 0));
        for (int i = 0; i < attack.perAddress && !stopped; i++) {
          attack.next(out, sent, random, good);
          channel.send(out, target);
          sent++;
          if (sent % BETWEEN_LOOKS == 0) {
            due = await(due + BETWEEN_LOOKS * 1_000_000_000L / attack.perSecond);
          }
        }
      }
    }
    return sent;
  }

  /** Waits until it is time and the socket has room; returns that time. */
  private long await(long due) throws IOException {
    while (!stopped && (System.nanoTime() < due || waiting() > halfFull)) {
      LockSupport.parkNanos(Math.max(50_000, Math.min(1_000_000, due - System.nanoTime())));
    }
    return Math.max(due, System.nanoTime() - CATCH_UP_NANOS);
  }

  /** Bytes of memory of datagrams in the collector's socket; 0 if unknown. */
  private long waiting() throws IOException {
    for (Path table : SOCKETS) {
      if (halfFull < Long.MAX_VALUE && Files.isReadable(table)) {
        for (String line : Files.readAllLines(table, StandardCharsets.US_ASCII)) {
          String[] columns = line.strip().split("\\s+", -1);
          if (columns[LOCAL_ADDRESS].endsWith(socket)) {
            String queues = columns[QUEUES]; // sent : received
            return Long.parseLong(queues.substring(queues.indexOf(':') + 1), 16);
          }
        }
      }
    }
    return 0;
  }
}

package org.flowmon.bench.systems;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessWrites;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.RouterExports;
import org.flowmon.ingest.synthetic.exporter.UdpOutput;

/** A collector, which takes NetFlow v5 over loopback as fast as it empties its socket. */
abstract class CollectorStore implements FlowStore {
  private static final long BOOT_MILLIS = 1000 * StudyFlows.BEGIN - Duration.ofDays(3).toMillis();

  /** All flows have one time of export, so that each datagram is full. */
  private static final long EXPORTED_MILLIS =
      1000 * StudyFlows.BEGIN + Duration.ofDays(2).toMillis();

  private static final int MOST_QUEUED_BYTES = 64 << 10;
  private static final int DATAGRAMS_BETWEEN_LOOKS = 8;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path parent;
  private int folders;
  private int port;
  private int datagrams;
  private Optional<Process> collector = Optional.empty();

  CollectorStore(Path parent) {
    this.parent = parent;
  }

  /** A program that stores in a folder what comes to a port of 127.0.0.1, until it is stopped. */
  abstract List<String> collector(Path folder, int port);

  /** The files of the last load. */
  final Path folder() {
    return parent.resolve("flows" + folders);
  }

  @Override
  public final void create(Combination layout) throws Exception {
    folders++;
    Files.createDirectory(folder());
    try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path log = parent.resolve("collector.log");
    Process started =
        Programs.of(collector(folder(), port))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    collector = Optional.of(started);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (queued().isEmpty()) {
      if (!started.isAlive() || System.nanoTime() > end) {
        throw new IOException("the collector does not listen: " + Files.readString(log));
      }
      Thread.sleep(10);
    }
  }

  /** Bytes in the collector's socket (proc(5), {@code /proc/net/udp}); empty if it is not open. */
  private OptionalLong queued() throws IOException {
    String address = String.format(Locale.ROOT, "0100007F:%04X", port);
    for (String line : Files.readAllLines(Path.of("/proc/net/udp"))) {
      String[] words = line.strip().split(" +", -1);
      if (words[1].equals(address)) {
        String received = words[4].substring(words[4].indexOf(':') + 1);
        return OptionalLong.of(Long.parseLong(received, 16));
      }
    }
    return OptionalLong.empty();
  }

  private void awaitQueue(long most) throws IOException {
    while (queued().orElseThrow(() -> new IOException("the collector has ended")) > most) {
      Thread.onSpinWait();
    }
  }

  @Override
  public final void load(List<SyntheticFlow> flows) throws Exception {
    InetSocketAddress target = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    try (UdpOutput socket = new UdpOutput(target, 1)) {
      RouterExports exports =
          new RouterExports(
              List.of(StudyFlows.ROUTER),
              BOOT_MILLIS,
              Faults.NONE,
              0,
              (router, datagram, now) -> send(socket, datagram, now));
      for (SyntheticFlow flow : flows) {
        exports.export(0, flow, EXPORTED_MILLIS);
      }
      exports.flush(EXPORTED_MILLIS);
    }
    awaitQueue(0);
    close(); // then it writes what it holds, and names its file
  }

  private void send(UdpOutput socket, ByteBuffer datagram, long now) throws IOException {
    if (datagrams++ % DATAGRAMS_BETWEEN_LOOKS == 0) {
      awaitQueue(MOST_QUEUED_BYTES);
    }
    socket.send(0, datagram, now);
  }

  /** A command line: words with blanks between them, and further ones, which may have blanks. */
  static List<String> words(String first, String... more) {
    List<String> words = new ArrayList<>(List.of(first.split(" ", -1)));
    words.addAll(List.of(more));
    return words;
  }

  /** Reads numbers and IPv4 addresses. */
  static long[] numbers(List<String> cells) {
    return cells.stream()
        .mapToLong(
            cell ->
                cell.indexOf('.') < 0
                    ? Long.parseLong(cell)
                    : IpAddress.parse(cell).lo() & 0xFFFF_FFFFL)
        .toArray();
  }

  @Override
  public final Optional<String> forget() throws IOException {
    return PageCache.drop(folder());
  }

  @Override
  public final long bytesOnDisk() throws IOException {
    return BenchFolder.bytes(folder());
  }

  /** This process writes nothing but what its children write. */
  @Override
  public final OptionalLong bytesWritten() {
    return ProcessWrites.of(ProcessHandle.current().pid());
  }

  @Override
  public final void close() throws InterruptedException {
    if (collector.isPresent()) {
      collector.get().destroy();
      collector.get().waitFor();
      collector = Optional.empty();
    }
  }
}

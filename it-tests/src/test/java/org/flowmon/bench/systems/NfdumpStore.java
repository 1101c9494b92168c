package org.flowmon.bench.systems;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.flowmon.bench.archive.Answer;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessWrites;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.RouterExports;
import org.flowmon.ingest.synthetic.exporter.UdpOutput;
import org.jspecify.annotations.Nullable;

/**
 * nfdump: nfcapd takes NetFlow v5 over loopback, as fast as it empties its socket, and nfdump
 * answers. It cannot count by slots: for A it prints the start of each flow.
 */
final class NfdumpStore implements FlowStore {
  private static final long BOOT_MILLIS = 1000 * FlowData.BEGIN - Duration.ofDays(3).toMillis();

  /** All flows have one time of export, so that each datagram is full. */
  private static final long EXPORTED_MILLIS =
      1000 * FlowData.BEGIN + Duration.ofDays(2).toMillis();

  private static final int SOCKET_BYTES = 4 << 20;
  private static final int MOST_QUEUED_BYTES = 256 << 10;
  private static final int DATAGRAMS_BETWEEN_LOOKS = 8;
  private static final int START_MILLIS = 10_000;
  private static final DateTimeFormatter WINDOW =
      DateTimeFormatter.ofPattern("yyyy/MM/dd.HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Path parent;
  private final SyntheticFlow flow = new SyntheticFlow();
  private int number;
  private int port;
  private int sinceLook;
  private @Nullable Process collector;
  private @Nullable UdpOutput socket;
  private @Nullable RouterExports exports;

  private NfdumpStore(Path parent) {
    this.parent = parent;
  }

  static NfdumpStore open(Path parent, boolean sync) {
    return new NfdumpStore(parent); // it never syncs
  }

  private Path folder() {
    return parent.resolve("nfcapd" + number);
  }

  @Override
  public void create(Layout layout) throws IOException {
    close();
    number++;
    Files.createDirectories(folder());
    try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    // One file, unless the load takes an hour.
    collector =
        Programs.of(
                "nfcapd",
                "-w",
                folder().toString(),
                "-b",
                "127.0.0.1",
                "-p",
                Integer.toString(port),
                "-t",
                "3600",
                "-B",
                Integer.toString(SOCKET_BYTES))
            .redirectErrorStream(true)
            .redirectOutput(parent.resolve("nfcapd.log").toFile())
            .start();
    for (int waited = 0; queued().isEmpty(); waited += 10) {
      if (waited > START_MILLIS || !collector.isAlive()) {
        throw new IOException(
            "nfcapd does not listen: " + Files.readString(parent.resolve("nfcapd.log")));
      }
      Programs.pause(10);
    }
    socket = new UdpOutput(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
    exports =
        new RouterExports(
            List.of(FlowData.ROUTER),
            BOOT_MILLIS,
            Faults.NONE,
            0,
            this::send);
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
    while (queued().orElseThrow(() -> new IOException("nfcapd has ended")) > most) {
      Programs.pause(1);
    }
  }

  private void send(int router, ByteBuffer datagram, long nowMillis) throws IOException {
    if (socket == null) {
      throw new IllegalStateException("nothing listens");
    }
    if (++sinceLook == DATAGRAMS_BETWEEN_LOOKS) {
      sinceLook = 0;
      awaitQueue(MOST_QUEUED_BYTES);
    }
    socket.send(router, datagram, nowMillis);
  }

  private RouterExports exports() {
    if (exports == null) {
      throw new IllegalStateException("nothing listens");
    }
    return exports;
  }

  @Override
  public void load(FlowData data, int from, int to) throws IOException {
    for (int row = from; row < to; row++) {
      data.read(row, flow);
      exports().export(0, flow, EXPORTED_MILLIS);
    }
  }

  @Override
  public void finish() throws IOException {
    exports().flush(EXPORTED_MILLIS);
    awaitQueue(0);
    stop();
  }

  /** At its end nfcapd writes what it holds, and renames its file. */
  private void stop() throws IOException {
    if (socket != null) {
      socket.close();
      socket = null;
    }
    if (collector != null) {
      collector.destroy();
      try {
        int unused = collector.waitFor();
      } catch (InterruptedException e) {
        collector.destroyForcibly();
        Thread.currentThread().interrupt();
      }
      collector = null;
    }
  }

  @Override
  public Answer answer(StudyQuery query) throws IOException {
    return query == StudyQuery.A ? slots() : totals();
  }

  private Answer slots() throws IOException {
    Map<Long, long[]> counts = new TreeMap<>();
    Programs.pipe(
        List.of(nfdump("-o", "fmt:%tsr")),
        line -> {
          String text = line.strip();
          if (!text.isEmpty()) {
            StudyQuery.count(counts, (long) Double.parseDouble(text));
          }
        });
    return StudyQuery.slots(counts);
  }

  private Answer totals() throws IOException {
    AnswerRows rows = new AnswerRows(StudyQuery.B);
    Instant from = Instant.ofEpochSecond(StudyQuery.FROM);
    Instant to = Instant.ofEpochSecond(StudyQuery.TO);
    long[] values = new long[StudyQuery.B.columns()];
    Programs.pipe(
        List.of(
            nfdump(
                "-t",
                WINDOW.format(from) + "-" + WINDOW.format(to),
                "-A",
                "srcip,dstip,srcport,dstport,proto,tos",
                "-O",
                "bytes",
                "-o",
                "fmt:%sa,%da,%sp,%dp,%pr,%tos,%fl,%byt,%pkt")),
        line -> {
          String[] cells = line.split(",", -1);
          if (cells.length == values.length) {
            for (int c = 0; c < values.length; c++) {
              values[c] = number(cells[c].strip());
            }
            rows.add(values);
          }
        });
    return rows.answer();
  }

  /** A number, an address, or the type and code of ICMP, which nfdump prints as {@code 8.0}. */
  private static long number(String cell) {
    int dot = cell.indexOf('.');
    if (dot < 0) {
      return Long.parseLong(cell);
    }
    return cell.indexOf('.', dot + 1) > 0
        ? IpAddress.parse(cell).lo() & 0xFFFF_FFFFL
        : 256 * Long.parseLong(cell.substring(0, dot)) + Long.parseLong(cell.substring(dot + 1));
  }

  /** Plain numbers, no title, no summary. */
  private ProcessBuilder nfdump(String... more) {
    ProcessBuilder program = Programs.of("nfdump", "-R", folder().toString(), "-N", "-q");
    program.command().addAll(List.of(more));
    return program.redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  @Override
  public Optional<String> forget() throws IOException {
    return PageCache.drop(folder());
  }

  @Override
  public long bytesOnDisk() throws IOException {
    return BenchFolder.bytes(folder());
  }

  /** This process writes nothing but what its children write. */
  @Override
  public OptionalLong bytesWritten() {
    return ProcessWrites.of(ProcessHandle.current());
  }

  @Override
  public String settings() throws IOException {
    StringBuilder version = new StringBuilder();
    Programs.pipe(List.of(Programs.of("nfdump", "-V")), version::append);
    return version + "; NetFlow v5 over loopback, one file, not compressed";
  }

  @Override
  public void close() throws IOException {
    stop();
  }
}

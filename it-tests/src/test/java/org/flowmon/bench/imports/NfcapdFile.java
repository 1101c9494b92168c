package org.flowmon.bench.imports;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file that nfcapd made of exports.
 *
 * @param flows in it
 */
record NfcapdFile(Path path, long flows) {
  private static final Pattern FLOWS = Pattern.compile("(?m)^Flows: (\\d+)");
  private static final long START_MILLIS = 1_000;

  /** Sends exports to a port of this machine. */
  interface Sender {
    void send(int port) throws IOException;
  }

  static boolean isInstalled() {
    return List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)).stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "nfcapd")));
  }

  /** Runs nfcapd while the exports are sent. */
  static NfcapdFile of(Path parent, Sender sender) throws IOException {
    Path folder = Files.createDirectories(parent.resolve("nfcapd"));
    int port;
    try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Process collector =
        new ProcessBuilder(
                List.of(
                    "nfcapd",
                    "-w",
                    folder.toString(),
                    "-b",
                    "127.0.0.1",
                    "-p",
                    Integer.toString(port),
                    "-t",
                    "3600",
                    "-B",
                    Integer.toString(8 << 20)))
            .redirectErrorStream(true)
            .redirectOutput(parent.resolve("nfcapd.log").toFile())
            .start();
    try {
      await(collector, START_MILLIS);
      sender.send(port);
      await(collector, START_MILLIS);
    } finally {
      collector.destroy(); // it closes its file
      await(collector, 10 * START_MILLIS);
    }
    try (var files = Files.list(folder)) {
      Path file =
          files
              .filter(Files::isRegularFile)
              .findFirst()
              .orElseThrow(() -> new IOException("nfcapd left no file in " + folder));
      Matcher flows = FLOWS.matcher(run(List.of("nfdump", "-r", file.toString(), "-I")));
      if (!flows.find()) {
        throw new IOException("nfdump does not say how many flows " + file + " has");
      }
      return new NfcapdFile(file, Long.parseLong(flows.group(1)));
    }
  }

  /** Prints all records as CSV into a file. */
  void print(Path target) throws IOException {
    wait(
        new ProcessBuilder("nfdump", "-r", path.toString(), "-q", "-o", "csv")
            .redirectErrorStream(true)
            .redirectOutput(target.toFile())
            .start());
  }

  /** Reads all records, and writes them into another file. */
  void copy(Path target) throws IOException {
    run(List.of("nfdump", "-r", path.toString(), "-w", target.toString()));
  }

  private static String run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    wait(process);
    return said;
  }

  private static void wait(Process process) throws IOException {
    try {
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException("nfdump ended with " + code);
      }
    } catch (InterruptedException e) {
      throw interrupted(process);
    }
  }

  private static void await(Process process, long millis) throws IOException {
    try {
      process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw interrupted(process);
    }
  }

  private static InterruptedIOException interrupted(Process process) {
    process.destroyForcibly();
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted while another process ran");
  }
}

package org.flowmon.deploy.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The demo's peak memory: this JVM's largest resident set (VmHWM), and the largest observed sum of
 * PostgreSQL's proportional set sizes (PSS), since a sum of resident sets counts shared buffers
 * once for each process. Without Linux's {@code /proc} only the JVM's committed memory is known.
 */
final class PeakMemory implements AutoCloseable {
  private static final Path PROC = Path.of("/proc");
  private static final long SAMPLE_MILLIS = 500;

  private final long postgresPid;
  private final AtomicLong postgresPeak = new AtomicLong();
  private final Thread sampler;

  /** The server's process is counted with its children. */
  PeakMemory(long postgresPid) {
    this.postgresPid = postgresPid;
    this.sampler = new Thread(this::sample, "demo-memory");
    sampler.setDaemon(true);
    sampler.start();
  }

  private void sample() {
    try {
      while (true) {
        postgresPeak.accumulateAndGet(postgresNow(), Math::max);
        Thread.sleep(SAMPLE_MILLIS);
      }
    } catch (InterruptedException e) {
      // closed
    }
  }

  private long postgresNow() {
    return ProcessHandle.of(postgresPid)
        .map(server -> Stream.concat(Stream.of(server), server.descendants()))
        .orElse(Stream.empty())
        .mapToLong(process -> pss(process.pid()))
        .sum();
  }

  /** PSS of a process, 0 if it has ended or nothing is known. */
  private static long pss(long pid) {
    return kilobytes(PROC.resolve(Long.toString(pid)).resolve("smaps_rollup"), "Pss:") * 1024;
  }

  /** The number after a key in one of the kernel's tables, 0 if the key is missing. */
  static long kilobytes(Path file, String key) {
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(key)) {
          String amount = line.substring(key.length()).trim(); // 1234 kB
          return Long.parseLong(amount.substring(0, Math.max(0, amount.indexOf(' '))));
        }
      }
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
    return 0;
  }

  long bytes() {
    postgresPeak.accumulateAndGet(postgresNow(), Math::max);
    long jvm = kilobytes(PROC.resolve("self").resolve("status"), "VmHWM:") * 1024;
    return (jvm > 0 ? jvm : Runtime.getRuntime().totalMemory()) + postgresPeak.get();
  }

  @Override
  public void close() {
    sampler.interrupt();
  }
}

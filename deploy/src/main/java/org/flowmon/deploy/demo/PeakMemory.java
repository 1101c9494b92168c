package org.flowmon.deploy.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The memory that the demo takes at most: this JVM's largest resident set, as the kernel counts it
 * (VmHWM), and the largest sum that was seen of the proportional set sizes (PSS) of the PostgreSQL
 * processes. Proportional, for those share their buffers, which a sum of resident sets would count
 * once for each process. Without Linux's {@code /proc} the JVM's committed memory is all that is
 * known.
 */
final class PeakMemory implements AutoCloseable {
  private static final Path PROC = Path.of("/proc");
  private static final long SAMPLE_MILLIS = 500;

  private final long postgresPid;
  private final AtomicLong postgresPeak = new AtomicLong();
  private final Thread sampler;

  /**
   * @param postgresPid the server's process, whose children are counted with it
   */
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

  /** 0 where the process has ended meanwhile or nothing is known. */
  private static long pss(long pid) {
    return kilobytes(PROC.resolve(Long.toString(pid)).resolve("smaps_rollup"), "Pss:") * 1024;
  }

  /** The number after a key in one of the kernel's tables, 0 where it is not there. */
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

  /** Bytes of this JVM at its largest and of PostgreSQL at its largest. */
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

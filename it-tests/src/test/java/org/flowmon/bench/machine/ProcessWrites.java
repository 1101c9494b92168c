package org.flowmon.bench.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Bytes that a process and its children made the system write to disks, as Linux counts them
 * (proc(5), {@code write_bytes} of {@code /proc/PID/io}): when a page becomes dirty. Children that
 * have ended count as their parent's.
 */
public final class ProcessWrites {
  private static final String FIELD = "write_bytes: ";

  private ProcessWrites() {}

  /** So far, by a process and its children; empty if the system does not tell. */
  public static OptionalLong of(long pid) {
    OptionalLong own = ofOne(pid);
    if (own.isEmpty()) {
      return own;
    }
    long children =
        ProcessHandle.of(pid).stream()
            .flatMap(ProcessHandle::descendants)
            .mapToLong(child -> ofOne(child.pid()).orElse(0))
            .sum();
    return OptionalLong.of(own.getAsLong() + children);
  }

  private static OptionalLong ofOne(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(pid), "io")).stream()
          .filter(line -> line.startsWith(FIELD))
          .mapToLong(line -> Long.parseLong(line.substring(FIELD.length())))
          .findFirst();
    } catch (IOException e) {
      return OptionalLong.empty(); // no Linux, no right to read it, or the process has ended
    }
  }
}

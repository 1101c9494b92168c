package org.flowmon.bench.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Memory of a process as Linux counts it (proc(5), {@code /proc/PID/status}), bytes.
 *
 * @param resident pages in memory ({@code VmRSS})
 * @param most the peak of pages in memory ({@code VmHWM})
 * @param anonymous resident pages of no file: heap, code, stacks ({@code RssAnon})
 * @param file resident pages of mapped files, which the system may drop at any time ({@code
 *     RssFile})
 */
public record ProcessMemory(long resident, long most, long anonymous, long file) {
  private static final long KIB = 1024;

  /** The current memory of this process; zeros if the system does not report it. */
  public static ProcessMemory now() throws IOException {
    return of("self");
  }

  /** The current memory of another process. */
  public static ProcessMemory of(long pid) throws IOException {
    return of(Long.toString(pid));
  }

  private static ProcessMemory of(String process) throws IOException {
    Path status = Path.of("/proc", process, "status");
    return Files.exists(status) ? parse(Files.readString(status)) : new ProcessMemory(0, 0, 0, 0);
  }

  static ProcessMemory parse(String status) {
    Map<String, Long> fields = new HashMap<>();
    for (String line : status.split("\n", -1)) {
      if (line.endsWith(" kB")) {
        int colon = line.indexOf(':');
        String number = line.substring(colon + 1, line.length() - " kB".length()).strip();
        fields.put(line.substring(0, colon), KIB * Long.parseLong(number));
      }
    }
    return new ProcessMemory(
        fields.getOrDefault("VmRSS", 0L),
        fields.getOrDefault("VmHWM", 0L),
        fields.getOrDefault("RssAnon", 0L),
        fields.getOrDefault("RssFile", 0L));
  }
}

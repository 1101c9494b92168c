package org.flowmon.ingest.file.reader;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.ingest.file.format.InputFormat;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of reading a file, times in µs.
 *
 * @param label the format, or the program that wrote the file, for people
 * @param rows flows handed to the sink
 * @param rejected reason → lines (text) or datagrams, sets and records (exports), in reasons' order
 * @param unknown names in the file without a meaning, whose values are left out
 * @param firstEndTime {@link Long#MAX_VALUE} if there is none, as {@code firstArrival}
 * @param lastEndTime {@link Long#MIN_VALUE} if there is none, as {@code lastArrival}
 * @param damage why the file could not be read to its end, null if it could
 */
public record FileSummary(
    Path file,
    InputFormat format,
    String label,
    long rows,
    Map<String, Long> rejected,
    Set<String> unknown,
    long firstEndTime,
    long lastEndTime,
    long firstArrival,
    long lastArrival,
    @Nullable String damage) {

  public FileSummary {
    unknown = Collections.unmodifiableSet(new TreeSet<>(unknown));
    rejected = Collections.unmodifiableMap(new LinkedHashMap<>(rejected));
  }

  public long rejectedTotal() {
    return rejected.values().stream().mapToLong(Long::longValue).sum();
  }
}

package org.flowmon.ingest.file.reader;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.ingest.file.format.InputFormat;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of reading a file.
 *
 * @param rows flows handed to the sink
 * @param rejected reason → rejected lines (text formats) or datagrams, sets and records (exports),
 *     in the order of the reasons
 * @param firstEndTime smallest {@code end_time}, µs; {@link Long#MAX_VALUE} if there is none
 * @param lastEndTime largest {@code end_time}, µs; {@link Long#MIN_VALUE} if there is none
 * @param firstArrival smallest {@code arrival}, µs; {@link Long#MAX_VALUE} if there is no row
 * @param lastArrival largest {@code arrival}, µs; {@link Long#MIN_VALUE} if there is no row
 * @param damage why the file could not be read to its end, null if it could
 */
public record FileSummary(
    Path file,
    InputFormat format,
    long rows,
    Map<String, Long> rejected,
    long firstEndTime,
    long lastEndTime,
    long firstArrival,
    long lastArrival,
    @Nullable String damage) {

  public FileSummary {
    rejected = Collections.unmodifiableMap(new LinkedHashMap<>(rejected));
  }

  /** The sum of {@link #rejected} over all reasons. */
  public long rejectedTotal() {
    return rejected.values().stream().mapToLong(Long::longValue).sum();
  }
}

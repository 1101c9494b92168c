package org.flowmon.ingest.file.reader;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.ingest.file.format.InputFormat;

/**
 * What came out of a file.
 *
 * @param rows flows handed to the sink
 * @param rejected what was left out: reason → lines (text formats), datagrams, sets and records
 *     (exports), in the order of the reasons
 * @param firstEndTime smallest {@code end_time}, µs; {@link Long#MAX_VALUE} where there is none
 * @param lastEndTime largest {@code end_time}, µs; {@link Long#MIN_VALUE} where there is none
 * @param firstArrival smallest {@code arrival}, µs; {@link Long#MAX_VALUE} where there is no row
 * @param lastArrival largest {@code arrival}, µs; {@link Long#MIN_VALUE} where there is no row
 * @param damage why the file could not be read to its end, null where it could
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
    String damage) {

  public FileSummary {
    rejected = Collections.unmodifiableMap(new LinkedHashMap<>(rejected));
  }

  /** All that was left out, whatever the reason. */
  public long rejectedTotal() {
    return rejected.values().stream().mapToLong(Long::longValue).sum();
  }
}

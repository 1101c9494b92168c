package org.flowmon.ingest.file.reader;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.RejectReason;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of reading a file, times in µs.
 *
 * @param label the format, or the program that wrote the file, for people
 * @param rows flows handed to the sink
 * @param split how many of them are the ways back of flows with both directions, split off them
 * @param rejected reason → what is no flow, in reasons' order: lines, rows or messages of files,
 *     and exports' datagrams, sets and so on by {@link IngestCounter}
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
    long split,
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

  /** With rows that were split off the others. */
  FileSummary withSplit(long more) {
    return new FileSummary(
        file,
        format,
        label,
        rows + more,
        split + more,
        rejected,
        unknown,
        firstEndTime,
        lastEndTime,
        firstArrival,
        lastArrival,
        damage);
  }

  /** Losses by their unit; units are never added together. */
  public Map<String, Long> lost() {
    Map<String, Long> lost = new TreeMap<>();
    rejected.forEach(
        (reason, count) ->
            unitOfLoss(reason).ifPresent(unit -> lost.merge(unit, count, Long::sum)));
    return lost;
  }

  private Optional<String> unitOfLoss(String reason) {
    Optional<IngestCounter> counter = IngestCounter.ofLabel(reason);
    if (counter.isPresent()) {
      return counter.filter(IngestCounter::isLoss).map(IngestCounter::unit);
    }
    return reason.equals(RejectReason.OTHER_RECORD.label())
        ? Optional.empty()
        : Optional.of(format.unit());
  }

  /** Whether a part of the file is no flows and should be; gaps in exporters' numbers are not. */
  public boolean isPartLost() {
    return rejected.keySet().stream()
        .anyMatch(
            reason ->
                unitOfLoss(reason).isPresent()
                    && !IngestCounter.ofLabel(reason)
                        .map(IngestCounter::isSequenceGap)
                        .orElse(false));
  }

  /** Of a file of exports it adds different units, and only tells whether there are any. */
  public long rejectedTotal() {
    return rejected.values().stream().mapToLong(Long::longValue).sum();
  }
}

package org.flowmon.archive.query.numbering;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Numbers of addresses within one query, in their order; one more than the largest stands for NULL,
 * which comes last. Safe to share after it was filled.
 */
public final class AddressNumbers {
  private final long[] high; // empty if all are 0
  private final long[] low;
  private final Map<SealedSegment, Map<FlowColumn, int[]>> bySegment = new HashMap<>();

  /** {@code high} is empty if all are 0. */
  public AddressNumbers(long[] high, long[] low) {
    this.high = high;
    this.low = low;
  }

  public static AddressNumbers of(Collection<IpAddress> ascending) {
    long[] high = ascending.stream().mapToLong(IpAddress::hi).toArray();
    long[] low = ascending.stream().mapToLong(IpAddress::lo).toArray();
    boolean areZero = Arrays.stream(high).allMatch(word -> word == 0);
    return new AddressNumbers(areZero ? new long[0] : high, low);
  }

  void know(SealedSegment segment) {
    columns(segment);
  }

  void put(SealedSegment segment, FlowColumn column, int[] numbers) {
    columns(segment).put(column, numbers);
  }

  private Map<FlowColumn, int[]> columns(SealedSegment segment) {
    return bySegment.computeIfAbsent(segment, s -> new TreeMap<>());
  }

  /** The number that stands for NULL, which is the number of addresses. */
  public int ofNull() {
    return low.length;
  }

  public long heapBytes() {
    long entries =
        bySegment.values().stream()
            .flatMap(columns -> columns.values().stream())
            .mapToLong(numbers -> numbers.length)
            .sum();
    long words = (long) low.length + high.length;
    return Integer.BYTES * entries + Long.BYTES * words;
  }

  /** Whether every high long is 0. */
  public boolean areHighsZero() {
    return high.length == 0;
  }

  public long high(int number) {
    return high.length == 0 ? 0 : high[number];
  }

  public long low(int number) {
    return low[number];
  }

  /**
   * The number of each id; empty if the segment has no value in the column.
   *
   * @throws IllegalArgumentException if the segment was not numbered
   */
  public Optional<int[]> of(SealedSegment segment, FlowColumn column) {
    Map<FlowColumn, int[]> columns = bySegment.get(segment);
    if (columns == null) {
      throw new IllegalArgumentException(
          "addresses of segment " + segment.id() + " have no numbers");
    }
    return Optional.ofNullable(columns.get(column));
  }
}

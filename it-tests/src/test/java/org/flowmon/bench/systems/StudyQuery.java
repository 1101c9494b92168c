package org.flowmon.bench.systems;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/** The two queries of the study, and their answers by brute force. */
enum StudyQuery {
  /** Flows in each slot of ten minutes: its begin in seconds, and how many; ordered by slot. */
  A(2),

  /**
   * Flows, bytes and packets of each {@link #KEYS} among the flows that start and end between 10:00
   * and 20:00, the most bytes first.
   */
  B(9);

  /** The range of B, in seconds since 1970; both ends are in it. */
  static final long FROM = StudyFlows.BEGIN + 10 * 3600;

  static final long TO = StudyFlows.BEGIN + 20 * 3600;

  /** What B groups by, in the order of its columns. */
  static final List<FlowField> KEYS =
      List.of(
          FlowField.SRC_ADDR,
          FlowField.DST_ADDR,
          FlowField.SRC_PORT,
          FlowField.DST_PORT,
          FlowField.IP_PROT,
          FlowField.IP_TOS);

  private static final int OCTETS = 7;
  private static final int SLOT_SECONDS = 600;

  private final int columns;

  StudyQuery(int columns) {
    this.columns = columns;
  }

  int columns() {
    return columns;
  }

  /** The name in columns of tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether a column of the answer has addresses; all others have numbers. */
  boolean isAddress(int column) {
    return this == B && column < KEYS.size() && KEYS.get(column).kind() == FlowField.Kind.ADDRESS;
  }

  /** The right answer, its rows ordered by their values. */
  List<long[]> expected(List<SyntheticFlow> flows) {
    return this == A
        ? slots(flows.stream().mapToLong(FlowField.SECS_FLOWSTART::of))
        : totals(flows);
  }

  /** The answer of A for flows that start at these times. */
  static List<long[]> slots(LongStream starts) {
    Map<Long, long[]> slots = new TreeMap<>();
    starts.forEach(
        start -> {
          long slot = start - start % SLOT_SECONDS;
          slots.computeIfAbsent(slot, key -> new long[] {slot, 0})[1]++;
        });
    return List.copyOf(slots.values());
  }

  private static List<long[]> totals(List<SyntheticFlow> flows) {
    Map<List<Long>, long[]> totals = new HashMap<>();
    for (SyntheticFlow flow : flows) {
      if (FlowField.SECS_FLOWSTART.of(flow) >= FROM && FlowField.SECS_FLOWEND.of(flow) <= TO) {
        List<Long> key = KEYS.stream().map(field -> field.of(flow)).toList();
        long[] row =
            totals.computeIfAbsent(
                key,
                k -> Arrays.copyOf(k.stream().mapToLong(Long::longValue).toArray(), B.columns));
        row[KEYS.size()]++;
        row[OCTETS] += FlowField.NUM_BYTES.of(flow);
        row[OCTETS + 1] += FlowField.NUM_PACKETS.of(flow);
      }
    }
    return sorted(totals.values());
  }

  private static List<long[]> sorted(Collection<long[]> rows) {
    List<long[]> sorted = new ArrayList<>(rows);
    sorted.sort(Arrays::compare);
    return sorted;
  }

  /**
   * What is wrong with an answer; empty if nothing is. Rows of B with equal bytes may come in any
   * order.
   */
  Optional<String> difference(List<long[]> answer, List<long[]> expected) {
    if (answer.size() != expected.size()) {
      return Optional.of(answer.size() + " rows, expected " + expected.size());
    }
    if (this == B) {
      for (int r = 1; r < answer.size(); r++) {
        if (answer.get(r)[OCTETS] > answer.get(r - 1)[OCTETS]) {
          return Optional.of("row " + r + " has more bytes than the row before");
        }
      }
    }
    List<long[]> rows = this == A ? answer : sorted(answer);
    for (int r = 0; r < rows.size(); r++) {
      if (!Arrays.equals(rows.get(r), expected.get(r))) {
        return Optional.of(
            "a row "
                + Arrays.toString(rows.get(r))
                + ", expected "
                + Arrays.toString(expected.get(r)));
      }
    }
    return Optional.empty();
  }
}

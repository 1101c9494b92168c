package org.flowmon.bench.systems;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.bench.archive.Answer;
import org.flowmon.bench.archive.AnswerKind;

/** The two queries of the study, and their answers by brute force. */
enum StudyQuery {
  /** Flows in each slot of ten minutes: its begin in seconds, and how many; ordered by slot. */
  A(2),

  /**
   * Flows, bytes and packets of each {@link #KEYS} among the flows that start and end between 10:00
   * and 20:00, the most bytes first.
   */
  B(9);

  static final int SLOT_SECONDS = 600;

  /** The range of B, in seconds since 1970; both ends are in it. */
  static final long FROM = FlowData.BEGIN + 10 * 3600;

  static final long TO = FlowData.BEGIN + 20 * 3600;

  /** What B groups by, in the order of its columns. */
  static final List<FlowField> KEYS =
      List.of(
          FlowField.SRC_ADDR,
          FlowField.DST_ADDR,
          FlowField.SRC_PORT,
          FlowField.DST_PORT,
          FlowField.IP_PROT,
          FlowField.IP_TOS);

  /** B's column of bytes, which orders its rows. */
  static final int OCTETS = 7;

  private final int columns;

  StudyQuery(int columns) {
    this.columns = columns;
  }

  /** Number of columns of an answer. */
  int columns() {
    return columns;
  }

  /** The answer over the first rows. */
  Answer expected(FlowData data, int rows) {
    return this == A ? slots(data, rows) : totals(data, rows);
  }

  private static Answer slots(FlowData data, int rows) {
    Map<Long, long[]> counts = new TreeMap<>();
    for (int i = 0; i < rows; i++) {
      count(counts, data.get(FlowField.SECS_FLOWSTART, i));
    }
    return slots(counts);
  }

  /** Counts a flow of A that starts then. */
  static void count(Map<Long, long[]> counts, long seconds) {
    counts.computeIfAbsent(seconds - seconds % SLOT_SECONDS, slot -> new long[1])[0]++;
  }

  /** The answer of A of such counts. */
  static Answer slots(Map<Long, long[]> counts) {
    AnswerRows rows = new AnswerRows(A);
    counts.forEach((slot, count) -> rows.add(slot, count[0]));
    return rows.answer();
  }

  private static Answer totals(FlowData data, int rows) {
    Map<List<Long>, long[]> totals = new HashMap<>();
    for (int i = 0; i < rows; i++) {
      if (data.get(FlowField.SECS_FLOWSTART, i) >= FROM
          && data.get(FlowField.SECS_FLOWEND, i) <= TO) {
        int row = i;
        List<Long> key = KEYS.stream().map(field -> data.get(field, row)).toList();
        long[] sums = totals.computeIfAbsent(key, k -> new long[3]);
        sums[0]++;
        sums[1] += data.get(FlowField.NUM_BYTES, i);
        sums[2] += data.get(FlowField.NUM_PACKETS, i);
      }
    }
    AnswerRows answer = new AnswerRows(B);
    totals.forEach(
        (key, sums) -> {
          long[] values = Arrays.copyOf(key.stream().mapToLong(Long::longValue).toArray(), 9);
          System.arraycopy(sums, 0, values, KEYS.size(), sums.length);
          answer.add(values);
        });
    return answer.answer();
  }

  /**
   * The facts that two answers must agree on. Rows of B with equal bytes may come in any order, so
   * that of B the order is not among them.
   */
  Answer.Summary summary(Answer answer) {
    return answer.summary(Collections.nCopies(columns, AnswerKind.NUMBER), this == A);
  }

  /** Whether the rows of B are in the order of their bytes; of A the summary tells. */
  boolean isOrdered(Answer answer) {
    if (this == B) {
      long[] octets = answer.column(OCTETS);
      for (int r = 1; r < answer.rows(); r++) {
        if (octets[r] > octets[r - 1]) {
          return false;
        }
      }
    }
    return true;
  }
}

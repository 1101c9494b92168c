package org.flowmon.deploy.output;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * Which rows of a report are out of the ordinary: those whose verdict says that something is
 * unusual. Rows of a report without verdicts are all shown, as somebody asked for them.
 */
public final class OrdinaryRows {
  /** What a logic says of what it expected, or cannot judge. */
  public static final Set<String> VERDICTS =
      Set.of("usual", "mouse", "known", "peers", "unseen", "no_history", "little_history", "none");

  private static final String NO_VERDICT = "without a verdict";

  private OrdinaryRows() {}

  public static boolean isOrdinary(String verdict) {
    return VERDICTS.contains(verdict);
  }

  /** Those to be shown, ascending; counts of the others by verdict are added to {@code others}. */
  static int[] chosen(ResultTable rows, Map<String, Long> others) {
    int verdict = rows.column("verdict");
    if (verdict < 0 || rows.kind(verdict) != ValueKind.TEXT) {
      return all(rows);
    }
    if (isUsualMatrix(rows, verdict)) {
      others.merge("usual", (long) rows.rowCount(), Long::sum);
      return new int[0];
    }
    int[] chosen = new int[rows.rowCount()];
    int n = 0;
    for (int row = 0; row < chosen.length; row++) {
      String said = rows.isNull(row, verdict) ? NO_VERDICT : rows.requireText(row, verdict);
      if (said.equals(NO_VERDICT) || isOrdinary(said)) {
        others.merge(said, 1L, Long::sum);
      } else {
        chosen[n++] = row;
      }
    }
    return Arrays.copyOf(chosen, n);
  }

  private static int[] all(ResultTable rows) {
    return IntStream.range(0, rows.rowCount()).toArray();
  }

  /** Whether the first row sums up the others, as of a traffic matrix, and is ordinary. */
  private static boolean isUsualMatrix(ResultTable rows, int verdict) {
    int part = rows.column("part");
    return part >= 0
        && rows.rowCount() > 0
        && rows.kind(part) == ValueKind.TEXT
        && "summary".equals(rows.text(0, part))
        && !rows.isNull(0, verdict)
        && isOrdinary(rows.requireText(0, verdict));
  }

  /** As {@code 97 usual, 1 no_history}. */
  static String text(Map<String, Long> counts) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(counts)
        .forEach(
            (verdict, rows) ->
                text.append(text.isEmpty() ? "" : ", ")
                    .append(Units.count(rows))
                    .append(' ')
                    .append(TextTable.printable(verdict)));
    return text.toString();
  }
}

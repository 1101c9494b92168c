package org.flowmon.deploy.demo;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Counts messages by why they were refused. Reasons that differ in numbers alone are one; of the
 * rarest only the sum is told, for who sends messages chooses what their reasons say.
 */
final class RefusalReasons {
  /** So many are told one by one. */
  static final int SHOWN = 10;

  /** So many are kept apart; what comes after them is one of {@link #OTHERS}. */
  static final int KEPT = 1000;

  static final String OTHERS = "other reasons";

  private static final Pattern NUMBER =
      Pattern.compile("(?<![A-Za-z0-9])-?\\d+(?:[.,:T-]\\d+)*Z?(?![A-Za-z0-9])");

  private final Map<String, Long> counts = new HashMap<>();

  void add(String reason) {
    String kept = NUMBER.matcher(reason).replaceAll("#");
    boolean isApart = counts.size() < KEPT || counts.containsKey(kept);
    counts.merge(isApart ? kept : OTHERS, 1L, Long::sum);
  }

  /** How many reasons are kept apart, and one for the others. */
  int kept() {
    return counts.size();
  }

  /** Messages by reason. */
  Map<String, Long> counts() {
    List<Map.Entry<String, Long>> all =
        counts.entrySet().stream()
            .sorted(
                Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                    .thenComparing(Map.Entry.comparingByKey()))
            .toList();
    Map<String, Long> shown = new TreeMap<>();
    for (int i = 0; i < all.size(); i++) {
      String reason = i < SHOWN ? all.get(i).getKey() : OTHERS;
      shown.merge(reason, all.get(i).getValue(), Long::sum);
    }
    return shown;
  }
}

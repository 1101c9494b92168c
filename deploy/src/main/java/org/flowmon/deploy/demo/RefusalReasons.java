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

  static final String OTHERS = "other reasons";

  private static final Pattern NUMBER =
      Pattern.compile("(?<![A-Za-z])-?\\d+(?:[.,:T-]\\d+)*Z?(?![A-Za-z])");

  private final Map<String, Long> counts = new HashMap<>();

  void add(String reason) {
    counts.merge(NUMBER.matcher(reason).replaceAll("#"), 1L, Long::sum);
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

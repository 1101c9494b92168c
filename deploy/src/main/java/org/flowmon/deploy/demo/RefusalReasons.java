package org.flowmon.deploy.demo;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Counts messages by reason of refusal, told apart by more than numbers. The rarest are only
 * summed, because a message's sender chooses its reason's text.
 */
final class RefusalReasons {
  /** The most reasons shown separately. */
  static final int SHOWN = 10;

  /** The most reasons kept separately; later ones count as {@link #OTHERS}. */
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

  /** The number of reasons kept, including one for the others. */
  int kept() {
    return counts.size();
  }

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

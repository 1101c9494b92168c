package org.flowmon.it.detection;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a rule finds over all sets whose scanners are known. */
final class Score {
  /** Who tried so many targets is to be found. */
  static final int TARGETS = 4;

  static final int MANY_TARGETS = 10;

  private final String rule;
  private final Map<Integer, int[]> found = new TreeMap<>(); // by targets: found, scanners
  private int innocents;

  Score(String rule) {
    this.rule = rule;
    found.put(TARGETS, new int[2]);
    found.put(MANY_TARGETS, new int[2]);
  }

  void add(LabelledSet set, Set<String> named) {
    found.forEach(
        (targets, counts) -> {
          Set<String> scanners = set.scanners(targets);
          counts[1] += scanners.size();
          scanners.retainAll(named);
          counts[0] += scanners.size();
        });
    innocents += set.innocents(named).size();
  }

  /** Of the scanners of many targets, and of all. */
  double leastRecall() {
    return found.values().stream()
        .mapToDouble(counts -> (double) counts[0] / counts[1])
        .min()
        .orElseThrow();
  }

  String line() {
    StringBuilder line = new StringBuilder("| " + rule);
    for (int[] counts : found.values()) {
      line.append(" | %d of %d | %s".formatted(counts[0], counts[1], share(counts[0], counts[1])));
    }
    return line + " | " + innocents + " |";
  }

  static String share(int part, int whole) {
    return whole == 0 ? "" : String.format(Locale.ROOT, "%.2f", (double) part / whole);
  }
}

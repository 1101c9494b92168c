package org.flowmon.bench.hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The outcome for good traffic, without an attack or with it.
 *
 * @param sent good flows
 * @param stored good flows in their place: in Kafka, or in the archive
 * @param attackSent datagrams or flows of the attack
 * @param attackStored flows of the attack that were taken, because they cannot be told from good
 *     ones
 * @param counted dropped, refused, forgotten or late items, by the product's own names
 * @param unaccounted flows that are neither stored nor counted
 * @param flowsPerSecond of all stored flows
 * @param peakBytes peak memory of the tested process
 * @param windows reports of the analysis that is not attacked, by the end of their window
 * @param harms the harm to the good traffic, in words
 */
record Outcome(
    long sent,
    long stored,
    long attackSent,
    long attackStored,
    SortedMap<String, Long> counted,
    long unaccounted,
    double flowsPerSecond,
    long peakBytes,
    SortedMap<String, String> windows,
    List<String> harms) {
  /**
   * The most memory of a JVM of the launcher: heap, direct memory, classes, and some for code,
   * stacks and mapped files.
   */
  private static final long MOST_BYTES = 2L << 30;

  Outcome {
    List<String> all = new ArrayList<>(harms);
    if (stored != sent) {
      all.add(String.format("%,d of %,d good flows are stored", stored, sent));
    }
    if (unaccounted != 0) {
      all.add(String.format("%,d are neither stored nor counted", unaccounted));
    }
    if (peakBytes > MOST_BYTES) {
      all.add(String.format("%,d MiB of memory", peakBytes >> 20));
    }
    harms = all.stream().distinct().toList(); // reading it again adds nothing
  }

  /** Returns this outcome with more harms. */
  Outcome harmed(List<String> more) {
    List<String> all = new ArrayList<>(harms);
    all.addAll(more);
    return new Outcome(
        sent,
        stored,
        attackSent,
        attackStored,
        counted,
        unaccounted,
        flowsPerSecond,
        peakBytes,
        windows,
        all);
  }

  /** The windows whose reports differ or are missing. */
  List<String> differing(Outcome other) {
    SortedMap<String, String> all = new TreeMap<>(windows);
    all.putAll(other.windows);
    return all.keySet().stream()
        .filter(end -> !windows.getOrDefault(end, "").equals(other.windows.getOrDefault(end, "")))
        .toList();
  }

  String verdict() {
    return harms.isEmpty() ? "unharmed" : String.join("; ", harms);
  }

  /** The numbers by name that are not 0. */
  static SortedMap<String, Long> nonZero(Map<String, Long> counts) {
    SortedMap<String, Long> all = new TreeMap<>(counts);
    all.values().removeIf(count -> count == 0);
    return all;
  }
}

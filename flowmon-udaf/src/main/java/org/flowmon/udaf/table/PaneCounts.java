package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many different groups each pane of a window has, by the highest level of a {@link
 * GroupSample} that has them: what says which level has few enough. Groups below the level that was
 * reached when they were counted are not known. Not thread-safe.
 */
final class PaneCounts {
  private static final int LEVELS = GroupSample.LAST + 1;

  // By the pane's start.
  private final TreeMap<Long, long[]> byPane = new TreeMap<>();
  private int level;

  /** Of no panes. */
  PaneCounts(int level) {
    this.level = level;
  }

  /** The level whose groups are known. */
  int level() {
    return level;
  }

  /**
   * Adds the groups of a pane.
   *
   * @param tables by those that count in the same way, then by grouping; null where there are none.
   *     A group may be in several of the same grouping
   */
  void add(long pane, List<GroupTable[]> tables) {
    long[] counts = byPane.computeIfAbsent(pane, start -> new long[LEVELS]);
    int groupings = tables.get(0).length;
    for (int g = 0; g < groupings; g++) {
      List<GroupTable> ofGrouping = new ArrayList<>();
      for (GroupTable[] of : tables) {
        if (of[g] != null) {
          ofGrouping.add(of[g]);
        }
      }
      ofGrouping.sort(Comparator.comparingInt(GroupTable::size).reversed());
      for (int t = 0; t < ofGrouping.size(); t++) {
        if (t == 0) {
          add(counts, ofGrouping.get(0).sample().groupsByLevel());
        } else {
          addOthers(counts, ofGrouping.get(t), ofGrouping.subList(0, t));
        }
      }
    }
  }

  private static void add(long[] counts, int[] more) {
    for (int l = 0; l < LEVELS; l++) {
      counts[l] += more[l];
    }
  }

  /** Adds groups that none of the tables before has. */
  private static void addOthers(long[] counts, GroupTable table, List<GroupTable> before) {
    byte[] levels = table.levels();
    for (int group = 0; group < levels.length; group++) {
      boolean known = false;
      for (GroupTable other : before) {
        known |= other.contains(table, group);
      }
      counts[levels[group]] += known ? 0 : 1;
    }
  }

  /** Takes in the groups of other key groups. */
  void merge(PaneCounts other) {
    level = Math.max(level, other.level);
    other.byPane.forEach(
        (pane, more) -> {
          long[] counts = byPane.computeIfAbsent(pane, start -> new long[LEVELS]);
          for (int l = 0; l < LEVELS; l++) {
            counts[l] += more[l];
          }
        });
  }

  /** The lowest level at which no pane has more groups than that. */
  int levelOf(long paneGroups) {
    int lowest = level;
    for (long[] counts : byPane.values()) {
      while (lowest < GroupSample.NONE && from(counts, lowest) > paneGroups) {
        lowest++;
      }
    }
    return lowest;
  }

  /** The groups that a level has. */
  static long from(long[] counts, int level) {
    long groups = 0;
    for (int l = level; l < LEVELS; l++) {
      groups += counts[l];
    }
    return groups;
  }

  /** Words in which {@link #write} writes it. */
  int words() {
    int words = 2;
    for (long[] counts : byPane.values()) {
      words += 2 + used(counts);
    }
    return words;
  }

  private static int used(long[] counts) {
    int used = LEVELS;
    while (used > 0 && counts[used - 1] == 0) {
      used--;
    }
    return used;
  }

  /**
   * Writes {@code level | panes | (start | levels | groups by level …) …}; returns where it ends.
   */
  int write(long[] words, int start) {
    int at = start;
    words[at++] = level;
    words[at++] = byPane.size();
    for (Map.Entry<Long, long[]> pane : byPane.entrySet()) {
      int used = used(pane.getValue());
      words[at++] = pane.getKey();
      words[at++] = used;
      System.arraycopy(pane.getValue(), 0, words, at, used);
      at += used;
    }
    return at;
  }

  /**
   * Reads words that may come from anywhere, until their end.
   *
   * @throws PartialFormatException where they are none of these
   */
  static PaneCounts read(long[] words, int start) {
    int at = start;
    if (words.length - at < 2 || words[at] < 0 || words[at] > GroupSample.NONE) {
      throw new PartialFormatException("the counts of a part's panes begin with no level");
    }
    PaneCounts counts = new PaneCounts((int) words[at]);
    long panes = words[at + 1];
    at += 2;
    for (long p = 0; p < panes; p++) {
      if (words.length - at < 2
          || words[at + 1] < 0
          || words[at + 1] > Math.min(LEVELS, words.length - at - 2)) {
        throw new PartialFormatException("the counts of a part's panes end early");
      }
      long[] of = new long[LEVELS];
      int used = (int) words[at + 1];
      System.arraycopy(words, at + 2, of, 0, used);
      if (counts.byPane.put(words[at], of) != null) {
        throw new PartialFormatException("the counts of a part name a pane twice");
      }
      at += 2 + used;
    }
    if (at != words.length) {
      throw new PartialFormatException("the counts of a part's panes end early");
    }
    return counts;
  }
}

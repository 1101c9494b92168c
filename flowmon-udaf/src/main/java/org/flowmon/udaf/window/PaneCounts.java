package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.udaf.group.GroupHolding;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.group.GroupSample;
import org.flowmon.udaf.group.GroupStates;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.partial.PartialFormatException;

/**
 * The number of different groups in each pane of a window, and the bytes charged for their states,
 * by the highest level of a {@link GroupSample} that keeps them: it determines the level with few
 * enough groups. Groups below the level at the time of counting are unknown. Not thread-safe.
 */
final class PaneCounts {
  private static final int LEVELS = GroupSample.LAST + 1;

  // By the pane's start: groups by level, then the bytes charged for their states by level.
  private final TreeMap<Long, long[]> byPane = new TreeMap<>();
  private int level;

  PaneCounts(int level) {
    this.level = level;
  }

  /** The lowest level whose groups are known. */
  int level() {
    return level;
  }

  /**
   * Adds the groups of a pane, by tables that count in the same way, then by grouping; null if
   * there are none. A group may be in several tables of the same grouping.
   */
  void add(long pane, List<GroupTable[]> tables) {
    long[] counts = byPane.computeIfAbsent(pane, start -> new long[2 * LEVELS]);
    int groupings = tables.get(0).length;
    for (int g = 0; g < groupings; g++) {
      List<GroupTable> ofGrouping = new ArrayList<>();
      for (GroupTable[] of : tables) {
        if (of[g] != null) {
          ofGrouping.add(of[g]);
        }
      }
      if (ofGrouping.stream().anyMatch(table -> table.states() != null)) {
        addWithStates(counts, ofGrouping);
        continue;
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

  /** Merges the states of each group first: only then their joint size is known. */
  private void addWithStates(long[] counts, List<GroupTable> tables) {
    GroupTable all = tables.get(0);
    if (tables.size() > 1) {
      all = all.emptyAtLevel(level);
      tables.forEach(all::merge);
    }
    add(counts, all.sample().groupsByLevel());
    GroupStates states = all.states();
    byte[] levels = all.levels();
    for (int group = 0; states != null && group < levels.length; group++) {
      counts[LEVELS + levels[group]] += states.chargedBytes(group);
    }
  }

  private static void add(long[] counts, int[] more) {
    for (int l = 0; l < LEVELS; l++) {
      counts[l] += more[l];
    }
  }

  /** Adds groups that none of the previous tables has. */
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

  /** Adds the counts of other key groups. */
  void merge(PaneCounts other) {
    level = Math.max(level, other.level);
    other.byPane.forEach(
        (pane, more) -> {
          long[] counts = byPane.computeIfAbsent(pane, start -> new long[2 * LEVELS]);
          for (int l = 0; l < 2 * LEVELS; l++) {
            counts[l] += more[l];
          }
        });
  }

  /** The lowest level at which no pane exceeds the limit. */
  int levelOf(GroupLimit ofPane) {
    int lowest = level;
    for (long[] counts : byPane.values()) {
      while (lowest < GroupSample.NONE && !holding(counts, lowest).fits(ofPane)) {
        lowest++;
      }
    }
    return lowest;
  }

  private static GroupHolding holding(long[] counts, int level) {
    long bytes = 0;
    for (int l = level; l < LEVELS; l++) {
      bytes += counts[LEVELS + l];
    }
    return new GroupHolding(from(counts, level), bytes);
  }

  static long from(long[] counts, int level) {
    long groups = 0;
    for (int l = level; l < LEVELS; l++) {
      groups += counts[l];
    }
    return groups;
  }

  int words() {
    int words = 2;
    for (long[] counts : byPane.values()) {
      words += 3 + used(counts, 0) + used(counts, LEVELS);
    }
    return words;
  }

  private static int used(long[] counts, int from) {
    int used = LEVELS;
    while (used > 0 && counts[from + used - 1] == 0) {
      used--;
    }
    return used;
  }

  /**
   * Writes {@code level | panes | (start | levels | groups by level … | levels | bytes of states by
   * level …) …}; returns the end.
   */
  int write(long[] words, int start) {
    int at = start;
    words[at++] = level;
    words[at++] = byPane.size();
    for (Map.Entry<Long, long[]> pane : byPane.entrySet()) {
      words[at++] = pane.getKey();
      for (int from = 0; from <= LEVELS; from += LEVELS) {
        int used = used(pane.getValue(), from);
        words[at++] = used;
        System.arraycopy(pane.getValue(), from, words, at, used);
        at += used;
      }
    }
    return at;
  }

  /** Reads untrusted words to the end; a {@link PartialFormatException} if they are no counts. */
  static PaneCounts read(long[] words, int start, boolean withStates) {
    int at = start;
    if (words.length - at < 2 || words[at] < 0 || words[at] > GroupSample.NONE) {
      throw new PartialFormatException("the counts of a part's panes begin with no level");
    }
    PaneCounts counts = new PaneCounts((int) words[at]);
    long panes = words[at + 1];
    at += 2;
    for (long p = 0; p < panes; p++) {
      long[] of = new long[2 * LEVELS];
      if (at >= words.length) {
        throw new PartialFormatException("the counts of a part's panes end early");
      }
      long pane = words[at++];
      at = readLevels(words, at, of, 0);
      at = withStates ? readLevels(words, at, of, LEVELS) : at;
      if (counts.byPane.put(pane, of) != null) {
        throw new PartialFormatException("the counts of a part name a pane twice");
      }
    }
    if (at != words.length) {
      throw new PartialFormatException("the counts of a part's panes end early");
    }
    return counts;
  }

  private static int readLevels(long[] words, int at, long[] into, int from) {
    if (at >= words.length
        || words[at] < 0
        || words[at] > Math.min(LEVELS, words.length - at - 1)) {
      throw new PartialFormatException("the counts of a part's panes end early");
    }
    int used = (int) words[at];
    System.arraycopy(words, at + 1, into, from, used);
    return at + 1 + used;
  }
}

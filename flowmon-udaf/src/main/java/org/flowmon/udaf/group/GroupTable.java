package org.flowmon.udaf.group;

import java.util.Arrays;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.vector.Vector;

/**
 * A growing table of groups with exact states. Merging is commutative and associative: the result
 * is the same in whatever order and over however many tables rows were added. Not thread-safe.
 *
 * <pre>
 *   rows, partial groups, other tables
 *                │ keys                       │ arguments, states
 *                ▼                            ▼
 *           {@link GroupFinder} ─ group ─► {@link GroupWords} (keys, sums), {@link GroupStates} (of functions)
 *                                             │
 *                                             ▼
 *            {@code GroupAnswer} (HAVING, ORDER BY, LIMIT, rows), {@code TablePartials} (bytes)
 * </pre>
 */
public final class GroupTable {
  // Groups between two looks at whether to go on.
  private static final int CHECKED = 4096;

  private final GroupLayout layout;
  private final Accumulation accumulation;
  // Null where all groups are kept, however many there are.
  private final GroupSample sample;
  private final int leadingKeys;
  private final GroupWords words;
  private final GroupFinder finder;
  // Null where no function keeps any.
  private final GroupStates states;
  // Made when it is first needed.
  // Made when rows are first added: most tables only merge what others made.
  private int[] places = {};

  private final MemoryDraw memory;

  // Null where nobody wants to know.
  private GroupChanges changes;

  public GroupTable(GroupLayout layout) {
    this(layout, null);
  }

  /**
   * A table of a query whose memory is limited.
   *
   * @param memory shared with the query's other tables; null: as much as there is
   */
  public GroupTable(GroupLayout layout, GroupMemory memory) {
    this(layout, layout.keys().size(), null, memory);
  }

  /**
   * A table of some of the groups.
   *
   * @param leadingKeys how many of the first keys a group is chosen by
   * @param level as {@link GroupSample} has it
   */
  public GroupTable(GroupLayout layout, int leadingKeys, int level) {
    this(layout, leadingKeys, new GroupSample(layout, level), null);
  }

  private GroupTable(GroupLayout layout, int leadingKeys, GroupSample sample, GroupMemory memory) {
    this.memory = new MemoryDraw(memory);
    this.layout = layout;
    this.leadingKeys = leadingKeys;
    this.sample = sample;
    this.accumulation = new Accumulation(layout);
    this.words = new GroupWords(layout, this.memory);
    this.finder = new GroupFinder(layout, leadingKeys, words, sample, this.memory);
    this.states = layout.functions().isEmpty() ? null : new GroupStates(layout, this.memory);
  }

  public GroupLayout layout() {
    return layout;
  }

  /** Number of groups. */
  public int size() {
    return words.size();
  }

  /** Which groups are kept, and what the others come to; null where all are kept. */
  public GroupSample sample() {
    return sample;
  }

  /**
   * This table at a level that is not below its own: itself, or another with the groups that are
   * left, which are taken from this one: it is not used again.
   */
  public GroupTable atLevel(int level) {
    if (sample.level() == level) {
      return this;
    }
    GroupTable left = emptyAtLevel(level);
    for (int g = 0; g < size(); g++) {
      left.takeFrom(this, g);
    }
    left.sample.take(sample);
    return left;
  }

  private void takeFrom(GroupTable other, int group) {
    int before = size();
    int into = mergeWords(other, group);
    if (states != null && into < 0) {
      other.states.drop(group);
    } else if (states != null && size() > before) {
      states.take(into, other.states, group);
    } else {
      mergeStates(into, other, group);
    }
  }

  /** A table like this one, without groups. */
  public GroupTable emptyAtLevel(int level) {
    return new GroupTable(layout, leadingKeys, level);
  }

  /** What a budget counts of it. */
  public GroupHolding holding() {
    return new GroupHolding(size(), states == null ? 0 : states.chargedBytes());
  }

  /** What a budget counts for the states of groups by the highest level that has them. */
  public long[] stateBytesByLevel() {
    long[] bytes = new long[GroupSample.LAST + 1];
    for (int g = 0; g < size(); g++) {
      bytes[GroupSample.levelOf(finder.leadingHash(g))] += states.chargedBytes(g);
    }
    return bytes;
  }

  /** The highest level that has each group, as {@link GroupSample#levelOf} has it. */
  public byte[] levels() {
    byte[] levels = new byte[size()];
    for (int g = 0; g < levels.length; g++) {
      levels[g] = (byte) GroupSample.levelOf(finder.leadingHash(g));
    }
    return levels;
  }

  /** Bytes that the table holds on the heap, roughly. */
  public long heapBytes() {
    return words.heapBytes() + finder.heapBytes() + (states == null ? 0 : states.heapBytes());
  }

  /** What it draws of the query's memory; an answer of its groups is drawn beside them. */
  public MemoryDraw memory() {
    return memory;
  }

  /**
   * Adds rows. The vectors of DOUBLE keys are changed: each zero and each NaN becomes the one that
   * stands for all.
   *
   * @param keys one vector for each of {@link GroupLayout#keys}
   * @param arguments one for each of {@link GroupLayout#arguments}
   * @param selection the places of the rows in the vectors, ascending
   * @param n how many of them
   */
  public void add(Vector[] keys, Vector[] arguments, int[] selection, int n) {
    if (n == 0) {
      return;
    }
    allocatePlaces();
    finder.find(keys, selection, n, places);
    toStates(places, n);
    accumulation.add(arguments, selection, 0, n, words.all(), places);
    if (states != null) {
      toGroups(places, n);
      states.add(arguments, selection, n, places);
    }
  }

  /** Where the states of groups begin, instead of their numbers. */
  private void toStates(int[] of, int n) {
    for (int r = 0; r < n; r++) {
      of[r] = words.stateAt(of[r]);
    }
  }

  /** The contrary of {@link #toStates}. */
  private void toGroups(int[] of, int n) {
    for (int r = 0; r < n; r++) {
      of[r] = words.groupAt(of[r]);
    }
  }

  public TextDictionary texts() {
    return finder.texts();
  }

  public KeyColumns keyColumns() {
    return finder.keys();
  }

  private void allocatePlaces() {
    if (places.length == 0) {
      places = new int[Vector.CAPACITY];
    }
  }

  /**
   * Finds the groups of keys; adds those that are not there, without rows. For states that were
   * summed elsewhere, which {@link #merge(int[], long[][], int)} takes in. The vectors of DOUBLE
   * keys are changed as by {@link #add}.
   *
   * @param keys one vector for each of {@link GroupLayout#keys}
   * @param selection the places of the keys in the vectors, ascending
   * @param n how many of them
   * @param groups receives the number of the group of each, valid until {@link #clear}
   */
  public void find(Vector[] keys, int[] selection, int n, int[] groups) {
    if (n > 0) {
      finder.find(keys, selection, n, groups);
    }
  }

  /**
   * Merges states into groups.
   *
   * @param groups by state: its group, as {@link #find} gave it
   * @param stateWords by word of a state as {@link GroupLayout#accumulators} have them
   * @param n how many, at most {@link Vector#CAPACITY}
   */
  public void merge(int[] groups, long[][] stateWords, int n) {
    requireNoStates();
    allocatePlaces();
    System.arraycopy(groups, 0, places, 0, n);
    toStates(places, n);
    accumulation.merge(stateWords, n, words.all(), places);
  }

  /** Forgets all groups. */
  public void clear() {
    words.clear();
    if (states != null) {
      states.clear();
    }
    finder.clear();
    if (sample != null) {
      sample.clear();
    }
  }

  /**
   * Merges some groups of a table of the same layout.
   *
   * @param groups their numbers
   * @param n how many of them
   */
  public void merge(GroupTable other, int[] groups, int n) {
    requireSameLayout(other);
    for (int i = 0; i < n; i++) {
      merge(other, groups[i]);
    }
  }

  /**
   * Takes over groups of another table of the same layout that are certain not to be in this one.
   * From then on this table can only be finished: it does not find groups any more.
   *
   * @param groups their numbers
   * @throws IllegalArgumentException where the layout has texts, whose numbers are each table's own
   */
  public void append(GroupTable other, int[] groups) {
    requireSameLayout(other);
    reserveToAppend(groups.length);
    for (int i = 0; i < groups.length; i++) {
      if (i % CHECKED == 0) {
        memory.check();
      }
      int group = groups[i];
      if (states != null) {
        states.share(size(), other.states, group);
      }
      words.append(other.words, group);
    }
  }

  /** As {@link #append(GroupTable, int[])}, of all groups. */
  public void append(GroupTable other) {
    append(other, other.all());
  }

  /**
   * Takes over groups that are certain not to be in this table. From then on it can only be
   * finished, as after {@link #append(GroupTable, int[])}.
   *
   * @param nulls by group: bit k is set where key k is NULL
   * @param keyWords by word of the keys, then by group; 0 where the key is NULL
   * @param stateWords their states, of accumulators alone
   * @param at where the state of each group begins in them
   * @param n how many groups
   * @throws IllegalArgumentException where the layout has texts, whose numbers are each table's own
   */
  public void append(long[] nulls, long[][] keyWords, long[] stateWords, int[] at, int n) {
    requireNoStates();
    reserveToAppend(n);
    words.append(nulls, keyWords, stateWords, at, n);
  }

  /** As {@link #append(long[], long[][], long[], int[], int)}, of states by word, then by group. */
  public void appendColumns(long[] nulls, long[][] keyWords, long[][] stateWords, int n) {
    reserveToAppend(n);
    words.append(nulls, keyWords, stateWords, n);
  }

  private void requireNoStates() {
    if (states != null) {
      throw new IllegalStateException("words alone do not say what functions have of a group");
    }
  }

  /** The states that functions keep of the groups; null where none does. */
  public GroupStates states() {
    return states;
  }

  /** Merges the states that the functions of another table keep of a group into one of this. */
  public void mergeStates(int group, GroupTable other, int from) {
    if (other.states != null) {
      states.merge(group, other.states, from);
    }
  }

  /** Whether {@link #append} takes groups of this layout that are not in the table. */
  public boolean canBeAppended() {
    return !layout.keys().isEmpty() && !finder.keys().hasTexts();
  }

  /** Whether its words say all of its groups: no text keys, and no states of functions. */
  public boolean isOfWordsAlone() {
    return states == null && !finder.keys().hasTexts();
  }

  /** Makes room for groups that are to be taken over, as many as are still to come. */
  public void reserveToAppend(long groups) {
    finder.giveUp();
    words.reserve(groups);
  }

  /** The numbers of all groups. */
  public int[] all() {
    int[] groups = new int[size()];
    Arrays.setAll(groups, group -> group);
    return groups;
  }

  /**
   * Reads an address key of a group.
   *
   * @param highLow receives the high and the low long
   * @return false where the key is NULL
   */
  public boolean readAddress(int group, int key, long[] highLow) {
    int at = keyAt(group, key);
    highLow[0] = words.all()[at];
    highLow[1] = words.all()[at + 1];
    return !isKeyNull(group, key);
  }

  /** Merges the state of a group into one of the same layout, at a place of some words. */
  public void mergeState(int group, long[] into, int at) {
    layout.merge(into, at, words.all(), stateAt(group));
  }

  private void requireSameLayout(GroupTable other) {
    if (other.layout.fingerprint() != layout.fingerprint()) {
      throw new IllegalArgumentException("the groups of the tables are made otherwise");
    }
  }

  /**
   * Merges groups whose key and state words lie in columns.
   *
   * @param at may be written, of {@code count} places or more: receives the number of the group of
   *     each
   */
  public void mergeColumns(
      long[] nulls, long[][] keyWords, long[] hashes, long[][] stateWords, int[] at, int count) {
    finder.find(nulls, keyWords, hashes, count, at);
    if (changes != null) {
      changes.note(at, count);
    }
    toStates(at, count);
    accumulation.merge(stateWords, count, words.all(), at);
    if (states != null) {
      toGroups(at, count);
    }
  }

  /** From now on notes which of the groups that it has now change by {@link #mergeColumns}. */
  public void watch() {
    changes = new GroupChanges(size());
  }

  /** What changed since {@link #watch}; null where nobody asked for it. */
  public GroupChanges changes() {
    return changes;
  }

  /** Merges all groups of a table of the same layout, and what it left out. */
  public void merge(GroupTable other) {
    merge(other, memory::check);
  }

  /**
   * As {@link #merge(GroupTable)}.
   *
   * @param check runs now and then, and may throw to end it
   */
  public void merge(GroupTable other, Runnable check) {
    requireSameLayout(other);
    for (int g = 0; g < other.size(); g++) {
      if (g % CHECKED == 0) {
        check.run();
      }
      merge(other, g);
    }
    if (sample != null && other.sample != null) {
      sample.take(other.sample);
    }
  }

  /** Merges one group of a table of the same layout; one that is not kept into the rest. */
  void merge(GroupTable other, int group) {
    int into = mergeWords(other, group);
    if (into >= 0) {
      mergeStates(into, other, group);
    }
  }

  /** Merges the words of one group; which one here it is, −1 where it is not kept. */
  private int mergeWords(GroupTable other, int group) {
    if (sample != null && sample.level() > 0 && !sample.keeps(other.finder.leadingHash(group))) {
      sample.drop(other.words.all(), other.stateAt(group));
      return -1;
    }
    int into = finder.findOrAdd(other.finder, group);
    layout.merge(words.all(), stateAt(into), other.words.all(), other.stateAt(group));
    return into;
  }

  /** Whether it has the group of another table of the same layout. */
  public boolean contains(GroupTable other, int group) {
    return finder.contains(other.finder, group);
  }

  /**
   * Finds the group of the first keys of another table's group, or adds it without rows.
   *
   * @param other its keys begin with this table's
   */
  public int findKeysOf(GroupTable other, int group) {
    return finder.findFirstKeys(other.finder, group);
  }

  /** Adds the one group of a query without GROUP BY, where it has no rows. */
  public void addGroupOfNoKeys() {
    if (layout.keys().isEmpty() && size() == 0) {
      finder.addGroupOfNoKeys();
    }
  }

  /** As {@link GroupIndex#displacement} has it. */
  public long displacement() {
    return finder.displacement();
  }

  /** How far apart groups are in {@link #words}. */
  public int stride() {
    return words.stride();
  }

  /** Where the state of a group begins in {@link #words}. */
  public int stateAt(int group) {
    return words.stateAt(group);
  }

  /** Where the words of a key of a group begin in {@link #words}. */
  public int keyAt(int group, int key) {
    return words.keyAt(group, key);
  }

  public boolean isKeyNull(int group, int key) {
    return words.isKeyNull(group, key);
  }

  public String keyText(int group, int key) {
    return finder.texts().text(words.all()[keyAt(group, key)]);
  }

  public long word(int at) {
    return words.all()[at];
  }

  /** The words of all groups, until a group is added. */
  public long[] words() {
    return words.all();
  }

  /** Adds the state of every group to one state, and of those that were left out. */
  public void addTotals(long[] totals) {
    for (int g = 0; g < size(); g++) {
      layout.merge(totals, 0, words.all(), stateAt(g));
    }
    if (sample != null && sample.rest() != null) {
      layout.merge(totals, 0, sample.rest(), 0);
    }
  }
}

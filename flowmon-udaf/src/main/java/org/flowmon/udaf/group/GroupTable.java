package org.flowmon.udaf.group;

import java.util.Arrays;
import java.util.Objects;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * A growing table of groups with exact states. Merging is commutative and associative: the result
 * does not depend on the order of rows or the number of tables. Not thread-safe.
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
  // Groups between two cancellation checks.
  private static final int CHECKED = 4096;

  private final GroupLayout layout;
  private final Accumulation accumulation;
  // Null if all groups are kept, however many.
  private final @Nullable GroupSample sample;
  private final int leadingKeys;
  private final GroupWords words;
  private final GroupFinder finder;
  // Null if no function keeps any.
  private final @Nullable GroupStates states;
  // Allocated with the first rows: most tables only merge states of others.
  private int[] places = {};

  private final MemoryDraw memory;

  // Null if changes are not watched.
  private @Nullable GroupChanges changes;

  public GroupTable(GroupLayout layout) {
    this(layout, null);
  }

  /** A table of a query with limited memory, shared with its other tables; null: unlimited. */
  public GroupTable(GroupLayout layout, @Nullable GroupMemory memory) {
    this(layout, layout.keys().size(), null, memory);
  }

  /** A table of a sample of the groups, by their leading keys; levels as in {@link GroupSample}. */
  public GroupTable(GroupLayout layout, int leadingKeys, int level) {
    this(layout, leadingKeys, new GroupSample(layout, level), null);
  }

  private GroupTable(
      GroupLayout layout,
      int leadingKeys,
      @Nullable GroupSample sample,
      @Nullable GroupMemory memory) {
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

  public int size() {
    return words.size();
  }

  /** Whether it is of a sample; otherwise all groups are kept. */
  public boolean isOfSample() {
    return sample != null;
  }

  /** The sample whose groups it has. */
  public GroupSample sample() {
    return Objects.requireNonNull(sample, "a table of all groups has no sample");
  }

  /**
   * This table at the same or a higher level: itself, or a new table that takes its remaining
   * groups. Then this one must not be used again.
   */
  public GroupTable atLevel(int level) {
    if (sample().level() == level) {
      return this;
    }
    GroupTable left = emptyAtLevel(level);
    for (int g = 0; g < size(); g++) {
      left.takeFrom(this, g);
    }
    left.sample().take(sample());
    return left;
  }

  private void takeFrom(GroupTable other, int group) {
    int before = size();
    int into = mergeWords(other, group);
    if (states == null || other.states == null) {
      return;
    }
    if (into < 0) {
      other.states.drop(group);
    } else if (size() > before) {
      states.take(into, other.states, group);
    } else {
      mergeStates(into, other, group);
    }
  }

  public GroupTable emptyAtLevel(int level) {
    return new GroupTable(layout, leadingKeys, level);
  }

  public GroupHolding holding() {
    return new GroupHolding(size(), states == null ? 0 : states.chargedBytes());
  }

  /** By group: {@link GroupSample#levelOf}. */
  public byte[] levels() {
    return finder.levels();
  }

  /** Approximate. */
  public long heapBytes() {
    return words.heapBytes() + finder.heapBytes() + (states == null ? 0 : states.heapBytes());
  }

  /** The draw on the query's memory; an answer from the groups draws on it, too. */
  public MemoryDraw memory() {
    return memory;
  }

  /**
   * Adds rows, at ascending places of a vector per key and per argument of the layout. Changes
   * DOUBLE keys: both zeros become one, and all NaNs.
   */
  public void add(Vector[] keys, Vector[] arguments, int[] selection, int n) {
    if (n == 0) {
      return;
    }
    allocatePlaces();
    finder.find(keys, selection, n, places);
    words.toStates(places, n);
    accumulation.add(arguments, selection, 0, n, words.all(), places);
    if (states != null) {
      words.toGroups(places, n);
      states.add(arguments, selection, n, places);
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
   * Finds or adds groups without rows, with keys at ascending places; {@link #merge(int[],
   * long[][], int)} merges states summed elsewhere. Changes DOUBLE keys as {@link #add}. Numbers
   * are valid until {@link #clear}.
   */
  public void find(Vector[] keys, int[] selection, int n, int[] groups) {
    if (n > 0) {
      finder.find(keys, selection, n, groups);
    }
  }

  /** Merges at most {@link Vector#CAPACITY} states, by word, into groups from {@link #find}. */
  public void merge(int[] groups, long[][] stateWords, int n) {
    requireNoStates();
    allocatePlaces();
    System.arraycopy(groups, 0, places, 0, n);
    words.toStates(places, n);
    accumulation.merge(stateWords, n, words.all(), places);
  }

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

  /** Merges some groups of a table of the same layout. */
  public void merge(GroupTable other, int[] groups, int n) {
    requireSameLayout(other);
    for (int i = 0; i < n; i++) {
      merge(other, groups[i]);
    }
  }

  /**
   * Takes over groups of a table of the same layout that are certainly absent here. Afterwards this
   * table does not find groups any more: it can only be finished.
   *
   * @throws IllegalArgumentException if the layout has texts, whose numbers differ between tables
   */
  public void append(GroupTable other, int[] groups) {
    requireSameLayout(other);
    reserveToAppend(groups.length);
    for (int i = 0; i < groups.length; i++) {
      if (i % CHECKED == 0) {
        memory.check();
      }
      int group = groups[i];
      if (states != null && other.states != null) {
        states.share(size(), other.states, group);
      }
      words.append(other.words, group);
    }
  }

  public void append(GroupTable other) {
    append(other, other.all());
  }

  /**
   * Takes over groups in columns, with the conditions of {@link #append(GroupTable, int[])}.
   *
   * @param nulls by group: bit k is set if key k is NULL
   * @param keyWords by word of the keys, then by group; 0 if the key is NULL
   * @param stateWords their states, of accumulators alone
   * @param at the start of each group's state in {@code stateWords}
   */
  public void append(long[] nulls, long[][] keyWords, long[] stateWords, int[] at, int n) {
    requireNoStates();
    reserveToAppend(n);
    words.append(nulls, keyWords, stateWords, at, n);
  }

  /** Takes over groups whose states lie by word, then by group. */
  public void appendColumns(long[] nulls, long[][] keyWords, long[][] stateWords, int n) {
    reserveToAppend(n);
    words.append(nulls, keyWords, stateWords, n);
  }

  private void requireNoStates() {
    if (states != null) {
      throw new IllegalStateException("a group with states of functions cannot be read as words");
    }
  }

  /** Null if no function keeps any. */
  public @Nullable GroupStates states() {
    return states;
  }

  /** Of a table with functions. */
  public GroupStates requireStates() {
    return Objects.requireNonNull(states, "no function keeps states in the table");
  }

  public void mergeStates(int group, GroupTable other, int from) {
    if (states != null && other.states != null) {
      states.merge(group, other.states, from);
    }
  }

  public boolean canBeAppended() {
    return !layout.keys().isEmpty() && !finder.keys().hasTexts();
  }

  /** Whether it has neither text keys nor function states. */
  public boolean isOfWordsAlone() {
    return states == null && !finder.keys().hasTexts();
  }

  public void reserveToAppend(long groups) {
    finder.giveUp();
    words.reserve(groups);
  }

  public int[] all() {
    int[] groups = new int[size()];
    Arrays.setAll(groups, group -> group);
    return groups;
  }

  /** Reads the high and the low long of an address key; false if it is NULL. */
  public boolean readAddress(int group, int key, long[] highLow) {
    int at = keyAt(group, key);
    highLow[0] = words.all()[at];
    highLow[1] = words.all()[at + 1];
    return !isKeyNull(group, key);
  }

  private void requireSameLayout(GroupTable other) {
    if (other.layout.fingerprint() != layout.fingerprint()) {
      throw new IllegalArgumentException("the tables have different layouts of groups");
    }
  }

  /** Merges groups in columns; {@code at}, of at least {@code count} places, gets their numbers. */
  public void mergeColumns(
      long[] nulls, long[][] keyWords, long[] hashes, long[][] stateWords, int[] at, int count) {
    finder.find(nulls, keyWords, hashes, count, at);
    if (changes != null) {
      changes.note(at, count);
    }
    words.toStates(at, count);
    accumulation.merge(stateWords, count, words.all(), at);
    if (states != null) {
      words.toGroups(at, count);
    }
  }

  /** Starts to note changes of the present groups by {@link #mergeColumns}. */
  public void watch() {
    changes = new GroupChanges(size());
  }

  /** The changes since {@link #watch}. */
  public GroupChanges changes() {
    return Objects.requireNonNull(changes, "changes of the table are not watched");
  }

  /** Merges all groups of a table of the same layout, and its rest. */
  public void merge(GroupTable other) {
    merge(other, memory::check);
  }

  /** Merges a table; {@code check} runs now and then, and may throw to end the merge. */
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

  /** Merges one group; one that is not kept goes into the rest. */
  void merge(GroupTable other, int group) {
    int into = mergeWords(other, group);
    if (into >= 0) {
      mergeStates(into, other, group);
    }
  }

  /** Returns the group's number here, −1 if it is not kept. */
  private int mergeWords(GroupTable other, int group) {
    if (sample != null && sample.level() > 0 && !sample.keeps(other.finder.leadingHash(group))) {
      sample.drop(other.words.all(), other.stateAt(group));
      return -1;
    }
    int into = finder.findOrAdd(other.finder, group);
    layout.merge(words.all(), stateAt(into), other.words.all(), other.stateAt(group));
    return into;
  }

  /** Whether the table has the group of another table of the same layout. */
  public boolean contains(GroupTable other, int group) {
    return finder.contains(other.finder, group);
  }

  /** Finds or adds, without rows, the group of the other's first keys, which are this table's. */
  public int findKeysOf(GroupTable other, int group) {
    return finder.findFirstKeys(other.finder, group);
  }

  /** Finds or adds, without rows, the group of some of the other's keys, this table's by place. */
  public int findKeysOf(GroupTable other, int group, int[] places) {
    return finder.findKeys(other.finder, group, places);
  }

  /** Adds the one group of a query without GROUP BY, if it has no rows. */
  public void addGroupOfNoKeys() {
    if (layout.keys().isEmpty() && size() == 0) {
      finder.addGroupOfNoKeys();
    }
  }

  /** The index's wasted probes: {@link GroupIndex#displacement}. */
  public long displacement() {
    return finder.displacement();
  }

  /** The distance of groups in {@link #words}. */
  public int stride() {
    return words.stride();
  }

  public int stateAt(int group) {
    return words.stateAt(group);
  }

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

  /** The words of all groups, valid until a group is added. */
  public long[] words() {
    return words.all();
  }

  /** Adds the states of all groups, and of the rest, to one state. */
  public void addTotals(long[] totals) {
    accumulation.total(words.all(), stateAt(0), stride(), size(), totals);
    if (sample != null && sample.rest() != null) {
      layout.merge(totals, 0, sample.rest(), 0);
    }
  }
}

package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.AnswerTooLargeException;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.ValueKind;

/**
 * A growing table of groups with exact states. Merging is commutative and associative: the result
 * is the same in whatever order and over however many tables rows were added. Not thread-safe.
 */
public final class GroupTable {
  private static final int MAX_WORDS = Integer.MAX_VALUE - 8;
  // Groups between two looks at whether to go on.
  private static final int CHECKED = 4096;

  private final GroupLayout layout;
  private final Accumulation accumulation;
  private final TextDictionary texts = new TextDictionary();
  private final KeyColumns keyColumns;
  // Null where all groups are kept, however many there are.
  private final GroupSample sample;
  private final GroupIndex index = new GroupIndex();
  private final int leadingKeys;
  private final int stride;
  // Null where no function keeps any.
  private final GroupStates states;
  // Group by group: mask of NULL keys, key words, state words.
  private long[] data;
  private int size;
  // Whether groups were taken over without being put into the index.
  private boolean appended;
  private final long[][] oneKey;
  private final long[] oneGroup;
  // Made when it is first needed.
  private PartialMerge merging;
  // Made when rows are first added: most tables only merge what others made.
  private int[] places = {};

  // Null where there is no limit.
  private final GroupMemory memory;
  private long told;

  // Keeps the reads of touch() from being left out.
  @SuppressWarnings("unused")
  private long touched;

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
  GroupTable(GroupLayout layout, int leadingKeys, int level) {
    this(layout, leadingKeys, new GroupSample(layout, level), null);
  }

  private GroupTable(GroupLayout layout, int leadingKeys, GroupSample sample, GroupMemory memory) {
    this.memory = memory;
    this.layout = layout;
    this.leadingKeys = leadingKeys;
    this.sample = sample;
    this.accumulation = new Accumulation(layout);
    this.keyColumns = new KeyColumns(layout, texts, leadingKeys);
    this.stride = 1 + layout.keyWords() + layout.stateWords();
    this.states = layout.functions().isEmpty() ? null : new GroupStates(layout);
    this.oneKey = new long[layout.keyWords()][1];
    this.oneGroup = new long[layout.keyWords()];
    this.data = new long[16 * stride];
  }

  public GroupLayout layout() {
    return layout;
  }

  /** Number of groups. */
  public int size() {
    return size;
  }

  /** Which groups are kept, and what the others come to; null where all are kept. */
  GroupSample sample() {
    return sample;
  }

  /**
   * This table at a level that is not below its own: itself, or another with the groups that are
   * left, which are taken from this one: it is not used again.
   */
  GroupTable atLevel(int level) {
    if (sample.level() == level) {
      return this;
    }
    GroupTable left = emptyAtLevel(level);
    for (int g = 0; g < size; g++) {
      left.takeFrom(this, g);
    }
    left.sample.take(sample);
    return left;
  }

  private void takeFrom(GroupTable other, int group) {
    int before = size;
    int into = mergeWords(other, group);
    if (states != null && into < 0) {
      other.states.drop(group);
    } else if (states != null && size > before) {
      states.take(into, other.states, group);
    } else {
      mergeStates(into, other, group);
    }
  }

  /** A table like this one, without groups. */
  GroupTable emptyAtLevel(int level) {
    return new GroupTable(layout, leadingKeys, level);
  }

  /** What a budget counts of it. */
  GroupHolding holding() {
    return new GroupHolding(size, states == null ? 0 : states.chargedBytes());
  }

  /** What a budget counts for the states of groups by the highest level that has them. */
  long[] stateBytesByLevel() {
    long[] bytes = new long[GroupSample.LAST + 1];
    for (int g = 0; g < size; g++) {
      bytes[GroupSample.levelOf(leadingHash(g))] += states.chargedBytes(g);
    }
    return bytes;
  }

  /** The highest level that has each group, as {@link GroupSample#levelOf} has it. */
  byte[] levels() {
    byte[] levels = new byte[size];
    for (int g = 0; g < size; g++) {
      levels[g] = (byte) GroupSample.levelOf(leadingHash(g));
    }
    return levels;
  }

  private long leadingHash(int group) {
    int at = group * stride;
    return keyColumns.leadingHash(data[at], data, at + 1);
  }

  /** Bytes that the table holds on the heap, roughly. */
  public long heapBytes() {
    long words = 8L * data.length + index.heapBytes() + 100L * texts.size();
    return words + (states == null ? 0 : states.heapBytes());
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
    keyColumns.load(keys, selection[n - 1] + 1);
    allocatePlaces();
    if (index.isLarge()) {
      for (int r = 0; r < n; r++) {
        places[r] = index.likely(keyColumns.hashes[selection[r]]);
      }
      touch(places, n);
    }
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      places[r] =
          stateAt(findOrAdd(keyColumns.hashes[i], keyColumns.nulls[i], keyColumns.words, i));
    }
    accumulation.add(arguments, selection, 0, n, data, places);
    if (states != null) {
      for (int r = 0; r < n; r++) {
        places[r] = groupAt(places[r]);
      }
      states.add(arguments, selection, n, places);
    }
    tellMemory();
  }

  private void tellMemory() {
    if (memory != null) {
      long bytes = heapBytes();
      memory.take(bytes - told);
      told = bytes;
    }
  }

  /**
   * Reads what {@link #findOrAdd} is going to read for each row, independently of one another, so
   * that the memory's latency is waited for once and not row by row.
   *
   * @param likely the groups that the index gives first, −1 where it gives none
   */
  private void touch(int[] likely, int n) {
    long sum = 0;
    for (int r = 0; r < n; r++) {
      sum ^= likely[r] < 0 ? 0 : data[likely[r] * stride];
    }
    touched = sum;
  }

  /**
   * Merges partial states.
   *
   * @throws PartialFormatException where its groups are made otherwise than this table's
   */
  public void merge(PartialGroups groups) {
    if (merging == null) {
      merging = new PartialMerge(layout);
    }
    merging.into(this, groups);
  }

  /** As {@link #merge(PartialGroups)}, by what several tables of this layout share. */
  void merge(PartialGroups groups, PartialMerge shared) {
    shared.into(this, groups);
  }

  TextDictionary texts() {
    return texts;
  }

  KeyColumns keyColumns() {
    return keyColumns;
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
    if (n == 0) {
      return;
    }
    keyColumns.load(keys, selection[n - 1] + 1);
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      groups[r] = findOrAdd(keyColumns.hashes[i], keyColumns.nulls[i], keyColumns.words, i);
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
    for (int i = 0; i < n; i++) {
      places[i] = stateAt(groups[i]);
    }
    accumulation.merge(stateWords, n, data, places);
  }

  /** Forgets all groups. */
  public void clear() {
    size = 0;
    if (states != null) {
      states.clear();
    }
    appended = false;
    index.clear();
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
    for (int group : groups) {
      System.arraycopy(other.data, group * stride, data, size * stride, stride);
      if (states != null) {
        states.share(size, other.states, group);
      }
      size++;
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
    for (int i = 0; i < n; i++) {
      int group = size * stride;
      data[group] = nulls[i];
      for (int w = 0; w < keyWords.length; w++) {
        data[group + 1 + w] = keyWords[w][i];
      }
      System.arraycopy(stateWords, at[i], data, stateAt(size), layout.stateWords());
      size++;
    }
  }

  /** As {@link #append(long[], long[][], long[], int[], int)}, of states by word, then by group. */
  void appendColumns(long[] nulls, long[][] keyWords, long[][] stateWords, int n) {
    reserveToAppend(n);
    int words = keyWords.length;
    int first = size * stride;
    for (int i = 0, at = first; i < n; i++, at += stride) {
      data[at] = nulls[i];
    }
    for (int w = 0; w < words + stateWords.length; w++) {
      long[] column = w < words ? keyWords[w] : stateWords[w - words];
      for (int i = 0, at = first + 1 + w; i < n; i++, at += stride) {
        data[at] = column[i];
      }
    }
    size += n;
  }

  private void requireNoStates() {
    if (states != null) {
      throw new IllegalStateException("words alone do not say what functions have of a group");
    }
  }

  /** The states that functions keep of the groups; null where none does. */
  GroupStates states() {
    return states;
  }

  /** Merges the states that the functions of another table keep of a group into one of this. */
  void mergeStates(int group, GroupTable other, int from) {
    if (other.states != null) {
      states.merge(group, other.states, from);
    }
  }

  /** Whether {@link #append} takes groups of this layout that are not in the table. */
  boolean canBeAppended() {
    return !layout.keys().isEmpty() && !keyColumns.hasTexts();
  }

  /** Makes room for groups that are to be taken over, as many as are still to come. */
  void reserveToAppend(long groups) {
    if (keyColumns.hasTexts()) {
      throw new IllegalArgumentException("groups with texts cannot be taken over");
    }
    appended = true;
    long needed = (size + groups) * stride;
    if (needed > data.length) {
      if (needed > MAX_WORDS) {
        throw new AnswerTooLargeException(size + groups, "groups", MAX_WORDS / stride);
      }
      data = Arrays.copyOf(data, (int) Math.min(MAX_WORDS, Math.max(needed, 2L * data.length)));
    }
  }

  /**
   * The first groups of the query's answer, in its order: of those that HAVING keeps, all where it
   * has no limit. The groups must be whole, but there may be others elsewhere.
   */
  public int[] first(FlowQuery query) {
    return first(query, () -> {});
  }

  private int[] first(FlowQuery query, Runnable check) {
    int[] groups = query.having() == null ? null : kept(query);
    return new GroupOrder(this, query, groups, check).first(groups);
  }

  /**
   * The groups that are among the first of the query's answer, if one leaves out those below some
   * level: of this one or any higher one. In no order.
   *
   * @param query with a limit, or HAVING
   */
  int[] firstOfLevels(FlowQuery query, int level) {
    int[] groups = kept(query);
    if (query.limit() < 0) {
      return groups;
    }
    byte[] levels = levels();
    GroupOrder order = new GroupOrder(this, query, groups, () -> {});
    BitSet chosen = new BitSet(size);
    int n = groups.length;
    for (int l = level; n > 0; l++) {
      int left = 0;
      for (int i = 0; i < n; i++) {
        if (levels[groups[i]] >= l) {
          groups[left++] = groups[i];
        }
      }
      n = left;
      boolean isAll = n <= query.limit() && query.limitBy() == null;
      int[] first = isAll ? null : order.first(Arrays.copyOf(groups, n));
      for (int i = 0; i < (first == null ? n : first.length); i++) {
        chosen.set(first == null ? groups[i] : first[i]);
      }
      if (first == null) {
        break; // all of this level are chosen, and so are those of the ones above it
      }
    }
    return chosen.stream().toArray();
  }

  /**
   * The groups for which the query's HAVING is TRUE, which must be whole; all where it has none.
   */
  public int[] kept(FlowQuery query) {
    int[] groups = all();
    if (query.having() == null) {
      return groups;
    }
    GroupBlocks blocks = new GroupBlocks(this, query, query.having());
    CompiledPredicate having = CompiledPredicate.of(query.having(), blocks.vectors());
    int[] selection = new int[Vector.CAPACITY];
    int[] kept = new int[size];
    int[] count = new int[1];
    blocks.read(
        groups,
        (from, n) -> {
          int chosen = having.select(n, selection);
          for (int i = 0; i < chosen; i++) {
            kept[count[0]++] = groups[from + selection[i]];
          }
        });
    return Arrays.copyOf(kept, count[0]);
  }

  /** The numbers of all groups. */
  int[] all() {
    int[] groups = new int[size];
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
    highLow[0] = data[at];
    highLow[1] = data[at + 1];
    return !isKeyNull(group, key);
  }

  /** Merges the state of a group into one of the same layout, at a place of some words. */
  public void mergeState(int group, long[] into, int at) {
    layout.merge(into, at, data, stateAt(group));
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
  void mergeColumns(
      long[] nulls, long[][] keyWords, long[] hashes, long[][] stateWords, int[] at, int count) {
    if (index.isLarge()) {
      for (int i = 0; i < count; i++) {
        at[i] = index.likely(hashes[i]);
      }
      touch(at, count);
    }
    for (int i = 0; i < count; i++) {
      at[i] = stateAt(findOrAdd(hashes[i], nulls[i], keyWords, i));
    }
    accumulation.merge(stateWords, count, data, at);
    for (int i = 0; states != null && i < count; i++) {
      at[i] = groupAt(at[i]);
    }
  }

  /**
   * Leaves out groups in columns that are not kept: they are merged into the rest.
   *
   * @param from by group: where it comes from, which goes with it
   * @return how many are kept, which lie first in the columns then
   */
  int keep(
      long[] nulls, long[][] keyWords, long[] hashes, long[][] stateWords, int[] from, int count) {
    if (sample == null || sample.level() == 0) {
      return count;
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (!sample.keeps(keyColumns.leadingHash(nulls[i], keyWords, i, hashes[i]))) {
        sample.drop(stateWords, i);
        continue;
      }
      if (kept < i) {
        nulls[kept] = nulls[i];
        hashes[kept] = hashes[i];
        move(keyWords, i, kept);
        move(stateWords, i, kept);
        from[kept] = from[i];
      }
      kept++;
    }
    return kept;
  }

  private static void move(long[][] columns, int from, int to) {
    for (long[] column : columns) {
      column[to] = column[from];
    }
  }

  /** Merges all groups of a table of the same layout, and what it left out. */
  public void merge(GroupTable other) {
    merge(other, () -> {});
  }

  /**
   * As {@link #merge(GroupTable)}.
   *
   * @param check runs now and then, and may throw to end it
   */
  public void merge(GroupTable other, Runnable check) {
    requireSameLayout(other);
    for (int g = 0; g < other.size; g++) {
      if (g % CHECKED == 0) {
        check.run();
        tellMemory();
      }
      merge(other, g);
    }
    tellMemory();
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
    if (sample != null && sample.level() > 0 && !sample.keeps(other.leadingHash(group))) {
      sample.drop(other.data, other.stateAt(group));
      return -1;
    }
    int from = group * other.stride;
    long[][] keyWords = oneKey;
    for (int w = 0; w < keyWords.length; w++) {
      keyWords[w][0] = other.data[from + 1 + w];
    }
    renumberTexts(other, keyWords);
    long hash = other.hash(group);
    int into = findOrAdd(hash, other.data[from], keyWords, 0);
    layout.merge(data, stateAt(into), other.data, other.stateAt(group));
    return into;
  }

  /** Whether it has the group of another table of the same layout. */
  boolean contains(GroupTable other, int group) {
    int from = group * other.stride;
    long[][] keyWords = oneKey;
    for (int w = 0; w < keyWords.length; w++) {
      keyWords[w][0] = other.data[from + 1 + w];
    }
    renumberTexts(other, keyWords);
    return find(other.hash(group), other.data[from], keyWords, 0) >= 0;
  }

  /**
   * Finds the group of the first keys of another table's group, or adds it without rows.
   *
   * @param other its keys begin with this table's
   */
  int findKeysOf(GroupTable other, int group) {
    int from = group * other.stride;
    long nulls = other.data[from] & ((1L << layout.keys().size()) - 1);
    long[][] keyWords = oneKey;
    for (int w = 0; w < keyWords.length; w++) {
      keyWords[w][0] = other.data[from + 1 + w];
    }
    renumberTexts(other, keyWords);
    for (int w = 0; w < keyWords.length; w++) {
      oneGroup[w] = keyWords[w][0];
    }
    return findOrAdd(keyColumns.hash(nulls, oneGroup, 0), nulls, keyWords, 0);
  }

  private void renumberTexts(GroupTable other, long[][] keyWords) {
    for (int k = 0; k < layout.keys().size() && keyColumns.hasTexts(); k++) {
      if (layout.keyKind(k) == ValueKind.TEXT) {
        long[] word = keyWords[layout.keyWord(k)];
        word[0] = texts.number(other.texts.text(word[0]));
      }
    }
  }

  private int findOrAdd(long hash, long nulls, long[][] keyWords, int i) {
    if (appended) {
      throw new IllegalStateException("a table into which groups were taken over finds none");
    }
    int group = find(hash, nulls, keyWords, i);
    return group >= 0 ? group : addGroup(hash, nulls, keyWords, i);
  }

  /** The group of these keys, −1 where there is none. */
  private int find(long hash, long nulls, long[][] keyWords, int i) {
    index.seek(hash);
    for (int group = index.next(); group >= 0; group = index.next()) {
      if (isGroup(group, nulls, keyWords, i)) {
        return group;
      }
    }
    return -1;
  }

  private boolean isGroup(int group, long nulls, long[][] keyWords, int i) {
    int at = group * stride;
    if (data[at] != nulls) {
      return false;
    }
    for (int w = 0; w < keyWords.length; w++) {
      if (data[at + 1 + w] != keyWords[w][i]) {
        return false;
      }
    }
    return true;
  }

  private int addGroup(long hash, long nulls, long[][] keyWords, int i) {
    int group = newGroup(nulls);
    int at = group * stride + 1;
    for (int w = 0; w < keyWords.length; w++) {
      data[at + w] = keyWords[w][i];
    }
    index.add(hash, group);
    if (sample != null) {
      sample.added(keyColumns.leadingHash(nulls, keyWords, i, hash));
    }
    return group;
  }

  private int newGroup(long nulls) {
    if ((long) (size + 1) * stride > data.length) {
      long wanted = Math.min(2L * data.length, MAX_WORDS);
      if ((long) (size + 1) * stride > wanted) {
        throw new AnswerTooLargeException(size + 1L, "groups", MAX_WORDS / stride);
      }
      if (memory != null) {
        memory.require(8 * (wanted - data.length));
      }
      data = Arrays.copyOf(data, (int) wanted);
    }
    data[size * stride] = nulls;
    layout.reset(data, stateAt(size));
    return size++;
  }

  private long hashOfNoKeys() {
    return keyColumns.hash(0, data, 0);
  }

  long hash(int group) {
    int at = group * stride;
    return keyColumns.hash(data[at], data, at + 1);
  }

  /** How far apart groups are in {@link #words}. */
  int stride() {
    return stride;
  }

  /** Where the state of a group begins in {@link #data}. */
  int stateAt(int group) {
    return group * stride + 1 + layout.keyWords();
  }

  /** The group whose state begins there: {@link #stateAt} undone. */
  private int groupAt(int state) {
    return (state - 1 - layout.keyWords()) / stride;
  }

  /** Where the words of a key of a group begin in {@link #data}. */
  int keyAt(int group, int key) {
    return group * stride + 1 + layout.keyWord(key);
  }

  boolean isKeyNull(int group, int key) {
    return (data[group * stride] >>> key & 1) != 0;
  }

  String keyText(int group, int key) {
    return texts.text(data[keyAt(group, key)]);
  }

  long word(int at) {
    return data[at];
  }

  /** The words of all groups, until a group is added. */
  long[] words() {
    return data;
  }

  /** Adds the state of every group to one state, and of those that were left out. */
  void addTotals(long[] totals) {
    for (int g = 0; g < size; g++) {
      layout.merge(totals, 0, data, stateAt(g));
    }
    if (sample != null && sample.rest() != null) {
      layout.merge(totals, 0, sample.rest(), 0);
    }
  }

  /**
   * All groups as the bytes of partial groups, some thousands to an array.
   *
   * @param grouping of the query that the groups are of
   */
  List<byte[]> toPartials(
      long queryId, int grouping, int keyGroup, long paneStart, long fromWindowEnd, long due) {
    List<byte[]> all = new ArrayList<>();
    PartialGroupsBuilder builder =
        new PartialGroupsBuilder(layout, new PartialGroupsBuilder.Scratch());
    PartialRecipient to = new PartialRecipient(queryId, grouping, layout, layout);
    StateSource source = states == null ? StateSource.NONE : states::output;
    for (int g = 0; g < size; g++) {
      builder.add(data[g * stride], data, g * stride + 1, texts, source, g);
      if (builder.isFull()) {
        all.add(builder.build(to, keyGroup, paneStart, fromWindowEnd, due));
      }
    }
    if (builder.count() > 0) {
      all.add(builder.build(to, keyGroup, paneStart, fromWindowEnd, due));
    }
    return all;
  }

  /**
   * The query's answer over the groups, of which there are no others: those that HAVING keeps,
   * ordered, ties by the keys ascending, cut to the limit.
   */
  public ResultTable finish(FlowQuery query) {
    return finish(query, () -> {});
  }

  /**
   * As {@link #finish(FlowQuery)}.
   *
   * @param check runs now and then, and may throw to end it
   */
  public ResultTable finish(FlowQuery query, Runnable check) {
    int[] order = ordered(query, check);
    check.run();
    return rows(query, order);
  }

  /** The groups of {@link #finish(FlowQuery)}, in their order. */
  int[] ordered(FlowQuery query, Runnable check) {
    if (layout.keys().isEmpty() && size == 0) {
      // Without GROUP BY there is one group, even of no rows.
      addGroup(hashOfNoKeys(), 0, oneKey, 0);
    }
    return first(query, check);
  }

  /** The rows of some groups. */
  ResultTable rows(FlowQuery query, int[] groups) {
    return new GroupRows(this, query).table(groups);
  }
}

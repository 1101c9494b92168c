package org.flowmon.archive.query.rollup;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.numbering.SortedUnion;
import org.flowmon.archive.query.plan.RollupRule;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.rollup.CellReader;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Sums the cells of one part of the addresses after the other. Not thread-safe. */
final class AddressSummer {
  private static final int OUTGOINGS = 3;

  private final List<CellSource> sources;
  private final List<AddressGroups> edges;
  private final Deadline deadline;
  private final GroupMemory memory;
  private final FlowColumn column;
  private final GroupLayout layout;
  private final Accumulation accumulation;
  private final CellStates cellStates;
  private final CompiledPredicate filter;
  private final boolean hasFilter;
  private final CellReader reader = new CellReader();
  private final CellRows rows = new CellRows();
  private final int[] ids = new int[RollupFormat.BLOCK];
  private final int[] cellPlaces = new int[RollupFormat.BLOCK];
  private final int[] statePlaces = new int[RollupFormat.BLOCK];
  private final int[] selection = new int[Vector.CAPACITY];
  // Of the current part: the addresses of sources, then of edges; a place is a number.
  private final SortedUnion union = new SortedUnion();
  private final int[] from;
  private final int[] to;
  private final int[] edgeFrom;
  private final int[] edgeTo;
  private long cells;

  // Of the current part.
  private int nullNumber;
  private long[] states = {};
  private boolean[] seen = {};
  // The last groups, if they are for this part only.
  private final boolean forThisPart;
  private long[] highs = {};
  private long[] lows = {};
  private long[] compact = {};
  // By outgoing, then by number; null until it is needed.
  private final boolean[][] accepted = new boolean[OUTGOINGS][];

  /** If {@code forThisPart}, a part's groups are useless once the next one is summed. */
  AddressSummer(
      RollupRule rule,
      List<CellSource> sources,
      List<AddressGroups> edges,
      boolean forThisPart,
      Deadline deadline,
      GroupMemory memory) {
    this.memory = memory;
    this.forThisPart = forThisPart;
    this.sources = sources;
    this.edges = edges;
    this.deadline = deadline;
    this.column = rule.addresses().get(0);
    this.layout = GroupLayout.of(rule.query());
    this.accumulation = new Accumulation(layout);
    this.cellStates = new CellStates(layout);
    this.hasFilter = rule.cellFilter() != null;
    this.filter = CompiledPredicate.of(rule.cellFilter());
    this.from = new int[sources.size()];
    this.to = new int[sources.size()];
    this.edgeFrom = new int[edges.size()];
    this.edgeTo = new int[edges.size()];
  }

  GroupLayout layout() {
    return layout;
  }

  long cells() {
    return cells;
  }

  /**
   * The groups of addresses from {@code first} on, before {@code end}. Without {@code end} the
   * group without an address belongs to them.
   */
  AddressStates sum(Optional<IpAddress> first, Optional<IpAddress> end) {
    union.clear();
    for (int s = 0; s < sources.size(); s++) {
      try {
        list(s, first, end);
      } catch (SegmentCorruptException e) {
        throw sources.get(s).damaged(String.valueOf(e.getMessage()));
      }
    }
    for (int e = 0; e < edges.size(); e++) {
      AddressGroups edge = edges.get(e);
      edgeFrom[e] = first.map(edge::lowerBound).orElse(0);
      edgeTo[e] = end.map(edge::lowerBound).orElse(edge.size());
      int n = edgeTo[e] - edgeFrom[e];
      int list = union.add(n);
      System.arraycopy(edge.high(), edgeFrom[e], union.high(list), 0, n);
      System.arraycopy(edge.low(), edgeFrom[e], union.low(list), 0, n);
    }
    union.merge();
    nullNumber = union.size();
    begin(nullNumber + 1);
    for (int s = 0; s < sources.size(); s++) {
      try {
        add(sources.get(s), union.places(s), from[s], end.isEmpty() ? to[s] + 1 : to[s]);
      } catch (SegmentCorruptException e) {
        throw sources.get(s).damaged(String.valueOf(e.getMessage()));
      }
    }
    addEdges(end.isEmpty());
    return seenGroups();
  }

  private void list(int s, Optional<IpAddress> first, Optional<IpAddress> end) {
    CellSource source = sources.get(s);
    from[s] = first.map(source.dictionary()::lowerBound).orElse(0);
    to[s] = end.map(source.dictionary()::lowerBound).orElse(source.rollup().nullId());
    int list = union.add(Math.max(0, to[s] - from[s]));
    if (to[s] > from[s]) {
      source
          .dictionary()
          .readAddresses(from[s], to[s] - from[s], union.high(list), union.low(list));
    }
    if (to[s] < from[s] || !union.ascends(list)) {
      throw source.damaged("a dictionary of addresses that does not ascend");
    }
  }

  private void begin(int count) {
    int words = count * layout.stateWords();
    if (states.length < words) {
      memory.take(Long.BYTES * ((long) words - states.length));
      states = new long[words];
    } else {
      Arrays.fill(states, 0, words, 0);
    }
    if (seen.length < count) {
      seen = new boolean[count];
    } else {
      Arrays.fill(seen, 0, count, false);
    }
    Arrays.fill(accepted, null);
  }

  private void add(CellSource source, int[] numberOf, int idFrom, int idTo) {
    Rollup rollup = source.rollup();
    cellStates.begin(rollup);
    for (int i = 0; i < source.slices() && idFrom < idTo; i++) {
      int slice = source.slice(i);
      boolean[] keeps = hasFilter ? accepted(rollup.outgoing(slice)) : null;
      if (keeps != null && keeps.length == 0) {
        continue;
      }
      deadline.check();
      reader.open(rollup, slice);
      for (int b = reader.blockOf(idFrom); b < reader.blocks(); b++) {
        if (reader.firstId(b) >= idTo) {
          break;
        }
        addBlock(b, numberOf, idFrom, idTo, rollup.nullId(), keeps);
      }
    }
  }

  private void addBlock(
      int block, int[] numberOf, int idFrom, int idTo, int nullId, boolean @Nullable [] keeps) {
    reader.readIds(block, ids);
    int count = reader.cells(block);
    int begin = ids[0] >= idFrom ? 0 : placeOf(idFrom, count);
    int end = ids[count - 1] < idTo ? count : placeOf(idTo, count);
    int stride = layout.stateWords();
    int n = 0;
    for (int i = begin; i < end; i++) {
      int number = ids[i] == nullId ? nullNumber : numberOf[ids[i] - idFrom];
      cellPlaces[n] = i;
      statePlaces[n] = number * stride;
      if (keeps == null || keeps[number]) {
        seen[number] = true;
        n++;
      }
    }
    cells += end - begin;
    if (n > 0) {
      cellStates.read(reader, block, cellPlaces, n);
      accumulation.merge(cellStates.words(), n, states, statePlaces);
    }
  }

  private int placeOf(int id, int count) {
    int place = Arrays.binarySearch(ids, 0, count, id);
    return place >= 0 ? place : -place - 1;
  }

  /** By number whether the filter keeps cells of an address; empty if it keeps none. */
  private boolean[] accepted(int outgoing) {
    if (accepted[outgoing] == null) {
      boolean[] keeps = new boolean[nullNumber + 1];
      boolean any = false;
      for (int at = 0; at < nullNumber; at += RollupFormat.BLOCK) {
        int n = Math.min(RollupFormat.BLOCK, nullNumber - at);
        rows.load(column, union.high(), union.low(), at, n, outgoing);
        int kept = filter.select(rows, 0, n, selection);
        for (int i = 0; i < kept; i++) {
          keeps[at + selection[i]] = true;
        }
        any |= kept > 0;
      }
      rows.loadNull(column, outgoing);
      keeps[nullNumber] = filter.select(rows, 0, 1, selection) == 1;
      accepted[outgoing] = any || keeps[nullNumber] ? keeps : new boolean[0];
    }
    return accepted[outgoing];
  }

  private void addEdges(boolean last) {
    for (int e = 0; e < edges.size(); e++) {
      AddressGroups edge = edges.get(e);
      for (int at = edgeFrom[e]; at < edgeTo[e]; at++) {
        addEdge(edge, edge.group(at), union.places(sources.size() + e)[at - edgeFrom[e]]);
      }
      if (last && edge.nullGroup() >= 0) {
        addEdge(edge, edge.nullGroup(), nullNumber);
      }
    }
  }

  private void addEdge(AddressGroups edge, int group, int number) {
    seen[number] = true;
    GroupTable groups = edge.table();
    layout.merge(states, number * layout.stateWords(), groups.words(), groups.stateAt(group));
  }

  private AddressStates seenGroups() {
    int size = 0;
    for (int number = 0; number <= nullNumber; number++) {
      size += seen[number] ? 1 : 0;
    }
    int words = layout.stateWords();
    if (!forThisPart || highs.length < size) {
      int room = forThisPart ? seen.length : size;
      long before = forThisPart ? highs.length : 0; // those of an earlier part are released
      memory.take(Long.BYTES * (2L + words) * (room - before));
      highs = new long[room];
      lows = new long[room];
      compact = new long[room * words];
    }
    int n = 0;
    for (int number = 0; number <= nullNumber; number++) {
      if (seen[number]) {
        boolean isNull = number == nullNumber;
        highs[n] = isNull ? 0 : union.high()[number];
        lows[n] = isNull ? 0 : union.low()[number];
        for (int w = 0; w < words; w++) {
          compact[n * words + w] = states[number * words + w];
        }
        n++;
      }
    }
    return new AddressStates(layout, highs, lows, compact, size, seen[nullNumber]);
  }
}

package org.flowmon.jobs.history.cache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the groups that earlier windows asked for with {@link ListedGroups}. While the query
 * is the same but for its list, and the archive's rows for it too, only new values are looked up: a
 * history of whole hours is read once an hour, however short windows are. Thread-safe. Rows are
 * merged under the monitor of their {@link Answers}, which may take the memory's, never the other
 * way round: no other analysis waits.
 */
public final class GroupCache {
  /** The most values, and rows, in the cache; above that it begins again with one window's. */
  static final int MAX_ROWS = 500_000;

  /** The approximate bytes of a value asked for, with its entry in the set. */
  public static final long VALUE_BYTES = 112;

  private final LongAdder known = new LongAdder();
  private final AnswerMemory memory;
  private final AnswerMemory.Share share = new AnswerMemory.Share(1, Long.MAX_VALUE);
  private final AnswerMemory.Key key = new AnswerMemory.Key(share, 0);

  public GroupCache(AnswerMemory memory) {
    this.memory = memory;
  }

  public Optional<Answers> of(FlowQuery rest, ArchivesSnapshot snapshot, long asOf) {
    return memory
        .get(key)
        .map(Answers.class::cast)
        .filter(answers -> answers.hold(rest, snapshot, asOf));
  }

  /** Begins again, for exact answers over the snapshot as of {@code asOf}. */
  public Answers begin(ListedGroups shape, FlowQuery rest, ArchivesSnapshot snapshot, long asOf) {
    Answers begun = new Answers(shape, rest, snapshot, asOf);
    memory.put(key, begun, 0, 0);
    return begun;
  }

  public void clear() {
    memory.clear(share);
  }

  public long known() {
    return known.sum();
  }

  /** Distinct values in order; NULL equals none. */
  public static List<Value> distinct(List<Value> values) {
    return values.stream()
        .filter(value -> !value.isNull())
        .distinct()
        .sorted(GroupCache::compare)
        .toList();
  }

  /** Exact answers for some values, over one state of the query's rows. */
  public final class Answers {
    private final ListedGroups shape;
    private final FlowQuery rest;
    // Guarded by this, as all fields below.
    private final AskedSegments segments;
    private final Set<Value> asked = new HashSet<>();
    // Rows of different groups, each table in order, and each more than half as large again as the
    // next.
    private final List<ResultTable> runs = new ArrayList<>();
    private boolean isFull;

    private Answers(ListedGroups shape, FlowQuery rest, ArchivesSnapshot snapshot, long asOf) {
      this.shape = shape;
      this.rest = rest;
      this.segments = new AskedSegments(rest, snapshot, asOf);
    }

    private synchronized boolean hold(FlowQuery other, ArchivesSnapshot snapshot, long asOf) {
      return !isFull && rest.equals(other) && segments.hold(snapshot, asOf);
    }

    public synchronized List<Value> missing(List<Value> values) {
      List<Value> missing = values.stream().filter(value -> !asked.contains(value)).toList();
      known.add(values.size() - missing.size());
      return missing;
    }

    /**
     * The rows of values, in order. {@code found} are those of {@code missing}: values that were
     * not cached. If another window added some since, their cached rows must not be used beside
     * them.
     */
    public ResultTable rows(List<Value> values, List<Value> missing, ResultTable found) {
      Set<Value> looked = new HashSet<>(missing);
      List<Value> before = values.stream().filter(value -> !looked.contains(value)).toList();
      return before.isEmpty() ? found : merged(rows(before), found);
    }

    private synchronized ResultTable rows(List<Value> values) {
      ResultTable all = rowsOf(runs.get(0), values);
      for (ResultTable run : runs.subList(1, runs.size())) {
        all = merged(all, rowsOf(run, values));
      }
      return all;
    }

    public synchronized void add(List<Value> values, ResultTable rows) {
      // Another window may have asked for some at the same time.
      List<Value> fresh = values.stream().filter(asked::add).toList();
      runs.add(fresh.size() == values.size() ? rows : rowsOf(rows, fresh));
      for (int last = runs.size() - 1; last > 0; last--) {
        if (runs.get(last - 1).rowCount() > 2 * runs.get(last).rowCount()) {
          break;
        }
        runs.set(last - 1, merged(runs.get(last - 1), runs.remove(last)));
      }
      isFull = asked.size() > MAX_ROWS || runs.get(0).rowCount() > MAX_ROWS;
      memory.resize(key, this, heapBytes());
    }

    private long heapBytes() {
      return VALUE_BYTES * asked.size() + runs.stream().mapToLong(ResultTable::heapBytes).sum();
    }

    private ResultTable rowsOf(ResultTable rows, List<Value> values) {
      int[] chosen = new int[rows.rowCount()];
      int n = 0;
      int row = 0;
      for (Value value : values) {
        for (row = first(rows, value, row);
            row < rows.rowCount() && compare(rows, row, value) == 0;
            row++) {
          chosen[n++] = row;
        }
      }
      return n == rows.rowCount() ? rows : rows.withRows(Arrays.copyOf(chosen, n));
    }

    private int first(ResultTable rows, Value value, int from) {
      int to = rows.rowCount();
      while (from < to) {
        int middle = (from + to) >>> 1;
        if (compare(rows, middle, value) < 0) {
          from = middle + 1;
        } else {
          to = middle;
        }
      }
      return from;
    }

    private int compare(ResultTable rows, int row, Value value) {
      int key = shape.keyColumn();
      return GroupCache.compare(
          value.kind(), rows.high(row, key), rows.low(row, key), value.high(), value.low());
    }

    public ResultTable merged(ResultTable a, ResultTable b) {
      if (a.rowCount() == 0 || b.rowCount() == 0) {
        return a.rowCount() == 0 ? b : a;
      }
      int rows = Math.addExact(a.rowCount(), b.rowCount());
      ResultTable.Builder both = new ResultTable.Builder();
      for (int c = 0; c < a.columnCount(); c++) {
        both.column(a.name(c), a.kind(c));
      }
      both.reserve(rows);
      int ofA = 0;
      int ofB = 0;
      while (ofA + ofB < rows) {
        boolean isFromA = ofB == b.rowCount() || (ofA < a.rowCount() && isBefore(a, ofA, b, ofB));
        copy(isFromA ? a : b, isFromA ? ofA++ : ofB++, both);
      }
      return both.build();
    }

    /** The default order without ORDER BY. */
    private boolean isBefore(ResultTable a, int rowA, ResultTable b, int rowB) {
      for (int key : shape.keyColumns()) {
        boolean nullA = a.isNull(rowA, key);
        boolean nullB = b.isNull(rowB, key);
        int order =
            nullA || nullB
                ? Boolean.compare(nullA, nullB)
                : GroupCache.compare(
                    a.kind(key),
                    a.high(rowA, key),
                    a.low(rowA, key),
                    b.high(rowB, key),
                    b.low(rowB, key));
        if (order != 0) {
          return order < 0;
        }
      }
      return true;
    }
  }

  private static int compare(Value a, Value b) {
    return compare(a.kind(), a.high(), a.low(), b.high(), b.low());
  }

  /** In the order of keys: none is a text or a double. */
  private static int compare(
      @Nullable ValueKind kind, long highA, long lowA, long highB, long lowB) {
    return kind == ValueKind.ADDRESS
        ? IpAddress.compare(highA, lowA, highB, lowB)
        : Long.compare(lowA, lowB);
  }

  private static void copy(ResultTable from, int row, ResultTable.Builder to) {
    to.row();
    for (int c = 0; c < from.columnCount(); c++) {
      if (from.isNull(row, c)) {
        continue;
      }
      if (from.kind(c) == ValueKind.DOUBLE) {
        to.set(c, from.low(row, c));
      } else {
        to.set(c, from.high(row, c), from.low(row, c));
      }
    }
  }
}

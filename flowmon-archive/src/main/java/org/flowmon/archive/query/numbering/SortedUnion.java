package org.flowmon.archive.query.numbering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.IpAddress;

/**
 * The union of sorted lists of addresses, merged in pairs, and the place in it of each list's
 * entries. Reusable. Not thread-safe.
 */
public final class SortedUnion {
  /** Distinct addresses, ascending. */
  private static final class Run {
    private long[] high = {};
    private long[] low = {};
    private int size;
    private int firstList;
    private int endList;

    void reserve(int length) {
      if (low.length < length) {
        high = new long[length];
        low = new long[length];
      }
      size = length;
    }
  }

  private final List<Run> lists = new ArrayList<>();
  private final List<int[]> places = new ArrayList<>();
  private final List<Run> spare = new ArrayList<>();
  private int count;
  private Run union = new Run();
  private int[] left = {};
  private int[] right = {};

  public void clear() {
    count = 0;
  }

  /** Adds list 0, 1, …; the caller then writes its addresses to {@link #high} and {@link #low}. */
  public int add(int size) {
    if (count == lists.size()) {
      lists.add(new Run());
      places.add(new int[0]);
    }
    lists.get(count).reserve(size);
    if (places.get(count).length < size) {
      places.set(count, new int[size]);
    }
    return count++;
  }

  public long[] high(int list) {
    return lists.get(list).high;
  }

  public long[] low(int list) {
    return lists.get(list).low;
  }

  /** Whether a list is strictly ascending, as {@link #merge} requires. */
  public boolean ascends(int list) {
    Run run = lists.get(list);
    boolean ascends = true;
    for (int i = 1; i < run.size; i++) {
      ascends &= IpAddress.compare(run.high[i - 1], run.low[i - 1], run.high[i], run.low[i]) < 0;
    }
    return ascends;
  }

  public void merge() {
    List<Run> runs = new ArrayList<>(lists.subList(0, count));
    long highs = 0;
    long lows = 0;
    for (int list = 0; list < count; list++) {
      Run run = runs.get(list);
      run.firstList = list;
      run.endList = list + 1;
      int[] place = places.get(list);
      for (int i = 0; i < run.size; i++) {
        place[i] = i;
        highs |= run.high[i];
        lows |= run.low[i];
      }
    }
    boolean isNarrow = highs == 0 && lows >= 0;
    int used = 0;
    while (runs.size() > 1) {
      List<Run> merged = new ArrayList<>();
      for (int r = 0; r + 1 < runs.size(); r += 2) {
        if (used == spare.size()) {
          spare.add(new Run());
        }
        Run out = spare.get(used++);
        merge(runs.get(r), runs.get(r + 1), out, isNarrow);
        merged.add(out);
      }
      if (runs.size() % 2 == 1) {
        merged.add(runs.get(runs.size() - 1));
      }
      runs = merged;
    }
    union = runs.isEmpty() ? new Run() : runs.get(0);
  }

  private void merge(Run a, Run b, Run out, boolean isNarrow) {
    out.reserve(a.size + b.size);
    out.firstList = a.firstList;
    out.endList = b.endList;
    left = left.length < a.size + 1 ? new int[a.size + 1] : left;
    right = right.length < b.size + 1 ? new int[b.size + 1] : right;
    int n = isNarrow ? mergeLows(a, b, out) : mergeAll(a, b, out);
    out.size = n;
    move(a, left);
    move(b, right);
  }

  /**
   * Merges runs of high longs 0, without an unpredictable branch: a place is overwritten until its
   * address is the smallest.
   */
  private int mergeLows(Run a, Run b, Run out) {
    long[] lowA = a.low;
    long[] lowB = b.low;
    long[] low = out.low;
    int[] placeA = left;
    int[] placeB = right;
    int i = 0;
    int j = 0;
    int n = 0;
    while (i < a.size && j < b.size) {
      long x = lowA[i];
      long y = lowB[j];
      low[n] = Math.min(x, y);
      placeA[i] = n;
      placeB[j] = n;
      i += x <= y ? 1 : 0;
      j += y <= x ? 1 : 0;
      n++;
    }
    n = rest(a, i, out, n, placeA);
    n = rest(b, j, out, n, placeB);
    Arrays.fill(out.high, 0, n, 0);
    return n;
  }

  private int mergeAll(Run a, Run b, Run out) {
    int i = 0;
    int j = 0;
    int n = 0;
    while (i < a.size && j < b.size) {
      int order = IpAddress.compare(a.high[i], a.low[i], b.high[j], b.low[j]);
      out.high[n] = order <= 0 ? a.high[i] : b.high[j];
      out.low[n] = order <= 0 ? a.low[i] : b.low[j];
      left[i] = n;
      right[j] = n;
      i += order <= 0 ? 1 : 0;
      j += order >= 0 ? 1 : 0;
      n++;
    }
    n = rest(a, i, out, n, left);
    return rest(b, j, out, n, right);
  }

  private static int rest(Run run, int from, Run out, int at, int[] place) {
    int n = run.size - from;
    System.arraycopy(run.high, from, out.high, at, n);
    System.arraycopy(run.low, from, out.low, at, n);
    for (int i = 0; i < n; i++) {
      place[from + i] = at + i;
    }
    return at + n;
  }

  private void move(Run run, int[] now) {
    for (int list = run.firstList; list < run.endList; list++) {
      int[] place = places.get(list);
      int size = lists.get(list).size;
      for (int i = 0; i < size; i++) {
        place[i] = now[place[i]];
      }
    }
  }

  public int size() {
    return union.size;
  }

  /** The place in the union of each entry of a list. */
  public int[] places(int list) {
    return places.get(list);
  }

  public long[] high() {
    return union.high;
  }

  public long[] low() {
    return union.low;
  }
}

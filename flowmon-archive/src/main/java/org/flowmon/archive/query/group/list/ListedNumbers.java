package org.flowmon.archive.query.group.list;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.flowmon.archive.index.RowCursor;
import org.flowmon.archive.query.group.partition.LongArrayPool;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.vector.Vector;

/**
 * The numbers of all listed rows' second keys, by first key. Threads read one segment after the
 * other, all its lists together in the order of rows: what one list has brought into the cache
 * serves the next one. List by list, each would load the whole column.
 */
public final class ListedNumbers {
  /** Estimated bytes for a list besides its numbers: the list, if it is read, and its parts. */
  public static final long BYTES_PER_LIST = 192;

  // Ids of so many rows stay in a core's cache while the lists read them.
  private static final int BLOCK_ROWS = 1 << 17;
  // With so many segments for each thread, threads end at about the same time.
  private static final int SEGMENTS_PER_THREAD = 4;

  /** Numbers of a key, two in a long, the first in its lower half. */
  static final class Part {
    final long[] words;
    final int from;
    final int count;

    private Part(long[] words, int from, int count) {
      this.words = words;
      this.from = from;
      this.count = count;
    }
  }

  /** The list of one key in one segment. */
  private record Run(int key, KeyedRows.OfSegment list, List<Part> parts) {}

  /** A list that is being read. */
  private static final class Reading {
    private final Run run;
    private final RowCursor cursor;
    private int next; // all rows below this one were read

    Reading(Run run) {
      this.run = run;
      this.cursor = run.list.rows().get();
    }
  }

  /** The unit of one thread's work: lists of one segment. */
  private record Unit(SegmentReader segment, List<Run> runs) {}

  private final FlowColumn second;
  private final AddressNumbers numbers;
  private final IntConsumer read;
  private final List<Unit> units = new ArrayList<>();
  private final List<List<Run>> byKey = new ArrayList<>();
  private final AtomicInteger next = new AtomicInteger();
  private final List<long[]> memory = new ArrayList<>();

  /** Prepares {@link #run}; {@code read} gets the rows about to be read, and may throw to end. */
  public ListedNumbers(
      List<KeyedRows> keys,
      FlowColumn second,
      AddressNumbers numbers,
      int threads,
      IntConsumer read) {
    this.second = second;
    this.numbers = numbers;
    this.read = read;
    Map<SegmentReader, List<Run>> bySegment = new LinkedHashMap<>();
    for (int key = 0; key < keys.size(); key++) {
      List<Run> runs = new ArrayList<>();
      for (KeyedRows.OfSegment list : keys.get(key).lists()) {
        Run run = new Run(key, list, new ArrayList<>());
        runs.add(run);
        bySegment.computeIfAbsent(list.segment(), segment -> new ArrayList<>()).add(run);
      }
      byKey.add(runs);
    }
    bySegment.forEach((segment, runs) -> cut(segment, runs, keys, bySegment.size(), threads));
  }

  /** If segments are few, shares out the lists of each, the longest first. */
  private void cut(
      SegmentReader segment, List<Run> runs, List<KeyedRows> keys, int segments, int threads) {
    int pieces = segments >= SEGMENTS_PER_THREAD * threads ? 1 : Math.min(threads, runs.size());
    runs.sort((a, b) -> Long.compare(keys.get(b.key).count(), keys.get(a.key).count()));
    for (int piece = 0; piece < pieces; piece++) {
      List<Run> some = new ArrayList<>();
      for (int r = piece; r < runs.size(); r += pieces) {
        some.add(runs.get(r));
      }
      units.add(new Unit(segment, some));
    }
  }

  /** Reads segments until none is left; several threads may run it at the same time. */
  public Void run() {
    Reader reader = new Reader();
    try {
      for (int u = next.getAndIncrement(); u < units.size(); u = next.getAndIncrement()) {
        reader.read(units.get(u));
      }
      return null;
    } finally {
      synchronized (memory) {
        memory.addAll(reader.taken);
      }
    }
  }

  /** After every {@link #run} has ended. */
  List<Part> of(int key) {
    return byKey.get(key).stream().flatMap(run -> run.parts.stream()).toList();
  }

  /** No number can be read any more. */
  public void release() {
    synchronized (memory) {
      LongArrayPool.give(memory);
      memory.clear();
    }
  }

  /** Reads units, for one thread. */
  private final class Reader {
    private final int[] rows = new int[Vector.CAPACITY];
    private final int[] ids = new int[Vector.CAPACITY];
    private final List<long[]> taken = new ArrayList<>();
    private long[] words = {};
    private int used;

    private void read(Unit unit) {
      Optional<int[]> numberOf = numbers.of(unit.segment().sealed(), second);
      List<Reading> open = new ArrayList<>();
      unit.runs().forEach(run -> open.add(new Reading(run)));
      for (int end = BLOCK_ROWS; !open.isEmpty(); end += BLOCK_ROWS) {
        int upTo = end;
        open.removeIf(one -> !readTo(unit.segment(), one, upTo, numberOf));
      }
    }

    /** Reads a list up to a row at least; returns whether there may be more. */
    private boolean readTo(
        SegmentReader segment, Reading reading, int end, Optional<int[]> numberOf) {
      while (reading.next < end) {
        int n = reading.cursor.next(rows);
        if (n == 0) {
          return false;
        }
        read.accept(n);
        reading.next = rows[n - 1] + 1;
        if (numberOf.isEmpty()) {
          Arrays.fill(ids, 0, n, numbers.ofNull());
        } else {
          segment.gatherIds(second, rows, n, ids);
          toNumbers(numberOf.get(), n);
        }
        reading.run.parts.add(part(n));
      }
      return true;
    }

    private void toNumbers(int[] numberOf, int n) {
      int ofNull = numbers.ofNull();
      for (int i = 0; i < n; i++) {
        ids[i] = ids[i] < 0 ? ofNull : numberOf[ids[i]];
      }
    }

    private Part part(int n) {
      int needed = (n + 1) >>> 1;
      if (needed > words.length - used) {
        words = LongArrayPool.take();
        taken.add(words);
        used = 0;
      }
      int from = used;
      for (int i = 0; i < n >>> 1; i++) {
        words[from + i] = (ids[2 * i] & 0xFFFF_FFFFL) | (long) ids[2 * i + 1] << 32;
      }
      if ((n & 1) != 0) {
        words[from + needed - 1] = ids[n - 1];
      }
      used += needed;
      return new Part(words, from, n);
    }
  }
}

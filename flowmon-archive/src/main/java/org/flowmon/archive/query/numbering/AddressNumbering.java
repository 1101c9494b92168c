package org.flowmon.archive.query.numbering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.flow.IpAddress;

/**
 * Numbers the addresses in the dictionaries of some segments, in their order, from 0 on. Each
 * thread numbers one part of them at a time. It takes 4 bytes of heap for each entry of a
 * dictionary and 16 for each address.
 */
public final class AddressNumbering {
  /** Most heap for an entry in between: its number, its address in a part and in the union. */
  public static final int MOST_BYTES_PER_ENTRY = 36;

  // Entries of a part: its addresses and their index stay in a core's cache.
  private static final int ENTRIES_PER_PART = 1 << 14;
  private static final int MAX_PARTS = 1024;

  /** One dictionary. */
  private static final class Source {
    private final SegmentReader segment;
    private final FlowColumn column;
    private final int[] numbers;
    private int[] starts = {}; // the first id of each part, and the end, once parts are cut

    Source(SegmentReader segment, FlowColumn column) {
      this.segment = segment;
      this.column = column;
      this.numbers = new int[segment.dictionarySize(column)];
    }
  }

  /** The addresses of a part, in order. */
  private static final class Part {
    private final long[] high;
    private final long[] low;

    Part(SortedUnion union) {
      this.high = Arrays.copyOf(union.high(), union.size());
      this.low = Arrays.copyOf(union.low(), union.size());
    }

    int size() {
      return low.length;
    }

    boolean areHighsZero() {
      return Arrays.stream(high).allMatch(word -> word == 0);
    }
  }

  private final List<SegmentReader> segments;
  private final List<Source> sources = new ArrayList<>();
  private final IpAddress[] bounds; // of parts: the start of the second, third, …
  private final Part[] parts;
  private final AtomicInteger next = new AtomicInteger();

  /** Prepares {@link #run}; {@code segments} are read until {@link #finish}. */
  public AddressNumbering(List<SegmentReader> segments, Collection<FlowColumn> columns) {
    this.segments = segments;
    long entries = 0;
    for (SegmentReader segment : segments) {
      for (FlowColumn column : columns) {
        if (segment.presence(column) != Presence.ABSENT) {
          Source source = new Source(segment, column);
          sources.add(source);
          entries += source.numbers.length;
        }
      }
    }
    int count = (int) Math.max(1, Math.min(MAX_PARTS, entries / ENTRIES_PER_PART));
    int[] sizes = sources.stream().mapToInt(source -> source.numbers.length).toArray();
    this.bounds = AddressBounds.of(sizes, count, (list, id) -> address(sources.get(list), id));
    this.parts = new Part[bounds.length + 1];
    sources.forEach(this::cut);
  }

  public static long entries(List<SegmentReader> segments, Collection<FlowColumn> columns) {
    long entries = 0;
    for (SegmentReader segment : segments) {
      for (FlowColumn column : columns) {
        entries += segment.hasDictionary(column) ? segment.dictionarySize(column) : 0;
      }
    }
    return entries;
  }

  private static IpAddress address(Source source, int id) {
    return new IpAddress(
        source.segment.dictionaryHigh(source.column, id),
        source.segment.dictionaryLow(source.column, id));
  }

  private void cut(Source source) {
    source.starts = new int[parts.length + 1];
    for (int p = 1; p < parts.length; p++) {
      source.starts[p] = lowerBound(source, source.starts[p - 1], bounds[p - 1]);
    }
    source.starts[parts.length] = source.numbers.length;
  }

  private static int lowerBound(Source source, int from, IpAddress bound) {
    int low = from;
    int high = source.numbers.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (address(source, middle).compareTo(bound) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Numbers parts until none is left; several threads may run it at the same time. {@code check}
   * runs now and then, and may throw to end the work.
   */
  public Void run(Runnable check) {
    SortedUnion union = new SortedUnion();
    for (int p = next.getAndIncrement(); p < parts.length; p = next.getAndIncrement()) {
      check.run();
      number(p, union);
    }
    return null;
  }

  private void number(int p, SortedUnion union) {
    union.clear();
    for (Source source : sources) {
      int from = source.starts[p];
      int n = source.starts[p + 1] - from;
      int list = union.add(n);
      source.segment.readDictionary(source.column, from, n, union.high(list), union.low(list));
      requireAscending(source, p, n, union, list);
    }
    union.merge();
    for (int list = 0; list < sources.size(); list++) {
      Source source = sources.get(list);
      int from = source.starts[p];
      System.arraycopy(union.places(list), 0, source.numbers, from, source.starts[p + 1] - from);
    }
    parts[p] = new Part(union);
  }

  /** Checks the order: else an address might get two numbers. */
  private void requireAscending(Source source, int p, int n, SortedUnion union, int list) {
    boolean ascends = union.ascends(list);
    if (n > 0) {
      long[] high = union.high(list);
      long[] low = union.low(list);
      ascends &= p == 0 || compare(high[0], low[0], bounds[p - 1]) >= 0;
      ascends &= p == bounds.length || compare(high[n - 1], low[n - 1], bounds[p]) < 0;
    }
    if (!ascends) {
      throw source.segment.corrupt(source.column, "a dictionary that does not ascend");
    }
  }

  private static int compare(long high, long low, IpAddress bound) {
    return IpAddress.compare(high, low, bound.hi(), bound.lo());
  }

  /** The numbers, after every {@link #run} has ended; {@code check} is as there. */
  public AddressNumbers finish(Runnable check) {
    int[] firsts = new int[parts.length + 1];
    for (int p = 0; p < parts.length; p++) {
      firsts[p + 1] = firsts[p] + parts[p].size();
    }
    boolean hasHighs = Arrays.stream(parts).anyMatch(part -> !part.areHighsZero());
    long[] high = new long[hasHighs ? firsts[parts.length] : 0];
    long[] low = new long[firsts[parts.length]];
    for (int p = 0; p < parts.length; p++) {
      check.run();
      if (hasHighs) {
        System.arraycopy(parts[p].high, 0, high, firsts[p], parts[p].size());
      }
      System.arraycopy(parts[p].low, 0, low, firsts[p], parts[p].size());
    }
    AddressNumbers numbers = new AddressNumbers(high, low);
    for (Source source : sources) {
      check.run();
      for (int p = 1; p < parts.length; p++) {
        for (int id = source.starts[p]; id < source.starts[p + 1]; id++) {
          source.numbers[id] += firsts[p];
        }
      }
      numbers.put(source.segment.sealed(), source.column, source.numbers);
    }
    segments.forEach(segment -> numbers.know(segment.sealed()));
    return numbers;
  }
}

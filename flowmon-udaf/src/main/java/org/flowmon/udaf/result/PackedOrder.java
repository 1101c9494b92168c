package org.flowmon.udaf.result;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.Deviation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.value.ValueKind;

/**
 * The words of a query's order, packed into one unsigned long per group: of each word only the bits
 * that differ between groups. Most orders fit as a whole, and sorting longs touches no group.
 *
 * <p>Groups with equal longs are equal up to the word that {@link #pack} returns; they may be
 * packed again from there on. Words stand for numbers, times and addresses; order items from the
 * first text, double or expression on are not included.
 */
final class PackedOrder {
  /**
   * A compared word, as unsigned after {@code flip}; {@code nullsAt} is the place of the word that
   * tells NULL: a mask if {@code nullBit} is not 0, else a count of values; −1 if it is never NULL.
   */
  private record Word(
      int at, long flip, int nullsAt, long nullBit, boolean descending, boolean nullsFirst) {
    boolean isNull(long[] data, int group) {
      return nullsAt >= 0
          && (nullBit == 0 ? data[group + nullsAt] == 0 : (data[group + nullsAt] & nullBit) != 0);
    }
  }

  // Groups that stay in a core's cache while all of their words are read.
  private static final int BLOCK = 512;

  private final GroupTable table;
  private final GroupLayout layout;
  private final List<Word> words = new ArrayList<>();
  private final boolean isWhole;

  PackedOrder(GroupTable table, FlowQuery query) {
    this.table = table;
    this.layout = table.layout();
    this.isWhole = addWords(query);
  }

  private boolean addWords(FlowQuery query) {
    for (OrderItem item : query.orderBy()) {
      boolean known = true;
      if (item.what() instanceof AggregateCall call) {
        known = addAggregate(call, item);
      } else if (query.groupBy().contains(item.what())) {
        known = addKey(query.groupBy().indexOf(item.what()), item);
      } else if (query.isComputed(item.what())) {
        known = false;
      }
      if (!known) {
        return false;
      }
    }
    for (int k = 0; k < query.groupBy().size(); k++) {
      if (!addKey(k, new OrderItem(query.groupBy().get(k), false, false))) {
        return false;
      }
    }
    return true;
  }

  private boolean addKey(int key, OrderItem item) {
    ValueKind kind = layout.keyKind(key);
    int at = 1 + layout.keyWord(key);
    if (kind == ValueKind.TEXT || kind == ValueKind.DOUBLE) {
      return false;
    }
    boolean isAddress = kind == ValueKind.ADDRESS;
    for (int w = 0; w < (isAddress ? 2 : 1); w++) {
      long flip = isAddress ? 0 : Long.MIN_VALUE;
      words.add(new Word(at + w, flip, 0, 1L << key, item.descending(), item.nullsFirst()));
    }
    return true;
  }

  private boolean addAggregate(AggregateCall call, OrderItem item) {
    if (Deviation.is(call) || call.isState()) {
      return false;
    }
    Accumulator value = layout.value(call);
    Accumulator values = layout.values(call);
    int state = 1 + layout.keyWords();
    int nullsAt = value.equals(values) ? -1 : state + values.word();
    int at = state + value.word();
    switch (value.operation()) {
      case SUM -> {
        if (call.kind() == ValueKind.DOUBLE) {
          return false; // an average
        }
        add(at + 1, Long.MIN_VALUE, nullsAt, item);
        add(at, Long.MIN_VALUE, nullsAt, item);
      }
      case MIN_ADDRESS, MAX_ADDRESS -> {
        add(at, 0, nullsAt, item);
        add(at + 1, 0, nullsAt, item);
      }
      default -> add(at, Long.MIN_VALUE, nullsAt, item);
    }
    return true;
  }

  private void add(int at, long flip, int nullsAt, OrderItem item) {
    words.add(new Word(at, flip, nullsAt, 0, item.descending(), item.nullsFirst()));
  }

  boolean hasWords(int from) {
    return from < words.size();
  }

  /** Whether groups with equal longs, packed up to a word, are identical. */
  boolean isWhole(int packed) {
    return isWhole && packed == words.size();
  }

  /**
   * Packs groups in places {@code from} … {@code to} − 1, from word {@code first} on, into longs in
   * the same places; returns the first word that did not fit wholly, the number of words if all
   * did.
   */
  int pack(int[] groups, int from, int to, int first, long[] longs) {
    Spread[] spreads = spreads(groups, from, to, first);
    List<Code> codes = new ArrayList<>();
    int next = chooseCodes(spreads, to - from, first, codes);
    Arrays.fill(longs, from, to, 0);
    for (int block = from; block < to; block += BLOCK) {
      table.memory().check();
      int end = Math.min(to, block + BLOCK);
      for (Code code : codes) {
        write(code, groups, block, end, longs);
      }
    }
    return next;
  }

  /** The bits of a word that differ between groups. */
  private static final class Spread {
    private long min = -1;
    private long max;
    private int nulls;
  }

  /** The packing of a word, whose {@code dropped} lowest bits do not fit; {@code shown} ones do. */
  private record Code(Word word, int nullBits, long min, long max, int dropped, int shown) {}

  private Spread[] spreads(int[] groups, int from, int to, int first) {
    Spread[] spreads = new Spread[words.size()];
    Arrays.setAll(spreads, w -> new Spread());
    for (int block = from; block < to; block += BLOCK) {
      table.memory().check();
      int end = Math.min(to, block + BLOCK);
      for (int w = first; w < spreads.length; w++) {
        spread(spreads[w], words.get(w), groups, block, end);
      }
    }
    return spreads;
  }

  private void spread(Spread spread, Word word, int[] groups, int from, int to) {
    long[] data = table.words();
    int stride = table.stride();
    long min = spread.min;
    long max = spread.max;
    int nulls = 0;
    for (int i = from; i < to; i++) {
      int group = groups[i] * stride;
      if (word.isNull(data, group)) {
        nulls++;
      } else {
        long value = data[group + word.at] ^ word.flip;
        min = Long.compareUnsigned(value, min) < 0 ? value : min;
        max = Long.compareUnsigned(value, max) > 0 ? value : max;
      }
    }
    spread.min = min;
    spread.max = max;
    spread.nulls += nulls;
  }

  private int chooseCodes(Spread[] spreads, int groups, int first, List<Code> codes) {
    int used = 0;
    for (int w = first; w < spreads.length; w++) {
      Spread of = spreads[w];
      if (of.nulls == groups) {
        continue;
      }
      int bits = 64 - Long.numberOfLeadingZeros(of.max - of.min);
      int nullBits = of.nulls > 0 ? 1 : 0;
      if (used + nullBits > 64 || (used + nullBits == 64 && bits > 0)) {
        return w;
      }
      int shown = Math.min(bits, 64 - used - nullBits);
      if (nullBits + shown > 0) {
        codes.add(new Code(words.get(w), nullBits, of.min, of.max, bits - shown, shown));
      }
      used += nullBits + shown;
      if (shown < bits) {
        return w;
      }
    }
    return spreads.length;
  }

  private void write(Code code, int[] groups, int from, int to, long[] longs) {
    Word word = code.word;
    long[] data = table.words();
    int stride = table.stride();
    for (int i = from; i < to; i++) {
      int group = groups[i] * stride;
      boolean isNull = code.nullBits > 0 && word.isNull(data, group);
      long bits = 0;
      if (!isNull && code.shown > 0) {
        long value = data[group + word.at] ^ word.flip;
        bits = (word.descending ? code.max - value : value - code.min) >>> code.dropped;
      }
      long before =
          code.nullBits == 0 ? longs[i] : longs[i] << 1 | (isNull != word.nullsFirst ? 1 : 0);
      longs[i] = (code.shown == 64 ? 0 : before << code.shown) | bits;
    }
  }
}

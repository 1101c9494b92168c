package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.Deviation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.ValueKind;

/**
 * What a query's order compares, word by word, packed into one unsigned long for each group: of
 * each word only the bits in which some groups differ. Most orders fit as a whole, and sorting
 * longs touches no group.
 *
 * <p>Groups whose longs are equal are the same up to the word that {@link #pack} returns; they may
 * be packed again from there on. Words stand for numbers, times and addresses; what comes behind
 * the first text, double or expression is not in them.
 */
final class PackedOrder {
  /**
   * A word that is compared.
   *
   * @param at its place in a group
   * @param flip what makes its order that of unsigned longs
   * @param nullsAt the place of the word that tells NULL: a mask where {@code nullBit} is not 0,
   *     else a count of values; −1 where it is never NULL
   */
  private record Word(
      int at, long flip, int nullsAt, long nullBit, boolean descending, boolean nullsFirst) {
    boolean isNull(long[] data, int group) {
      return nullsAt >= 0
          && (nullBit == 0 ? data[group + nullsAt] == 0 : (data[group + nullsAt] & nullBit) != 0);
    }
  }

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

  /** Whether there are words to pack from a word on. */
  boolean hasWords(int from) {
    return from < words.size();
  }

  /** Whether groups with equal longs, packed up to a word, are one and the same. */
  boolean isWhole(int packed) {
    return isWhole && packed == words.size();
  }

  /**
   * Packs groups.
   *
   * @param groups their numbers, in places {@code from} … {@code to} − 1
   * @param first the word to begin with
   * @param longs receives the longs, in the same places
   * @return the first word that did not fit wholly; the number of words where all did
   */
  int pack(int[] groups, int from, int to, int first, long[] longs) {
    Arrays.fill(longs, from, to, 0);
    int used = 0;
    for (int w = first; w < words.size(); w++) {
      Word word = words.get(w);
      long[] data = table.words();
      int stride = table.stride();
      long min = -1;
      long max = 0;
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
      if (nulls == to - from) {
        continue;
      }
      int bits = 64 - Long.numberOfLeadingZeros(max - min);
      int nullBits = nulls > 0 ? 1 : 0;
      if (used + nullBits > 64 || (used + nullBits == 64 && bits > 0)) {
        return w;
      }
      int shown = Math.min(bits, 64 - used - nullBits);
      write(word, groups, from, to, nullBits, min, max, bits - shown, shown, longs);
      used += nullBits + shown;
      if (shown < bits) {
        return w;
      }
    }
    return words.size();
  }

  /** Appends the upper bits of a word to the longs. */
  private void write(
      Word word,
      int[] groups,
      int from,
      int to,
      int nullBits,
      long min,
      long max,
      int dropped,
      int shown,
      long[] longs) {
    if (nullBits + shown == 0) {
      return;
    }
    long[] data = table.words();
    int stride = table.stride();
    for (int i = from; i < to; i++) {
      int group = groups[i] * stride;
      boolean isNull = nullBits > 0 && word.isNull(data, group);
      long code = 0;
      if (!isNull && shown > 0) {
        long value = data[group + word.at] ^ word.flip;
        code = (word.descending ? max - value : value - min) >>> dropped;
      }
      long before = nullBits == 0 ? longs[i] : longs[i] << 1 | (isNull != word.nullsFirst ? 1 : 0);
      longs[i] = (shown == 64 ? 0 : before << shown) | code;
    }
  }
}

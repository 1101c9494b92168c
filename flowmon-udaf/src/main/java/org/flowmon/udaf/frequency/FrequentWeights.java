package org.flowmon.udaf.frequency;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.countmin.ItemCounts;
import org.flowmon.udaf.countmin.ItemKey;
import org.flowmon.udaf.countmin.PairBytes;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.value.ValueKind;

/**
 * The high half of frequent items: the heaviest so far, each with a weight at most its true one
 * (Misra and Gries 1982, with weights). If they are too many, the median goes from all weights, and
 * items without weight are dropped; the offset sums these medians. Both bounds are certain.
 *
 * <p>The bytes are an {@code ItemsSketch} of Apache DataSketches, which drops items by hash code:
 * fixed codes let an attacker choose them, keyed ones make answers differ by process. Here states
 * are merged by key: two processes with the same input have the same state.
 */
final class FrequentWeights extends ItemWeights {
  static final int FORM = 20;

  // Objects and the header of the array.
  private static final long FIXED_BYTES = 128;

  // The image: preamble of four longs, weights, items.
  private static final int PREAMBLE_BYTES = 32;
  private static final int PREAMBLE_LONGS = 4;
  private static final int SERIAL_VERSION = 1;
  private static final int FAMILY = 10;
  private static final int MIN_LG_SIZE = 3;
  private static final int KEY_BYTES = 16;
  private static final int PAIR_BYTES = 8 + KEY_BYTES;

  private final int mapSize;
  private final ItemCounts items = new ItemCounts();
  private long total;
  // The most that weights are below the true ones.
  private long offset;
  // The sum of weights exceeds 2^63 − 1: later weights are in no item, so only lower bounds hold.
  private boolean isFull;

  /** The map's slots are a power of two from 16, three quarters of them items. */
  FrequentWeights(ValueKind kind, int mapSize) {
    super(kind);
    this.mapSize = mapSize;
  }

  private static int capacity(int slots) {
    return slots / 4 * 3;
  }

  @Override
  void add(long high, long low, long weight) {
    if (weight <= Long.MAX_VALUE - total) {
      total += weight;
      put(high, low, weight);
    } else {
      isFull = true;
    }
  }

  private void put(long high, long low, long weight) {
    items.add(high, low, weight);
    if (items.size() > capacity(mapSize)) {
      offset += items.takeMedian();
    }
  }

  @Override
  void mergeForm(int form, StateReader reader) {
    if (form != FORM) {
      throw unknownForm(reader, form, "16 or 20");
    }
    long refused = PairBytes.refusedRows(reader);
    int full = reader.getByte();
    if (full > 1) {
      throw reader.error("expected 1 of a sum beyond 2^63 \u2212 1, else 0, found " + full);
    }
    if (reader.remaining() > 0) {
      mergeImage(reader);
    }
    isFull |= full == 1;
    addRefused(refused);
  }

  /** Reads an image; nothing changes if it is invalid. */
  private void mergeImage(StateReader reader) {
    int length = reader.remaining();
    if (length < PREAMBLE_BYTES) {
      throw reader.error("expected an image of at least 32 bytes, found " + length);
    }
    int at = reader.skip(length);
    byte[] bytes = reader.array();
    int lgMax = bytes[at + 3];
    int lgSize = bytes[at + 4];
    int active = LittleEndian.getInt(bytes, at + 8);
    long sum = LittleEndian.getLong(bytes, at + 16);
    long lacking = LittleEndian.getLong(bytes, at + 24);
    if ((bytes[at] & 0x3F) != PREAMBLE_LONGS
        || bytes[at + 1] != SERIAL_VERSION
        || bytes[at + 2] != FAMILY
        || bytes[at + 5] != 0) {
      throw reader.error("expected an image of frequent items of serial version 1");
    }
    if (lgMax != Integer.numberOfTrailingZeros(mapSize) || lgSize < MIN_LG_SIZE || lgSize > lgMax) {
      throw reader.error(
          "expected a map of " + mapSize + " slots, found 2^" + lgSize + " of 2^" + lgMax);
    }
    if (active < 0
        || active > capacity(1 << lgSize)
        || length != PREAMBLE_BYTES + active * PAIR_BYTES) {
      throw reader.error(active + " items in an image of " + length + " bytes");
    }
    long[] triples = triples(reader, at, active, sum, lacking);
    if (sum > Long.MAX_VALUE - total) {
      isFull = true;
      return;
    }
    total += sum;
    offset += lacking;
    for (int i = 0; i < triples.length; i += 3) {
      put(triples[i], triples[i + 1], triples[i + 2]);
    }
  }

  /** The items of an image as high, low, weight, by key. */
  private long[] triples(StateReader reader, int at, int active, long sum, long lacking) {
    byte[] bytes = reader.array();
    long[] triples = new long[3 * active];
    long ofItems = 0;
    for (int i = 0; i < active; i++) {
      long weight = LittleEndian.getLong(bytes, at + PREAMBLE_BYTES + 8 * i);
      int key = at + PREAMBLE_BYTES + 8 * active + KEY_BYTES * i;
      triples[3 * i] = LittleEndian.getLong(bytes, key);
      triples[3 * i + 1] = LittleEndian.getLong(bytes, key + 8);
      triples[3 * i + 2] = weight;
      ofItems = ItemKey.plus(ofItems, weight);
      if (weight < 1 || !ItemKey.isOf(kind(), triples[3 * i], triples[3 * i + 1])) {
        throw reader.error("item " + i + " has an impossible weight or key");
      }
    }
    if (sum < 1 || sum < ofItems || lacking < 0 || lacking > sum - ofItems) {
      throw reader.error(
          "the sum of weights is " + sum + ", but items have " + ofItems + " and lack " + lacking);
    }
    ItemCounts.sort(triples, active);
    for (int i = 3; i < triples.length; i += 3) {
      if (triples[i] == triples[i - 3] && triples[i + 1] == triples[i - 2]) {
        throw reader.error("an item occurs more than once");
      }
    }
    return triples;
  }

  @Override
  public void output(StateSink sink) {
    if (total == 0 && refused() == 0 && !isFull) {
      return;
    }
    sink.putByte(FORM);
    sink.putVarint(refused());
    sink.putByte(isFull ? 1 : 0);
    if (total > 0) {
      byte[] image = image();
      sink.putBytes(image, 0, image.length);
    }
  }

  /** Writes items by key: slot order differs between processes. */
  private byte[] image() {
    long[] triples = items.sorted();
    int active = items.size();
    byte[] image = new byte[PREAMBLE_BYTES + PAIR_BYTES * active];
    int lgMax = Integer.numberOfTrailingZeros(mapSize);
    int lgSize = offset > 0 ? lgMax : MIN_LG_SIZE;
    while (active > capacity(1 << lgSize)) {
      lgSize++;
    }
    image[0] = PREAMBLE_LONGS;
    image[1] = SERIAL_VERSION;
    image[2] = FAMILY;
    image[3] = (byte) lgMax;
    image[4] = (byte) lgSize;
    LittleEndian.putInt(image, 8, active);
    LittleEndian.putLong(image, 16, total);
    LittleEndian.putLong(image, 24, offset);
    int keys = PREAMBLE_BYTES + 8 * active;
    for (int i = 0; i < active; i++) {
      LittleEndian.putLong(image, keys + KEY_BYTES * i, triples[3 * i]);
      LittleEndian.putLong(image, keys + KEY_BYTES * i + 8, triples[3 * i + 1]);
      LittleEndian.putLong(image, PREAMBLE_BYTES + 8 * i, triples[3 * i + 2]);
    }
    return image;
  }

  @Override
  public long memoryBytes() {
    return FIXED_BYTES + 8L * items.words();
  }

  /** Bytes of a full-size table, including the one item too many before it is reduced. */
  private long fullBytes() {
    return FIXED_BYTES + 8L * ItemCounts.words(capacity(mapSize) + 1);
  }

  /** A table doubles up to its full size and is then rebuilt beside it; an image is read whole. */
  @Override
  public long growth(StateReader bytes) {
    long most = 2 * fullBytes() + 8L * (capacity(mapSize) + 1);
    return bytes.peek() == FORM ? most + bytes.remaining() : Math.min(most, super.growth(bytes));
  }

  /** Once items are dropped, the table, or another with the same rows, has its full size. */
  @Override
  public long chargedBytes() {
    return offset == 0 && !isFull ? memoryBytes() : fullBytes();
  }

  @Override
  long total() {
    return isFull ? Long.MAX_VALUE : total;
  }

  @Override
  Weight weight(long high, long low) {
    return weight(high, low, items.weight(high, low));
  }

  private Weight weight(long high, long low, long kept) {
    long upper = isFull ? Long.MAX_VALUE : kept + offset;
    return new Weight(high, low, kept, kept == 0 ? 0 : kept + offset, upper);
  }

  @Override
  List<Weight> search(long threshold, int limit) {
    List<Weight> found = new ArrayList<>();
    items.forEach(
        (high, low, kept) -> {
          Weight weight = weight(high, low, kept);
          if (weight.upper() >= threshold) {
            found.add(weight);
          }
        });
    found.sort(ItemWeights::compare);
    return found.size() > limit ? List.copyOf(found.subList(0, limit)) : found;
  }

  @Override
  ErrorBound error() {
    if (isFull) {
      return ErrorBound.additive((double) Long.MAX_VALUE, 1);
    }
    return offset == 0 ? ErrorBound.EXACT : ErrorBound.additive((double) offset, 1);
  }
}

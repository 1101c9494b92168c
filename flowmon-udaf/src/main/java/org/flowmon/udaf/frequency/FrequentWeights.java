package org.flowmon.udaf.frequency;

import java.util.ArrayList;
import java.util.List;
import org.apache.datasketches.common.ArrayOfItemsSerDe;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;
import org.apache.datasketches.memory.Memory;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.LittleEndian;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.StateReader;
import org.flowmon.udaf.function.StateSink;
import org.flowmon.udaf.query.ValueKind;

/**
 * The high half over the frequent items sketch of Apache DataSketches: both bounds are certain. The
 * key of an item is kept as an address.
 */
final class FrequentWeights extends ItemWeights {
  static final int FORM = 20;

  // Objects, array headers, preamble.
  private static final long FIXED_BYTES = 512;
  // A slot of the map: reference, weight, state; and a record of two longs, to which a slot may
  // still refer when its item is forgotten.
  private static final long SLOT_BYTES = 8 + 8 + 2;
  private static final long ITEM_BYTES = 32;

  // The image: preamble of four longs, weights, items.
  private static final int PREAMBLE_BYTES = 32;
  private static final int PREAMBLE_LONGS = 4;
  private static final int SERIAL_VERSION = 1;
  private static final int FAMILY = 10;
  private static final int MIN_LG_SIZE = 3;
  private static final int KEY_BYTES = 16;
  private static final int PAIR_BYTES = 8 + KEY_BYTES;

  private final int mapSize;
  private final ItemsSketch<IpAddress> items;
  // The sum of weights is beyond 2^63 − 1, which the sketch does not look for: what came later is
  // in no item, so that only lower bounds hold.
  private boolean isFull;

  /**
   * A state without rows.
   *
   * @param mapSize slots of the map at most: a power of two, at least 16
   */
  FrequentWeights(ValueKind kind, int mapSize) {
    super(kind);
    this.mapSize = mapSize;
    this.items = new ItemsSketch<>(mapSize);
  }

  @Override
  void add(long high, long low, long weight) {
    if (weight <= Long.MAX_VALUE - items.getStreamLength()) {
      items.update(new IpAddress(high, low), weight);
    } else {
      isFull = true;
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
      ItemsSketch<IpAddress> other = readImage(reader);
      if (other.getStreamLength() <= Long.MAX_VALUE - items.getStreamLength()) {
        items.merge(other);
      } else {
        isFull = true;
      }
    }
    isFull |= full == 1;
    addRefused(refused);
  }

  /** Checks what the library takes on trust, and then has it read. */
  private ItemsSketch<IpAddress> readImage(StateReader reader) {
    int length = reader.remaining();
    if (length < PREAMBLE_BYTES + PAIR_BYTES) {
      throw reader.error("expected an image of at least 56 bytes, found " + length);
    }
    int at = reader.skip(length);
    byte[] bytes = reader.array();
    int lgMax = bytes[at + 3];
    int lgSize = bytes[at + 4];
    int active = LittleEndian.getInt(bytes, at + 8);
    long total = LittleEndian.getLong(bytes, at + 16);
    long offset = LittleEndian.getLong(bytes, at + 24);
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
    if (active < 1
        || active > (1 << lgSize) / 4 * 3
        || length != PREAMBLE_BYTES + active * PAIR_BYTES) {
      throw reader.error(active + " items in an image of " + length + " bytes");
    }
    requireWeights(reader, at, active, total, offset);
    try {
      ItemsSketch<IpAddress> read =
          ItemsSketch.getInstance(Memory.wrap(bytes).region(at, length), new Keys());
      if (read.getNumActiveItems() != active) {
        throw reader.error("an item occurs more than once");
      }
      return read;
    } catch (RuntimeException e) {
      throw reader.error("no image of frequent items: " + e.getMessage());
    }
  }

  private void requireWeights(StateReader reader, int at, int active, long total, long offset) {
    byte[] bytes = reader.array();
    long sum = 0;
    for (int i = 0; i < active; i++) {
      long weight = LittleEndian.getLong(bytes, at + PREAMBLE_BYTES + 8 * i);
      int key = at + PREAMBLE_BYTES + 8 * active + KEY_BYTES * i;
      sum = ItemKey.plus(sum, weight);
      if (weight < 1
          || !ItemKey.isOf(
              kind(), LittleEndian.getLong(bytes, key), LittleEndian.getLong(bytes, key + 8))) {
        throw reader.error("item " + i + " has a weight or a key that none can have");
      }
    }
    if (total < sum || offset < 0 || offset > total - sum) {
      throw reader.error(
          "a sum of weights of " + total + " where items have " + sum + " and lack " + offset);
    }
  }

  @Override
  public void output(StateSink sink) {
    if (items.isEmpty() && refused() == 0 && !isFull) {
      return;
    }
    sink.putByte(FORM);
    sink.putVarint(refused());
    sink.putByte(isFull ? 1 : 0);
    if (!items.isEmpty()) {
      byte[] image = inOrder(items.toByteArray(new Keys()));
      sink.putBytes(image, 0, image.length);
    }
  }

  /** Puts items of an image by key: the library has them by slot, which each process has others. */
  private static byte[] inOrder(byte[] image) {
    int active = LittleEndian.getInt(image, 8);
    int keys = PREAMBLE_BYTES + 8 * active;
    long[] triples = new long[3 * active];
    for (int i = 0; i < active; i++) {
      triples[3 * i] = LittleEndian.getLong(image, keys + KEY_BYTES * i);
      triples[3 * i + 1] = LittleEndian.getLong(image, keys + KEY_BYTES * i + 8);
      triples[3 * i + 2] = LittleEndian.getLong(image, PREAMBLE_BYTES + 8 * i);
    }
    ItemCounts.sort(triples, active);
    for (int i = 0; i < active; i++) {
      LittleEndian.putLong(image, keys + KEY_BYTES * i, triples[3 * i]);
      LittleEndian.putLong(image, keys + KEY_BYTES * i + 8, triples[3 * i + 1]);
      LittleEndian.putLong(image, PREAMBLE_BYTES + 8 * i, triples[3 * i + 2]);
    }
    return image;
  }

  @Override
  public long memoryBytes() {
    int slots = items.getCurrentMapCapacity() / 3 * 4;
    return FIXED_BYTES + (SLOT_BYTES + ITEM_BYTES) * slots;
  }

  /** A map doubles up to its full size; another one is read whole. */
  @Override
  public long growth(StateReader bytes) {
    long full = FIXED_BYTES + (SLOT_BYTES + ITEM_BYTES) * mapSize;
    return bytes.peek() == FORM ? 2 * full : Math.min(full, super.growth(bytes));
  }

  /** Once something was left out the map has its full size, or another one with the same rows. */
  @Override
  public long chargedBytes() {
    return items.getMaximumError() == 0 && !isFull
        ? memoryBytes()
        : FIXED_BYTES + (SLOT_BYTES + ITEM_BYTES) * mapSize;
  }

  @Override
  long total() {
    return isFull ? Long.MAX_VALUE : items.getStreamLength();
  }

  @Override
  Weight weight(long high, long low) {
    IpAddress item = new IpAddress(high, low);
    return weight(
        item, items.getLowerBound(item), items.getEstimate(item), items.getUpperBound(item));
  }

  private Weight weight(IpAddress item, long lower, long estimate, long upper) {
    return new Weight(item.hi(), item.lo(), lower, estimate, isFull ? Long.MAX_VALUE : upper);
  }

  @Override
  List<Weight> search(long threshold, int limit) {
    List<Weight> found = new ArrayList<>();
    if (!items.isEmpty()) {
      for (ItemsSketch.Row<IpAddress> row :
          items.getFrequentItems(isFull ? 0 : threshold - 1, ErrorType.NO_FALSE_NEGATIVES)) {
        found.add(
            weight(row.getItem(), row.getLowerBound(), row.getEstimate(), row.getUpperBound()));
      }
    }
    found.sort(ItemWeights::compare);
    return found.size() > limit ? List.copyOf(found.subList(0, limit)) : found;
  }

  @Override
  ErrorBound error() {
    if (isFull) {
      return ErrorBound.additive((double) Long.MAX_VALUE, 1);
    }
    return items.getMaximumError() == 0
        ? ErrorBound.EXACT
        : ErrorBound.additive((double) items.getMaximumError(), 1);
  }

  /** Keys as 16 bytes, the high word first. */
  private static final class Keys extends ArrayOfItemsSerDe<IpAddress> {
    @Override
    public byte[] serializeToByteArray(IpAddress item) {
      return serializeToByteArray(new IpAddress[] {item});
    }

    @Override
    public byte[] serializeToByteArray(IpAddress[] items) {
      byte[] bytes = new byte[KEY_BYTES * items.length];
      for (int i = 0; i < items.length; i++) {
        LittleEndian.putLong(bytes, KEY_BYTES * i, items[i].hi());
        LittleEndian.putLong(bytes, KEY_BYTES * i + 8, items[i].lo());
      }
      return bytes;
    }

    @Override
    public IpAddress[] deserializeFromMemory(Memory memory, long offset, int count) {
      byte[] bytes = new byte[KEY_BYTES * count];
      memory.getByteArray(offset, bytes, 0, bytes.length);
      IpAddress[] items = new IpAddress[count];
      for (int i = 0; i < count; i++) {
        items[i] =
            new IpAddress(
                LittleEndian.getLong(bytes, KEY_BYTES * i),
                LittleEndian.getLong(bytes, KEY_BYTES * i + 8));
      }
      return items;
    }

    @Override
    public int sizeOf(IpAddress item) {
      return KEY_BYTES;
    }

    @Override
    public int sizeOf(Memory memory, long offset, int count) {
      return KEY_BYTES * count;
    }

    @Override
    public String toString(IpAddress item) {
      return item.toString();
    }

    @Override
    public Class<IpAddress> getClassOfT() {
      return IpAddress.class;
    }
  }
}

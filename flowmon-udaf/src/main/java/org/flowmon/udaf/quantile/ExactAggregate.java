package org.flowmon.udaf.quantile;

import java.util.concurrent.CancellationException;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.order.RadixSort;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * The high half of ε = 0: all different values with their copies, hashed. An extractor makes a
 * sorted copy, which the next merge drops. States of the same rows are equal, byte for byte.
 */
final class ExactAggregate implements SuperAggregate {
  private final QuantileParameters parameters;
  private final long[] values = new long[SummaryBytes.MAX_VALUES];
  private Summary incoming = new Summary();

  ExactAggregate(QuantileParameters parameters) {
    this.parameters = parameters;
  }

  @Override
  public SuperState initialize() {
    return new State(this);
  }

  /** The values of a group. */
  static final class State implements QuantileState {
    private static final int FIRST_SLOTS = 8;
    private static final int LARGE = 1 << 16;
    // Header 12, four references, size, count; and the headers of the two arrays.
    private static final int OWN_BYTES = 48 + 32;

    private final ExactAggregate shared;
    private long[] keys = new long[FIRST_SLOTS];
    private long[] copies = new long[FIRST_SLOTS]; // 0: the slot is empty
    private int size;
    private long count;
    private @Nullable Summary sorted; // null: not needed since the last merge

    State(ExactAggregate shared) {
      this.shared = shared;
    }

    @Override
    public void merge(StateReader bytes) {
      if (bytes.remaining() == 0) {
        return;
      }
      int form = bytes.getByte();
      Summary other = shared.incoming;
      SummaryBytes.read(form, bytes, shared.parameters, shared.values, other);
      if (other.count + count > SummaryBytes.MAX_COUNT) {
        throw bytes.error("more than 2^62 values together");
      }
      for (int i = 0; i < other.size; i++) {
        add(other.values[i], other.weights[i]);
      }
      if (other.values.length > LARGE) {
        shared.incoming = new Summary(); // not part of the state's charged memory
      }
    }

    @Override
    public long growth(StateReader bytes) {
      int more = bytes.remaining();
      int most = (int) Math.min(SummaryBytes.MAX_SIZE, (long) size + more);
      boolean grows = slots(most) > keys.length;
      long table = grows ? 16L * slots(most) : 0; // beside the old one
      long copy = Summary.memoryBytes(most, false) - Summary.memoryBytes(size, false);
      return table + copy + Summary.memoryBytes(more, false);
    }

    private void add(long value, long more) {
      sorted = null;
      count += more;
      int slot = slot(value);
      if (copies[slot] == 0) {
        if (size == SummaryBytes.MAX_SIZE) {
          throw new AnswerTooLargeException(
              size + 1L, "different values of an exact quantile", SummaryBytes.MAX_SIZE);
        }
        size++;
        if (slots(size) > keys.length) {
          grow();
          slot = slot(value);
        }
        keys[slot] = value;
      }
      copies[slot] += more;
    }

    private int slot(long value) {
      int mask = keys.length - 1;
      int slot = (int) TableHash.of(value) & mask;
      while (copies[slot] != 0 && keys[slot] != value) {
        slot = (slot + 1) & mask;
      }
      return slot;
    }

    /** The reader may be gone, and a state has millions of values. */
    private static void checkInterrupted() {
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted while values of a state were put in order");
      }
    }

    private void grow() {
      long[] newKeys = new long[2 * keys.length];
      long[] newCopies = new long[newKeys.length];
      int mask = newKeys.length - 1;
      for (int slot = 0; slot < keys.length; slot++) {
        if (slot % LARGE == 0) {
          checkInterrupted(); // nothing has changed yet
        }
        if (copies[slot] != 0) {
          int to = (int) TableHash.of(keys[slot]) & mask;
          while (newCopies[to] != 0) {
            to = (to + 1) & mask;
          }
          newKeys[to] = keys[slot];
          newCopies[to] = copies[slot];
        }
      }
      keys = newKeys;
      copies = newCopies;
    }

    /** Slots for so many values: at least twice as many, a power of two. */
    private static int slots(int size) {
      return Math.max(FIRST_SLOTS, Integer.highestOneBit(Math.max(1, 2 * size - 1)) << 1);
    }

    /** The sum of the values' distances from their first slots: the number of wasted probes. */
    long displacement() {
      int mask = keys.length - 1;
      long sum = 0;
      for (int slot = 0; slot < keys.length; slot++) {
        sum += copies[slot] == 0 ? 0 : (slot - (int) TableHash.of(keys[slot])) & mask;
      }
      return sum;
    }

    private Summary sorted() {
      if (sorted == null) {
        Summary all = new Summary();
        all.reset(size, false);
        int n = 0;
        for (int slot = 0; n < size; slot++) {
          all.values[n] = keys[slot] ^ Long.MIN_VALUE; // in the order of unsigned longs
          n += copies[slot] == 0 ? 0 : 1;
        }
        new RadixSort().sort(all.values, size, all.weights, State::checkInterrupted);
        for (int i = 0; i < size; i++) {
          all.values[i] ^= Long.MIN_VALUE;
          all.weights[i] = copies[slot(all.values[i])];
        }
        all.size = size;
        all.count = count;
        sorted = all;
      }
      return sorted;
    }

    @Override
    public void output(StateSink sink) {
      SummaryBytes.write(sorted(), sink);
    }

    /** Always includes the sorted copy: its creation is not reported. */
    @Override
    public long memoryBytes() {
      return OWN_BYTES + 16L * keys.length + Summary.memoryBytes(size, false);
    }

    @Override
    public long count() {
      return count;
    }

    @Override
    public void quantile(long rank, long[] out) {
      sorted().quantile(rank, out);
    }

    @Override
    public void rank(long value, long[] out) {
      sorted().rank(value, out);
    }

    @Override
    public double rankError() {
      return 0;
    }

    @Override
    public double probability() {
      return 1;
    }
  }
}

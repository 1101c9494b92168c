package org.flowmon.ingest.decode.record;

import java.util.Arrays;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.decode.record.InformationElement.Transform;

/** Up to 64 records by slot: values, and one word for those that have one. Reused. */
public final class RecordBlock {
  /** Records of a block, one for each bit of a word. */
  public static final int ROWS = 64;

  private static final int START = Slot.START.ordinal();
  private static final int END = Slot.END.ordinal();
  private static final long[] MAX = new long[Slot.COUNT];
  private static final boolean[] ZERO_IS_NULL = new boolean[Slot.COUNT];

  static {
    for (Slot slot : Slot.ALL) {
      MAX[slot.ordinal()] = slot.max();
      ZERO_IS_NULL[slot.ordinal()] = slot.zeroIsNull();
    }
  }

  private final long[][] values = new long[Slot.COUNT][ROWS];
  private final long[][] high = new long[Slot.COUNT][];
  private final long[] set = new long[Slot.COUNT];
  private final Transform[] transforms = new Transform[Slot.COUNT];
  private RecordProgram program = RecordProgram.compile(new int[0]);
  private byte[] source = {};
  private byte[] loaded = {};
  private int start;
  private int rows;
  private long ofTotals;
  private long implausible;
  private long correctedTimes;

  public RecordBlock() {
    Arrays.fill(transforms, Transform.AS_IS);
    for (Slot slot : Slot.ALL) {
      if (slot.isAddress6()) {
        high[slot.ordinal()] = new long[ROWS];
      }
    }
  }

  public int rows() {
    return rows;
  }

  long all() {
    return -1L >>> (64 - rows);
  }

  /** The values by row, of an address the low long. */
  public long[] values(Slot slot) {
    return values[slot.ordinal()];
  }

  long[] high(Slot slot) {
    return high[slot.ordinal()];
  }

  long set(Slot slot) {
    return set[slot.ordinal()];
  }

  public boolean isSet(Slot slot, int row) {
    return (set[slot.ordinal()] >>> row & 1) != 0;
  }

  void countImplausible() {
    implausible++;
  }

  void countCorrectedTimes() {
    correctedTimes++;
  }

  /** Rows. */
  public long takeCorrectedTimes() {
    long count = correctedTimes;
    correctedTimes = 0;
    return count;
  }

  /** How the values of {@link Slot#START} and {@link Slot#END} become times. */
  Transform transform(Slot slot) {
    return transforms[slot.ordinal()];
  }

  public long takeImplausible() {
    long count = implausible;
    implausible = 0;
    return count;
  }

  RecordProgram program() {
    return program;
  }

  /** Whether the template has a sampling rate, of which 0 is none. */
  public boolean tellsRate() {
    return program.has(Slot.SAMPLING_INTERVAL) || program.has(Slot.SAMPLING_SIZE);
  }

  static int position(long place) {
    return (int) (place >>> 16);
  }

  static int length(long place) {
    return (int) place & 0xFFFF;
  }

  /** For the table of {@link ExporterNames#applications}. */
  public long applicationKey(int row) {
    long place = values(Slot.APPLICATION)[row];
    return FieldTexts.applicationKey(source, position(place), length(place));
  }

  /** What the values of a slot of bytes are places in: position × 2^16 + length. */
  byte[] source() {
    return source;
  }

  /** The records' bytes, which begin at {@link #start}. */
  byte[] bytes() {
    return loaded;
  }

  int start() {
    return start;
  }

  /**
   * {@code count} (1 … {@link #ROWS}) records, which the caller has checked to lie in the bytes;
   * packed ones came from {@code datagram}, others are it.
   */
  public void load(RecordProgram records, byte[] bytes, int at, int count, byte[] datagram) {
    program = records;
    source = datagram;
    loaded = bytes;
    start = at;
    rows = count;
    Arrays.fill(set, 0);
    ofTotals = 0;
    int[] steps = records.steps();
    int stride = records.stride();
    for (int s = 0; s < steps.length; s += RecordProgram.STEP) {
      int offset = at + steps[s];
      int length = steps[s + 1];
      int slot = steps[s + 2];
      set[slot] = all();
      if (high[slot] != null) {
        loadAddress6(bytes, offset, stride, slot);
      } else if (Slot.ALL[slot].isAddress4()) {
        loadAddress4(bytes, offset, stride, values[slot]);
      } else if (Slot.ALL[slot].isBytes()) {
        loadPlaces(bytes, offset, stride, length, values[slot]);
      } else {
        loadNumber(bytes, offset, stride, length, values[slot]);
        transforms[slot] = Transform.ALL[steps[s + 3]];
        if (slot == START || slot == END) {
          unsetZeros(slot); // FlowTimes knows what is plausible
        } else if (transforms[slot] == Transform.MILLISECONDS) {
          scale(slot, 1000);
        } else {
          check(slot, length);
        }
      }
    }
  }

  private void loadNumber(byte[] bytes, int start, int stride, int length, long[] out) {
    int at = start;
    switch (length) {
      case 1 -> {
        for (int i = 0; i < rows; i++, at += stride) {
          out[i] = bytes[at] & 0xFF;
        }
      }
      case 2 -> {
        for (int i = 0; i < rows; i++, at += stride) {
          out[i] = BigEndian.getU16(bytes, at);
        }
      }
      case 4 -> {
        for (int i = 0; i < rows; i++, at += stride) {
          out[i] = BigEndian.getU32(bytes, at);
        }
      }
      case 8 -> {
        for (int i = 0; i < rows; i++, at += stride) {
          out[i] = BigEndian.getLong(bytes, at);
        }
      }
      default -> {
        for (int i = 0; i < rows; i++, at += stride) {
          long value = 0;
          for (int b = 0; b < length; b++) {
            value = (value << 8) | (bytes[at + b] & 0xFF);
          }
          out[i] = value;
        }
      }
    }
  }

  private void loadAddress4(byte[] bytes, int start, int stride, long[] out) {
    int at = start;
    for (int i = 0; i < rows; i++, at += stride) {
      out[i] = IpAddress.ipv4Low(BigEndian.getInt(bytes, at));
    }
  }

  private void loadAddress6(byte[] bytes, int start, int stride, int slot) {
    long[] hi = high[slot];
    long[] lo = values[slot];
    int at = start;
    for (int i = 0; i < rows; i++, at += stride) {
      hi[i] = BigEndian.getLong(bytes, at);
      lo[i] = BigEndian.getLong(bytes, at + 8);
    }
  }

  private void loadPlaces(byte[] bytes, int start, int stride, int length, long[] out) {
    int at = start;
    for (int i = 0; i < rows; i++, at += stride) {
      out[i] =
          length == RecordProgram.VARIABLE
              ? BigEndian.getU32(bytes, at) << 16 | BigEndian.getInt(bytes, at + Integer.BYTES)
              : (long) at << 16 | length;
    }
  }

  /** Values out of range, and zeros if 0 is for unknown, become null. */
  private void check(int slot, int length) {
    long max = MAX[slot];
    long[] column = values[slot];
    if (length == 8 || max < (1L << (8 * length)) - 1) {
      for (int i = 0; i < rows; i++) {
        if (column[i] < 0 || column[i] > max) {
          unset(slot, i);
          implausible++;
        }
      }
    }
    if (ZERO_IS_NULL[slot]) {
      unsetZeros(slot);
    }
  }

  private void unsetZeros(int slot) {
    long[] column = values[slot];
    for (int i = 0; i < rows; i++) {
      if (column[i] == 0) {
        unset(slot, i);
      }
    }
  }

  void set(Slot slot, int row, long value) {
    set[slot.ordinal()] |= 1L << row;
    values[slot.ordinal()][row] = value;
  }

  /** A counter of the row was made of one since its flow's start. */
  void setOfTotals(Slot slot, int row, long value) {
    set(slot, row, value);
    ofTotals |= 1L << row;
  }

  /** The rows with such a counter. */
  long ofTotals() {
    return ofTotals;
  }

  void unset(Slot slot, int row) {
    unset(slot.ordinal(), row);
  }

  private void unset(int slot, int row) {
    set[slot] &= ~(1L << row);
    values[slot][row] = 0;
  }

  /** Scales to µs. */
  private void scale(int slot, long factor) {
    long[] column = values[slot];
    long most = Long.MAX_VALUE / factor;
    for (int i = 0; i < rows; i++) {
      long value = column[i];
      if (value < 0 || value > most) {
        unset(slot, i);
        implausible++;
      } else if (value == 0 && ZERO_IS_NULL[slot]) {
        unset(slot, i);
      } else {
        column[i] = value * factor;
      }
    }
  }
}

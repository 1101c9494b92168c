package org.flowmon.ingest.decode.record;

import java.util.Arrays;
import java.util.Objects;
import org.flowmon.flow.bytes.BigEndian;

/**
 * Which bytes of a record go to which slot: steps of {@link #STEP} ints. Immutable.
 *
 * <pre>
 * offset in the record | length in bytes | slot | transform
 * </pre>
 *
 * <p>Records of variable length are packed first: their known fields are copied one after the other
 * ({@link #pack}), and the offsets are those of the copy. So both kinds share one loop.
 */
public final class RecordProgram {
  static final int STEP = 4;

  /** A field that has its length itself (RFC 7011 section 7). */
  static final int VARIABLE = 0xFFFF;

  private static final int SKIPPED = -1;
  // As a step, because the fixed bytes between known fields may be as many as VARIABLE.
  private static final int VARIABLE_STEP = -1;

  private final int[] steps;
  private final int stride;
  private final int minBytes;
  // Empty, or the walk of variable length: known fields and those of variable length, at least a
  // byte each, with length and packed offset or −1. All fields between two count as one.
  private final int[] walk;

  private RecordProgram(int[] steps, int stride, int minBytes, int[] walk) {
    this.steps = steps;
    this.stride = stride;
    this.minBytes = minBytes;
    this.walk = walk;
  }

  /** Fields in order: enterprise number (0: IANA), element id (−1: not to be decoded), length. */
  public static RecordProgram compile(int[] fields) {
    int count = fields.length / 3;
    int[] fieldOf = choose(fields);
    boolean variable = false;
    int[] slotOf = new int[count];
    Arrays.fill(slotOf, -1);
    for (int slot = 0; slot < Slot.COUNT; slot++) {
      if (fieldOf[slot] >= 0) {
        slotOf[fieldOf[slot]] = slot;
      }
    }
    for (int i = 0; i < count; i++) {
      variable |= fields[3 * i + 2] == VARIABLE;
    }
    int[] steps = new int[Slot.COUNT * STEP];
    int used = 0;
    int bytes = 0;
    int packed = 0;
    for (int i = 0; i < count; i++) {
      int length = fields[3 * i + 2];
      if (slotOf[i] >= 0) {
        steps[used] = variable ? packed : bytes;
        steps[used + 1] = length;
        steps[used + 2] = slotOf[i];
        steps[used + 3] = transform(fields, i);
        used += STEP;
        packed += length;
      }
      bytes += length == VARIABLE ? 1 : length;
    }
    return new RecordProgram(
        Arrays.copyOf(steps, used),
        variable ? packed : bytes,
        bytes,
        variable ? walk(fields, slotOf) : new int[0]);
  }

  private static int[] walk(int[] fields, int[] slotOf) {
    int[] walk = new int[2 * slotOf.length];
    int used = 0;
    int packed = 0;
    boolean between = false;
    for (int i = 0; i < slotOf.length; i++) {
      int length = fields[3 * i + 2];
      if (slotOf[i] < 0 && length != VARIABLE) {
        if (between) {
          walk[used - 2] += length;
        } else if (length > 0) {
          walk[used++] = length;
          walk[used++] = SKIPPED;
          between = true;
        }
        continue;
      }
      walk[used++] = length == VARIABLE ? VARIABLE_STEP : length;
      walk[used++] = slotOf[i] < 0 ? SKIPPED : packed;
      packed += slotOf[i] < 0 ? 0 : length;
      between = false;
    }
    return Arrays.copyOf(walk, used);
  }

  private static int transform(int[] fields, int i) {
    return Objects.requireNonNull(InformationElement.find(fields[3 * i], fields[3 * i + 1]))
        .transform();
  }

  /** Chooses the field for each slot; −1 if there is none. */
  private static int[] choose(int[] fields) {
    int[] fieldOf = new int[Slot.COUNT];
    int[] rankOf = new int[Slot.COUNT];
    Arrays.fill(fieldOf, -1);
    for (int i = 0; i < fields.length / 3; i++) {
      InformationElement element = InformationElement.find(fields[3 * i], fields[3 * i + 1]);
      if (element == null || !element.takes(fields[3 * i + 2])) {
        continue;
      }
      int slot = element.slot().ordinal();
      if (fieldOf[slot] < 0 || element.rank() < rankOf[slot]) {
        fieldOf[slot] = i;
        rankOf[slot] = element.rank();
      }
    }
    takeAsReverse(fields, fieldOf, InformationElement.POST_OCTETS, Slot.BYTES, Slot.REVERSE_BYTES);
    takeAsReverse(
        fields, fieldOf, InformationElement.POST_PACKETS, Slot.PACKETS, Slot.REVERSE_PACKETS);
    return fieldOf;
  }

  /** A "post" counter beside the flow's own is the way back's. */
  private static void takeAsReverse(
      int[] fields, int[] fieldOf, int id, Slot forward, Slot reverse) {
    for (int i = 0; i < fields.length / 3; i++) {
      if (fields[3 * i] == 0
          && fields[3 * i + 1] == id
          && reverse.takes(fields[3 * i + 2])
          && fieldOf[forward.ordinal()] != i
          && fieldOf[reverse.ordinal()] < 0) {
        fieldOf[reverse.ordinal()] = i;
      }
    }
  }

  int[] steps() {
    return steps;
  }

  /** Bytes from one record to the next; of packed records if they have variable length. */
  public int stride() {
    return stride;
  }

  public int minBytes() {
    return minBytes;
  }

  public boolean isVariable() {
    return walk.length > 0;
  }

  public int packSteps() {
    return walk.length / 2;
  }

  public int bytes() {
    return 64 + Integer.BYTES * (steps.length + (isVariable() ? walk.length + 4 : 0));
  }

  /** Copies to {@code to[at … at + stride)}; returns the record's end, −1 if past {@code end}. */
  public int pack(byte[] from, int start, int end, byte[] to, int at) {
    int position = start;
    for (int i = 0; i < walk.length; i += 2) {
      int length = walk[i];
      if (length == VARIABLE_STEP) {
        if (position >= end) {
          return -1;
        }
        length = from[position++] & 0xFF;
        if (length == 0xFF) {
          if (end - position < 2) {
            return -1;
          }
          length = BigEndian.getU16(from, position);
          position += 2;
        }
      }
      if (length > end - position) {
        return -1;
      }
      if (walk[i + 1] >= 0) {
        System.arraycopy(from, position, to, at + walk[i + 1], length);
      }
      position += length;
    }
    return position;
  }
}

package org.flowmon.ingest.decode.record;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.ingest.decode.record.InformationElement.Transform;

/**
 * Which bytes of a record go to which slot: steps of {@link #STEP} ints. Immutable.
 *
 * <pre>
 * offset in the record | length in bytes | slot | transform
 * </pre>
 *
 * <p>Records of variable length are packed first: their known fields are copied one after the other
 * ({@link #pack}), and the offsets are those of the copy. So both kinds share one loop. Of a text
 * the place is copied instead, and its step has the length {@link #VARIABLE}.
 */
public final class RecordProgram {
  static final int STEP = 4;

  /** A field that has its length itself (RFC 7011 section 7). */
  static final int VARIABLE = 0xFFFF;

  /** A place in the datagram: position 4, length 4. */
  private static final int PLACE_BYTES = 8;

  private static final int SKIPPED = -1;
  private static final int FIRST_PLACE = -2;
  // As a step, because the fixed bytes between known fields may be as many as VARIABLE.
  private static final int VARIABLE_STEP = -1;

  private final int[] steps;
  private final boolean rare;
  private final boolean countsPayload;
  private final int totals;
  private final OwnStep[] own;
  private final int stride;
  private final int minBytes;
  // Empty, or the walk of variable length: known fields and those of variable length, at least a
  // byte each, with length and packed offset, FIRST_PLACE less the offset of a place, or SKIPPED.
  // All fields between two count as one.
  private final int[] walk;

  /**
   * A user's column; {@code length} is {@link #VARIABLE} if the bytes there are a place in the
   * datagram.
   */
  record OwnStep(OwnElement use, int offset, int length) {}

  private RecordProgram(
      int[] steps,
      boolean rare,
      boolean countsPayload,
      int totals,
      OwnStep[] own,
      int stride,
      int minBytes,
      int[] walk) {
    this.steps = steps;
    this.rare = rare;
    this.countsPayload = countsPayload;
    this.totals = totals;
    this.own = own;
    this.stride = stride;
    this.minBytes = minBytes;
    this.walk = walk;
  }

  /** Fields in order: enterprise number (0: IANA), element id (−1: not to be decoded), length. */
  public static RecordProgram compile(int[] fields) {
    int count = fields.length / 3;
    int[] fieldOf = new int[Slot.COUNT];
    Transform[] transforms = choose(fields, fieldOf);
    boolean countsPayload = countPayload(fieldOf);
    boolean variable = false;
    for (int i = 0; i < count; i++) {
      variable |= fields[3 * i + 2] == VARIABLE;
    }
    int[] packedAt = new int[count]; // SKIPPED, or where the copy has the field
    Arrays.fill(packedAt, SKIPPED);
    boolean[] isPlace = new boolean[count];
    int chosen = 0;
    for (int slot = 0; slot < Slot.COUNT; slot++) {
      if (fieldOf[slot] >= 0) {
        packedAt[fieldOf[slot]] = 0;
        isPlace[fieldOf[slot]] = variable && Slot.ALL[slot].isBytes();
        chosen++;
      }
    }
    Map<FlowColumn, OwnUse> ownUses = chooseOwn(fields);
    placeOwn(ownUses.values(), fields, variable, packedAt, isPlace);
    int[] offset = new int[count];
    int bytes = 0;
    int packed = 0;
    for (int i = 0; i < count; i++) {
      int length = fields[3 * i + 2];
      offset[i] = bytes;
      if (packedAt[i] != SKIPPED) {
        packedAt[i] = packed;
        packed += isPlace[i] ? PLACE_BYTES : length;
      }
      bytes += length == VARIABLE ? 1 : length;
    }
    int[] steps = new int[chosen * STEP];
    boolean rare = false;
    for (int slot = 0, used = 0; slot < Slot.COUNT; slot++) {
      int i = fieldOf[slot];
      if (i >= 0) {
        steps[used] = variable ? packedAt[i] : offset[i];
        steps[used + 1] = isPlace[i] ? VARIABLE : fields[3 * i + 2];
        steps[used + 2] = slot;
        steps[used + 3] = transforms[slot].ordinal();
        used += STEP;
        rare |= Slot.ALL[slot].isRare();
      }
    }
    return new RecordProgram(
        steps,
        rare,
        countsPayload,
        FlowTotals.counters(fieldOf),
        ownSteps(ownUses.values(), fields, variable ? packedAt : offset, isPlace),
        variable ? packed : bytes,
        bytes,
        variable ? walk(fields, packedAt, isPlace) : new int[0]);
  }

  private static int[] walk(int[] fields, int[] packedAt, boolean[] isPlace) {
    int[] walk = new int[2 * packedAt.length];
    int used = 0;
    boolean between = false;
    for (int i = 0; i < packedAt.length; i++) {
      int length = fields[3 * i + 2];
      if (packedAt[i] == SKIPPED && length != VARIABLE) {
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
      walk[used++] = isPlace[i] ? FIRST_PLACE - packedAt[i] : packedAt[i];
      between = false;
    }
    return Arrays.copyOf(walk, used);
  }

  /** Chooses the field for each slot, −1 if there is none; returns the slots' transforms. */
  private static Transform[] choose(int[] fields, int[] fieldOf) {
    int[] rankOf = new int[Slot.COUNT];
    Transform[] transforms = new Transform[Slot.COUNT];
    Arrays.fill(transforms, Transform.AS_IS);
    Arrays.fill(fieldOf, -1);
    for (int i = 0; i < fields.length / 3; i++) {
      for (InformationElement use : ElementRegistry.uses(fields[3 * i], fields[3 * i + 1])) {
        int slot = use.slot().ordinal();
        if (use.takes(fields[3 * i + 2]) && (fieldOf[slot] < 0 || use.rank() < rankOf[slot])) {
          fieldOf[slot] = i;
          rankOf[slot] = use.rank();
          transforms[slot] = use.transform();
        }
      }
    }
    return transforms;
  }

  /**
   * In a template whose only bytes are those of the payload (231, 232), they are the flow's; never
   * beside bytes of layer 3 of either way.
   */
  private static boolean countPayload(int[] fieldOf) {
    boolean counts =
        hasNone(fieldOf, Slot.BYTES, Slot.REVERSE_BYTES, Slot.TOTAL_BYTES, Slot.TOTAL_REVERSE_BYTES)
            && !hasNone(fieldOf, Slot.PAYLOAD_BYTES, Slot.REVERSE_PAYLOAD_BYTES);
    if (counts) {
      fieldOf[Slot.BYTES.ordinal()] = fieldOf[Slot.PAYLOAD_BYTES.ordinal()];
      fieldOf[Slot.REVERSE_BYTES.ordinal()] = fieldOf[Slot.REVERSE_PAYLOAD_BYTES.ordinal()];
    }
    return counts;
  }

  private static boolean hasNone(int[] fieldOf, Slot... slots) {
    return Arrays.stream(slots).allMatch(slot -> fieldOf[slot.ordinal()] < 0);
  }

  private record OwnUse(OwnElement element, int field) {}

  /** The field for each user's column. */
  private static Map<FlowColumn, OwnUse> chooseOwn(int[] fields) {
    Map<FlowColumn, OwnUse> chosen = new TreeMap<>();
    for (OwnElement use : OwnElement.all()) {
      for (int i = 0; i < fields.length / 3; i++) {
        int length = fields[3 * i + 2];
        if (use.isOf(fields[3 * i], fields[3 * i + 1])
            && (length == VARIABLE || use.takes(length))) {
          chosen.putIfAbsent(use.column(), new OwnUse(use, i));
        }
      }
    }
    return chosen;
  }

  /** Marks the fields of users' columns that no slot has. */
  private static void placeOwn(
      Collection<OwnUse> uses, int[] fields, boolean variable, int[] packedAt, boolean[] isPlace) {
    for (OwnUse use : uses) {
      int i = use.field();
      if (packedAt[i] == SKIPPED) { // else a slot has it, which takes every VARIABLE as a place
        packedAt[i] = 0;
        // A text is not copied: it may be as long as a datagram.
        isPlace[i] =
            fields[3 * i + 2] == VARIABLE
                || (variable && use.element().form() == OwnElement.Form.TEXT);
      }
    }
  }

  private static OwnStep[] ownSteps(
      Collection<OwnUse> uses, int[] fields, int[] offset, boolean[] isPlace) {
    return uses.stream()
        .map(
            use -> {
              int i = use.field();
              return new OwnStep(
                  use.element(), offset[i], isPlace[i] ? VARIABLE : fields[3 * i + 2]);
            })
        .toArray(OwnStep[]::new);
  }

  int[] steps() {
    return steps;
  }

  /** Whether it has a slot that {@linkplain Slot#isRare is rare}. */
  boolean isRare() {
    return rare;
  }

  /** Whether the bytes of its records are those of the payload. */
  boolean countsPayload() {
    return countsPayload;
  }

  /** Whether its records have counters since their flow's start, and no others of the kind. */
  public boolean hasTotals() {
    return totals != 0;
  }

  /** Bits of {@link FlowTotals#counters}. */
  int totals() {
    return totals;
  }

  /** Whether a field goes there. */
  boolean has(Slot slot) {
    return length(slot) > 0;
  }

  /** Of the field that goes there (bytes), 0 if there is none. */
  int length(Slot slot) {
    for (int s = 0; s < steps.length; s += STEP) {
      if (steps[s + 2] == slot.ordinal()) {
        return steps[s + 1];
      }
    }
    return 0;
  }

  /** The caller must not change them. */
  OwnStep[] own() {
    return own;
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
    return 64
        + 40 * own.length
        + Integer.BYTES * (steps.length + (isVariable() ? walk.length + 4 : 0));
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
      } else if (walk[i + 1] <= FIRST_PLACE) {
        int place = at + FIRST_PLACE - walk[i + 1];
        BigEndian.putInt(to, place, position);
        BigEndian.putInt(to, place + Integer.BYTES, length);
      }
      position += length;
    }
    return position;
  }
}

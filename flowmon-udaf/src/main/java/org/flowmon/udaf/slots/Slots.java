package org.flowmon.udaf.slots;

import java.util.List;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * {@code SLOTS(x)}: in which of the slots 0 … 63 of an axis a group has values; x is in slot ⌊x⌋.
 * Others and NULL are in none. {@code PATTERN(SLOTS(x))} draws them.
 */
public final class Slots implements Udaf {
  @Override
  public String name() {
    return "SLOTS";
  }

  @Override
  public String signature() {
    return "SLOTS(x)";
  }

  @Override
  public BoundUdaf bind(UdafCall call) {
    boolean isDouble = call.rows(0, "x", ValueKind.LONG, ValueKind.DOUBLE) == ValueKind.DOUBLE;
    call.atMost(1);
    return BoundUdaf.exact(call, () -> low(isDouble), SlotsState::new);
  }

  private static SubAggregate low(boolean isDouble) {
    return new SlotsPad(isDouble);
  }

  @Override
  public List<Extractor> extractors() {
    return List.of(
        Extractor.exact(
            "COUNT",
            ValueKind.LONG,
            state -> Value.ofLong(Long.bitCount(((SlotsState) state).slots()))),
        Extractor.exact("PATTERN", ValueKind.TEXT, state -> pattern(((SlotsState) state).slots())));
  }

  /** A sign for each slot up to the last with values; NULL if there is none. */
  private static Value pattern(long slots) {
    if (slots == 0) {
      return Value.NULL;
    }
    StringBuilder signs = new StringBuilder(Long.SIZE);
    for (long rest = slots; rest != 0; rest >>>= 1) {
      signs.append((rest & 1) != 0 ? '#' : '.');
    }
    return Value.ofText(signs.toString());
  }
}

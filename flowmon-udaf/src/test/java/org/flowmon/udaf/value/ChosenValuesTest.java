package org.flowmon.udaf.value;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;

/** Values and addresses are keys of maps: those chosen by hash codes do not collide. */
class ChosenValuesTest {
  private static final int VALUES = 20_000;

  @Test
  void chosenValuesHaveHashCodesOfTheirOwn() {
    Set<Integer> ofAddresses = new HashSet<>();
    Set<Integer> ofNumbers = new HashSet<>();
    Set<Integer> ofTexts = new HashSet<>();
    for (int i = 0; i < VALUES; i++) {
      // Long.hashCode is the same for all, and so is a record's hash code of it.
      IpAddress address = new IpAddress((long) i << 32 | i, ~(long) i << 32 | (~i & 0xFFFF_FFFFL));
      ofAddresses.add(address.hashCode());
      ofNumbers.add(Value.ofAddress(address).hashCode());
      ofTexts.add(Value.ofText(sameHashCode(i)).hashCode());
    }
    for (Set<Integer> codes : List.of(ofAddresses, ofNumbers, ofTexts)) {
      assertTrue(codes.size() > VALUES - 10, codes.size() + " hash codes");
    }
  }

  /** 15 times {@code Aa} or {@code BB}, which have the same hash code. */
  private static String sameHashCode(int bits) {
    StringBuilder text = new StringBuilder();
    for (int b = 0; b < 15; b++) {
      text.append((bits >>> b & 1) == 0 ? "Aa" : "BB");
    }
    return text.toString();
  }
}

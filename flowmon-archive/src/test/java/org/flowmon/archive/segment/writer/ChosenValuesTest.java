package org.flowmon.archive.segment.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

/** Values chosen with knowledge of dictionaries do not make sealing slow. */
class ChosenValuesTest {
  private static final int VALUES = 20_000;
  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  @Test
  void chosenAddressesShareNoSlotsOfADictionary() {
    ColumnValues values = new ColumnValues();
    values.count = VALUES;
    values.low = new long[VALUES];
    values.high = new long[VALUES];
    for (int i = 0; i < VALUES; i++) {
      long high = 0x2001_0DB8L << 32 | i;
      values.high[i] = high;
      values.low[i] = (high * 31) ^ 77; // high * 31 ^ low is the same for all
    }
    DictionaryBuilder dictionary = new DictionaryBuilder();
    dictionary.buildAddresses(values);
    assertEquals(VALUES, dictionary.size);
    assertTrue(dictionary.displacement() < 4L * VALUES, dictionary.displacement() + " slots");
  }

  @Test
  void chosenNumbersShareNoSlotsOfADictionary() {
    long inverse =
        BigInteger.valueOf(MULTIPLIER).modInverse(BigInteger.ONE.shiftLeft(64)).longValue();
    ColumnValues values = new ColumnValues();
    values.count = VALUES;
    values.low = new long[VALUES];
    for (int i = 0; i < VALUES; i++) {
      values.low[i] = (i + 1) * inverse; // times the multiplier: below 2^15
    }
    DictionaryBuilder dictionary = new DictionaryBuilder();
    assertTrue(dictionary.buildNumbers(values, VALUES));
    assertEquals(VALUES, dictionary.size);
    assertTrue(dictionary.displacement() < 4L * VALUES, dictionary.displacement() + " slots");
  }
}

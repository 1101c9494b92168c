package org.flowmon.ingest.file.line;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DecimalNumberTest {
  private static final BigDecimal HALF = new BigDecimal("0.5");

  private static long scaled(String text, int places) {
    byte[] bytes = ("ab" + text + "9").getBytes(StandardCharsets.UTF_8);
    return DecimalNumber.scaled(bytes, 2, bytes.length - 1, places);
  }

  private static long expected(String text, int places) {
    BigInteger rounded =
        new BigDecimal(text)
            .movePointRight(places)
            .add(HALF)
            .setScale(0, RoundingMode.FLOOR)
            .toBigInteger();
    return rounded.bitLength() < 64 ? rounded.longValue() : DecimalNumber.INVALID;
  }

  @Test
  void numbersAreThoseOfBigDecimalRoundedOnce() {
    long seed = 31;
    Random random = new Random(seed);
    for (int i = 0; i < 200_000; i++) {
      int digits = 1 + random.nextInt(24);
      StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "-" : "");
      int point = random.nextInt(digits + 2);
      for (int d = 0; d < digits; d++) {
        text.append(d == point ? "." : "");
        text.append(random.nextInt(3) == 0 ? "059".charAt(random.nextInt(3)) : digit(random));
      }
      if (random.nextInt(5) == 0) {
        text.append(random.nextBoolean() ? 'e' : 'E').append(random.nextInt(60) - 30);
      }
      int places = random.nextInt(7);
      assertEquals(
          expected(text.toString(), places),
          scaled(text.toString(), places),
          "seed " + seed + ": " + text + " with " + places + " places");
    }
  }

  private static char digit(Random random) {
    return (char) ('0' + random.nextInt(10));
  }

  @Test
  void aNumberIsRoundedOnceAndMayBeLargerThanAnyTime() {
    assertEquals(0, scaled("0.0004999995", 3)); // millionths would be 0.0005, and that 1
    assertEquals(1, scaled("0.0005", 3));
    assertEquals(0, scaled("-0.0005", 3));
    assertEquals(-1, scaled("-0.00050001", 3));
    assertEquals(253_402_300_801_500L, scaled("253402300801.5", 3));
    assertEquals(Long.MAX_VALUE, scaled("9223372036854775807", 0));
    assertEquals(-Long.MAX_VALUE, scaled("-9223372036854775807", 0));
    assertEquals(Long.MAX_VALUE, scaled("9223372036854775.807", 3));
    assertEquals(0, scaled("4.9e-324", 6));
  }

  @Test
  void whatIsNoNumberOrTooLargeIsInvalid() {
    for (String text :
        new String[] {
          "",
          "-",
          ".",
          "-.",
          "1x",
          "x",
          "1e",
          "1e+",
          "e1",
          "1ee1",
          "1e1000000000",
          "1e-1000000000",
          "--1",
          "+1",
          "1.5.5",
          "9223372036854775808",
          "1e300",
          "\u00b2",
          "9".repeat(401)
        }) {
      assertEquals(DecimalNumber.INVALID, scaled(text, 0), text);
    }
  }
}

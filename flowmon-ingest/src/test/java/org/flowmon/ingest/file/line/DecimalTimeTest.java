package org.flowmon.ingest.file.line;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DecimalTimeTest {
  private static long micros(String text) {
    byte[] bytes = ("ab" + text + "9").getBytes(StandardCharsets.UTF_8);
    return DecimalTime.micros(bytes, 2, bytes.length - 1);
  }

  private static long iso(String text) {
    byte[] bytes = ("ab" + text + "9").getBytes(StandardCharsets.UTF_8);
    return DecimalTime.iso(bytes, 2, bytes.length - 1);
  }

  @Test
  void decimalsAreRoundedOnceHalfUpAsBigDecimalDoes() {
    long seed = 7;
    Random random = new Random(seed);
    for (int i = 0; i < 200_000; i++) {
      String text =
          BigDecimal.valueOf(random.nextLong(1L << random.nextInt(1, 60)), random.nextInt(10, 18))
              .toPlainString();
      text = random.nextInt(4) == 0 ? "-" + text : text;
      long expected =
          new BigDecimal(text).movePointRight(6).setScale(0, RoundingMode.HALF_UP).longValue();
      assertEquals(expected, micros(text), "seed " + seed + ": " + text);
    }
  }

  @Test
  void sixDigitsBehindThePointAreReadAsByAnyOtherReader() {
    long seed = 8;
    Random random = new Random(seed);
    for (int i = 0; i < 200_000; i++) {
      String digits = Long.toString(random.nextLong(1L << random.nextInt(1, 42)));
      StringBuilder text = new StringBuilder(digits + '.');
      text.append(1_000_000 + random.nextInt(1_000_000)).deleteCharAt(digits.length() + 1);
      if (random.nextInt(3) == 0) {
        text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(128));
      }
      String found = text.toString();
      if (found.matches("-?([0-9]+[.]?[0-9]*|[.][0-9]+)")) {
        BigDecimal seconds = new BigDecimal(found);
        BigInteger limit = BigInteger.valueOf(DecimalTime.LIMIT_SECONDS);
        boolean isTime = seconds.abs().toBigInteger().compareTo(limit) <= 0;
        long expected = seconds.movePointRight(6).setScale(0, RoundingMode.HALF_UP).longValue();
        assertEquals(
            isTime ? expected : DecimalTime.INVALID, micros(found), "seed " + seed + ": " + found);
      } else if (!found.contains("e") && !found.contains("E")) {
        assertEquals(DecimalTime.INVALID, micros(found), "seed " + seed + ": " + found);
      }
    }
  }

  @Test
  void aTimeThatNoDoubleHoldsIsExact() {
    // As a double this is 1713484784.9626860618…; its µs would be right only by luck.
    assertEquals(1_713_484_784_962_686L, micros("1713484784.962686"));
    assertEquals(9_007_199_254_740_993L, micros("9007199254.740993"));
    assertEquals(1, micros("0.0000005"));
    assertEquals(0, micros("0.0000004999999999999999"));
    assertEquals(1_000_000, micros("0.9999995"));
    assertEquals(5, micros("4.76837158203125e-06"));
  }

  @Test
  void whatIsNoNumberIsNoTime() {
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
          "--1",
          "+1",
          "1e61",
          "253402300801",
          "1e12",
          "1.5.5",
          "9".repeat(400)
        }) {
      assertEquals(DecimalTime.INVALID, micros(text), text);
    }
  }

  @Test
  void isoTimesAreReadWithAnyZoneAndFraction() {
    for (String text :
        new String[] {
          "2011-08-15T03:37:17.700519Z", "2011-08-15T03:37:17Z", "1969-12-31T23:59:59.999999Z",
          "2024-02-29T00:00:00+01:00", "2024-02-29T00:00:00.5-11:30", "0001-01-01T00:00:00Z",
          "9999-12-31T23:59:59Z"
        }) {
      Instant instant = OffsetDateTime.parse(text).toInstant();
      long expected = instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000;
      assertEquals(expected, iso(text), text);
    }
    assertEquals(iso("2011-08-15T03:37:17Z"), iso("2011-08-15 03:37:17"));
    assertEquals(iso("2011-08-15T03:37:17+0130"), iso("2011-08-15T02:07:17Z"));
    assertEquals(iso("2011-08-15T03:37:17.7005195Z"), iso("2011-08-15T03:37:17.70052Z"));
  }

  @Test
  void datesThatAreNotInTheCalendarAreNoTimes() {
    for (String text :
        new String[] {
          "2011-02-29T00:00:00Z",
          "2011-13-01T00:00:00Z",
          "2011-01-01T24:00:00Z",
          "2011-01-01T00:60:00Z",
          "2011-01-01T00:00:61Z",
          "2011-01-01",
          "2011-01-01T00:00:00.Z",
          "2011-01-01T00:00:00X",
          "2011-01-01T00:00:00+1",
          "2011-01-01T00:00:00+99:00",
          "2011/01/01T00:00:00Z",
          "0000-01-01T00:00:00Z",
          "2011-01-01T00:00:00.1e5Z"
        }) {
      assertEquals(DecimalTime.INVALID, iso(text), text);
    }
  }
}

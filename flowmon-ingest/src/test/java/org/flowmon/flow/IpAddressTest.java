package org.flowmon.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
  private static final long SEED = 5952;

  @ParameterizedTest // RFC 5952 sections 4 and 5, and IPv4
  @CsvSource({
    "2001:0db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "2001:0:0:0:1:0:0:1, 2001::1:0:0:1",
    "2001:DB8::AB, 2001:db8::ab",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "::ffff:192.0.2.1, 192.0.2.1",
    "::ffff:c000:201, 192.0.2.1",
    "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
    "0.0.0.0, 0.0.0.0",
    "255.255.255.255, 255.255.255.255",
  })
  void textIsReadAndWrittenAsTheStandardsSay(String text, String expected) {
    assertEquals(expected, IpAddress.parse(text).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        ":::",
        "1",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "01.2.3.4",
        "1.2.3.4 ",
        "a.b.c.d",
        "1::2::3",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "12345::",
        "g::",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1.2.3",
        "1:",
        ":1",
        "fe80::1%eth0",
        "1.2.3.4/8",
        "::ffff:1.2.3.4.5",
        "1:2:3:4:5:6:7:8::"
      })
  void whatIsNoAddressIsRefused(String text) {
    assertNull(IpAddress.parseOrNull(text));
    Exception e = assertThrows(IllegalArgumentException.class, () -> IpAddress.parse(text));
    assertTrue(e.getMessage().contains("'" + text + "'"), e.getMessage());
  }

  @Test
  void parsingAgreesWithTheJdkAndTextComesBack() throws UnknownHostException {
    Random random = new Random(SEED);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(4) == 0 ? 4 : 16];
      random.nextBytes(bytes);
      for (int z = random.nextInt(12); z > 0 && bytes.length == 16; z--) {
        int group = random.nextInt(8) * 2;
        bytes[group] = 0;
        bytes[group + 1] = 0;
      }
      IpAddress address = IpAddress.ofBytes(bytes);
      String where = "seed " + SEED + " round " + i + ": " + address;
      assertEquals(address, IpAddress.parse(address.toString()), where);
      InetAddress jdk = InetAddress.getByAddress(bytes);
      assertEquals(address, IpAddress.parse(jdk.getHostAddress()), where);
      assertTrue(
          Arrays.equals(bytes, InetAddress.getByName(address.toString()).getAddress())
              || bytes.length == 16,
          where);
    }
  }

  @Test
  void theOrderIsThatOfUnsignedBytes() {
    Random random = new Random(SEED);
    for (int i = 0; i < 10_000; i++) {
      IpAddress a = new IpAddress(random.nextInt(3) - 1, random.nextLong());
      IpAddress b = new IpAddress(random.nextInt(3) - 1, random.nextLong());
      assertEquals(
          Integer.signum(Arrays.compareUnsigned(a.toBytes(), b.toBytes())),
          Integer.signum(a.compareTo(b)),
          a + " " + b);
    }
  }

  @Test
  void prefixesStayWithinTheirFamily() {
    assertTrue(IpPrefix.parse("192.0.2.0/24").contains(0, IpAddress.parse("192.0.2.255").lo()));
    assertFalse(IpPrefix.parse("192.0.2.0/24").contains(0, IpAddress.parse("192.0.3.0").lo()));
    IpAddress four = IpAddress.parse("10.0.0.1");
    assertFalse(IpPrefix.parse("::/0").contains(four.hi(), four.lo()));
    assertTrue(IpPrefix.parse("0.0.0.0/0").contains(four.hi(), four.lo()));
    assertFalse(IpPrefix.parse("0.0.0.0/0").contains(0, 1));
    assertEquals("2001:db8::/33", IpPrefix.parse("2001:db8:7fff::1/33").toString());
    assertEquals("10.0.0.255", IpPrefix.parse("10.0.0.7/24").last().toString());
    assertEquals("10.0.0.7/32", IpPrefix.parse("10.0.0.7").toString());
  }

  @Test
  void containsEqualsTheRangeFromFirstToLast() {
    Random random = new Random(SEED);
    for (int i = 0; i < 20_000; i++) {
      boolean four = random.nextBoolean();
      IpAddress base =
          four
              ? IpAddress.ofIpv4(random.nextInt())
              : new IpAddress(random.nextLong() | 1L << 63, random.nextLong());
      IpPrefix prefix = new IpPrefix(base, random.nextInt(four ? 33 : 129));
      IpAddress other =
          four
              ? IpAddress.ofIpv4(random.nextInt() >>> random.nextInt(32) ^ (int) base.lo())
              : new IpAddress(
                  base.hi() ^ random.nextLong() >>> random.nextInt(64), random.nextLong());
      boolean inRange =
          other.isIpv4() == four
              && prefix.first().compareTo(other) <= 0
              && prefix.last().compareTo(other) >= 0;
      assertEquals(
          inRange,
          prefix.contains(other.hi(), other.lo()),
          "seed " + SEED + ": " + other + " in " + prefix);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/x", "/8", "10/8"})
  void whatIsNoPrefixIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> IpPrefix.parse(text));
  }
}

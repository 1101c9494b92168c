package org.flowmon.jobs.enrich;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.maxmind.db.Reader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Files made by mmdb_writer of PyPI ({@code make.py} beside them), read by MaxMind's reader, too.
 */
class MmdbFileTest {
  static byte[] bytes(String name) throws IOException {
    try (InputStream in = MmdbFileTest.class.getResourceAsStream("/enrich/" + name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  private static Vector addresses(IpAddress... addresses) {
    Vector vector = new Vector(ValueKind.ADDRESS);
    for (int i = 0; i < addresses.length; i++) {
      vector.requireHigh()[i] = addresses[i].hi();
      vector.values()[i] = addresses[i].lo();
    }
    vector.setAllValid(addresses.length);
    return vector;
  }

  /** Null if there is none. */
  static String text(Lookup lookup, IpAddress address) {
    Vector out = new Vector(ValueKind.TEXT);
    lookup.fill(new Vector[] {addresses(address)}, 1, out);
    return out.isValid(0) ? out.requireTexts()[0] : null;
  }

  private static Long number(Lookup lookup, IpAddress address) {
    Vector exported = new Vector(ValueKind.LONG);
    exported.setAllNull(1);
    Vector out = new Vector(ValueKind.LONG);
    lookup.fill(new Vector[] {exported, addresses(address)}, 1, out);
    return out.isValid(0) ? out.values()[0] : null;
  }

  private static InetAddress inet(IpAddress address) throws IOException {
    byte[] bytes = address.toBytes();
    return InetAddress.getByAddress(address.isIpv4() ? Arrays.copyOfRange(bytes, 12, 16) : bytes);
  }

  @Test
  void eachAddressHasTheCountryAndCityThatMaxMindsReaderGives() throws IOException {
    byte[] bytes = bytes("city.mmdb");
    MmdbFile file = new MmdbFile(bytes);
    Lookup countries = MmdbTables.countries(file);
    Lookup cities = MmdbTables.cities(file);
    long seed = 5;
    Random random = new Random(seed);
    int found = 0;
    try (Reader reader = new Reader(new ByteArrayInputStream(bytes))) {
      for (int i = 0; i < 100_000; i++) {
        IpAddress address =
            i % 2 == 0
                ? IpAddress.ofIpv4(random.nextInt())
                : new IpAddress(0x2000L << 48 | random.nextLong() >>> 3, random.nextLong());
        Map<?, ?> record = reader.get(inet(address), Map.class);
        String country = inner(record, "country", "iso_code");
        String city = inner(map(record, "city"), "names", "en");
        assertEquals(country, text(countries, address), "seed " + seed + ": " + address);
        assertEquals(city, text(cities, address), "seed " + seed + ": " + address);
        found += country == null ? 0 : 1;
      }
    }
    assertTrue(found > 2000, found + " found");
    assertEquals("Köln", text(cities, IpAddress.parse("192.0.2.200")));
    assertEquals("Paris", text(cities, IpAddress.parse("2001:db8::5")));
    assertEquals(null, text(cities, IpAddress.parse("203.0.113.1")));
  }

  private static Map<?, ?> map(Map<?, ?> record, String key) {
    return record == null ? null : (Map<?, ?>) record.get(key);
  }

  private static String inner(Map<?, ?> record, String key, String second) {
    Map<?, ?> within = map(record, key);
    return within == null ? null : (String) within.get(second);
  }

  @Test
  void systemsAreReadWithMaxMindsFieldsAndWithIpinfos() throws IOException {
    MmdbTables.Systems systems = MmdbTables.systems(new MmdbFile(bytes("as.mmdb")));
    assertEquals(64_496L, number(systems.numbers(), IpAddress.parse("192.0.2.1")));
    assertEquals(4_200_000_000L, number(systems.numbers(), IpAddress.parse("2001:db8:9::1")));
    assertEquals(null, number(systems.numbers(), IpAddress.parse("203.0.113.1")));
    MmdbFile ipinfo = new MmdbFile(bytes("ipinfo.mmdb"));
    MmdbTables.Systems others = MmdbTables.systems(ipinfo);
    assertEquals(64_497L, number(others.numbers(), IpAddress.parse("198.51.100.1")));
    assertEquals(null, number(others.numbers(), IpAddress.parse("198.51.100.129")));
    assertEquals("AT", text(MmdbTables.countries(ipinfo), IpAddress.parse("198.51.100.1")));
    assertEquals("ipinfo generic_lite.mmdb", ipinfo.type());
  }

  @Test
  void aFileWithoutTheFieldSaysWhatItHas() throws IOException {
    MmdbFile file = new MmdbFile(bytes("as.mmdb"));
    EnrichmentException e =
        assertThrows(EnrichmentException.class, () -> MmdbTables.countries(file));
    assertEquals(
        "has no countries (country.iso_code, country_code or country); its type is 'Test-ASN'",
        e.getMessage());
  }

  @Test
  void anotherFileIsRefused() {
    EnrichmentException e =
        assertThrows(
            EnrichmentException.class,
            () -> new MmdbFile("network,name".getBytes(StandardCharsets.UTF_8)));
    assertTrue(e.getMessage().startsWith("is not in MaxMind's format"), e.getMessage());
  }

  /** Every mutation is read or refused by its one exception, within the time of a short walk. */
  @Test
  @Timeout(120)
  void mutatedBytesAreReadOrRefusedAndNothingElse() throws IOException {
    long seed = 6;
    Random random = new Random(seed);
    int read = 0;
    int refused = 0;
    for (int round = 0; round < 3000; round++) {
      byte[] bytes =
          bytes(round % 3 == 0 ? "city.mmdb" : round % 3 == 1 ? "as.mmdb" : "ipinfo.mmdb");
      for (int i = 1 + random.nextInt(8); i > 0; i--) {
        // Half of them in data and metadata, which are at the end.
        int from = random.nextBoolean() ? 0 : Math.max(0, bytes.length - 400);
        int at = from + random.nextInt(bytes.length - from);
        bytes[at] =
            (byte)
                (random.nextBoolean() ? random.nextInt(256) : bytes[at] ^ (1 << random.nextInt(8)));
      }
      if (random.nextInt(10) == 0) {
        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      }
      try {
        MmdbFile file = new MmdbFile(bytes);
        MmdbTables.countries(file);
        MmdbTables.systems(file);
        read++;
      } catch (EnrichmentException e) {
        refused++;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", round " + round, e);
      }
    }
    assertTrue(refused > 500, read + " read, " + refused + " refused");
  }

  /** Two children that are the same node would give 2^32 networks. */
  @Test
  void aTreeThatIsNoneEndsSoon() throws IOException {
    byte[] bytes = bytes("ipinfo.mmdb");
    MmdbFile whole = new MmdbFile(bytes);
    assertEquals("ipinfo generic_lite.mmdb", whole.type());
    int nodes = nodes(bytes);
    for (int node = 0; node < nodes - 1; node++) {
      for (int side = 0; side < 2; side++) {
        int at = node * 6 + side * 3;
        bytes[at] = 0;
        bytes[at + 1] = (byte) ((node + 1) >> 8);
        bytes[at + 2] = (byte) (node + 1);
      }
    }
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () ->
            assertThrows(
                EnrichmentException.class, () -> MmdbTables.countries(new MmdbFile(bytes))));
  }

  /** Of a file with records of 24 bits. */
  private static int nodes(byte[] bytes) {
    int separator = 0;
    for (int at = 0; at + 16 <= bytes.length; at += 6) {
      boolean isZero = true;
      for (int i = 0; i < 16; i++) {
        isZero &= bytes[at + i] == 0;
      }
      if (isZero) {
        separator = at;
        break;
      }
    }
    return separator / 6;
  }
}

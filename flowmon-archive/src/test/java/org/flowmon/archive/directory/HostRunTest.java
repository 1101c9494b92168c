package org.flowmon.archive.directory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.flowmon.archive.derived.ForeignRunException;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.set.AddressRanges;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostRunTest {
  private static final UUID ARCHIVE = new UUID(1, 2);

  @TempDir Path directory;

  private static SealedSegment segment(int number) {
    TimeRange time = new TimeRange(0, 1);
    FileIdentity file = new FileIdentity(100, 7 * number, 10, 0);
    return new SealedSegment(
        "s" + number, 1, time, time, time, time, BigInteger.ONE, BigInteger.ONE, file, file);
  }

  private static IpAddress address(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> new IpAddress(0x2001_0db8_0000_0000L, random.nextInt(1000));
      case 1 -> new IpAddress(0, random.nextInt(50)); // below all IPv4
      default -> IpAddress.ofIpv4(random.nextInt(3000) * 7 - 9000);
    };
  }

  /** The roles in each of some segments, by address. */
  private static Map<IpAddress, int[]> hosts(Random random, int addresses, int segments) {
    Map<IpAddress, int[]> hosts = new TreeMap<>();
    for (int i = 0; i < addresses; i++) {
      int[] roles = hosts.computeIfAbsent(address(random), a -> new int[segments]);
      int places = random.nextInt(10) == 0 ? segments : 1 + random.nextInt(2);
      for (int p = 0; p < places; p++) {
        roles[random.nextInt(segments)] |= 1 + random.nextInt(3);
      }
    }
    return hosts;
  }

  private Path write(Map<IpAddress, int[]> hosts, int segments) throws IOException {
    Path file = directory.resolve(UUID.randomUUID() + ".hosts");
    try (HostRunWriter writer = new HostRunWriter(file, ARCHIVE)) {
      for (Map.Entry<IpAddress, int[]> host : hosts.entrySet()) {
        int[] places = new int[segments];
        int n = 0;
        for (int s = 0; s < segments; s++) {
          if (host.getValue()[s] != 0) {
            places[n++] = s << 2 | host.getValue()[s];
          }
        }
        writer.add(host.getKey().hi(), host.getKey().lo(), places, n);
      }
      List<SealedSegment> named = new ArrayList<>();
      for (int s = 0; s < segments; s++) {
        named.add(segment(s));
      }
      writer.finish(named);
    }
    return file;
  }

  private static BitSet expected(
      Map<IpAddress, int[]> hosts, AddressRanges.Range range, int roles, int[] positions) {
    BitSet marked = new BitSet();
    hosts.forEach(
        (address, held) -> {
          for (int s = 0; s < held.length; s++) {
            if (address.compareTo(range.first()) >= 0
                && address.compareTo(range.last()) <= 0
                && (held[s] & roles) != 0
                && positions[s] >= 0) {
              marked.set(positions[s]);
            }
          }
        });
    return marked;
  }

  @Test
  void everyRangeMarksTheSegmentsThatHoldIt() throws IOException {
    for (long seed = 1; seed <= 30; seed++) {
      Random random = new Random(seed);
      int segments = 1 + random.nextInt(seed % 5 == 0 ? 3000 : 40);
      Map<IpAddress, int[]> hosts = hosts(random, random.nextInt(1500), segments);
      HostRun run = HostRun.open(write(hosts, segments), ARCHIVE);
      assertEquals(hosts.size(), run.addresses());
      int[] positions = new int[segments];
      for (int s = 0; s < segments; s++) {
        positions[s] = random.nextInt(5) == 0 ? -1 : segments - s;
      }
      for (int q = 0; q < 200; q++) {
        IpAddress a = address(random);
        IpAddress b = random.nextBoolean() ? a : address(random);
        AddressRanges.Range range =
            a.compareTo(b) <= 0 ? new AddressRanges.Range(a, b) : new AddressRanges.Range(b, a);
        int roles = 1 + random.nextInt(3);
        BitSet marked = new BitSet();
        assertTrue(run.mark(range, roles, positions, marked, 1 << 20) >= 0);
        assertEquals(
            expected(hosts, range, roles, positions), marked, "seed " + seed + ", " + range);
        long within =
            hosts.keySet().stream()
                .filter(x -> x.compareTo(range.first()) >= 0 && x.compareTo(range.last()) <= 0)
                .count();
        int left = run.mark(range, roles, positions, new BitSet(), 100);
        assertEquals(within <= 100, left >= 0, "seed " + seed + ", " + within);
      }
      run.release();
    }
  }

  @Test
  void aMergeHoldsWhatItsRunsHeld() throws IOException {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      int left = 1 + random.nextInt(20);
      int right = 1 + random.nextInt(20);
      Map<IpAddress, int[]> first = hosts(random, random.nextInt(800), left);
      Map<IpAddress, int[]> second = hosts(random, random.nextInt(800), right);
      HostRun a = HostRun.open(write(first, left), ARCHIVE);
      HostRun b = HostRun.open(write(second, right), ARCHIVE);
      // The last segment of the second run is gone; numbers of the first come after the others.
      int[] ofSecond = new int[right];
      int[] ofFirst = new int[left];
      List<SealedSegment> named = new ArrayList<>();
      for (int s = 0; s < right; s++) {
        ofSecond[s] = s < right - 1 ? s : -1;
      }
      for (int s = 0; s < left; s++) {
        ofFirst[s] = right - 1 + s;
      }
      Map<IpAddress, int[]> both = new TreeMap<>();
      int total = left + right - 1;
      first.forEach(
          (x, roles) ->
              System.arraycopy(
                  roles, 0, both.computeIfAbsent(x, k -> new int[total]), right - 1, left));
      second.forEach(
          (x, roles) ->
              System.arraycopy(
                  roles, 0, both.computeIfAbsent(x, k -> new int[total]), 0, right - 1));
      both.values().removeIf(roles -> java.util.Arrays.stream(roles).allMatch(r -> r == 0));
      for (int s = 0; s < total; s++) {
        named.add(segment(s));
      }
      Path file = directory.resolve(UUID.randomUUID() + ".hosts");
      try (HostRunWriter writer = new HostRunWriter(file, ARCHIVE)) {
        HostMerge.merge(
            List.of(
                new HostMerge.Input(a.stream(), ofFirst),
                new HostMerge.Input(b.stream(), ofSecond)),
            writer);
        writer.finish(named);
      }
      assertArrayEquals(
          Files.readAllBytes(write(both, total)), Files.readAllBytes(file), "seed " + seed);
    }
  }

  @Test
  void bytesThatCarryTheRightChecksumsAreCheckedAllTheSame() throws IOException {
    Random random = new Random(11);
    Map<IpAddress, int[]> hosts = hosts(random, 300, 9);
    byte[] sound = Files.readAllBytes(write(hosts, 9));
    int[] positions = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
      byte[] hurt = sound.clone();
      int flips = 1 + random.nextInt(3);
      for (int f = 0; f < flips; f++) {
        int at =
            random.nextBoolean()
                ? random.nextInt(hurt.length)
                : hurt.length - 1 - random.nextInt(60);
        hurt[at] = (byte) random.nextInt(256);
      }
      repair(hurt);
      Path file = directory.resolve("hurt" + i + ".hosts");
      Files.write(file, hurt);
      try {
        HostRun run = HostRun.open(file, ARCHIVE);
        try {
          AddressRanges.Range all =
              new AddressRanges.Range(new IpAddress(0, 0), new IpAddress(-1, -1));
          run.mark(all, 3, positions, new BitSet(), 1 << 20);
          HostStream stream = run.stream();
          while (stream.next()) {
            assertTrue(stream.count() > 0);
          }
        } finally {
          run.release();
        }
      } catch (SegmentCorruptException | ForeignRunException e) {
        refused++;
      }
      Files.delete(file);
    }
    assertTrue(refused > 500 && refused < 3000, refused + " refused");
  }

  @Test
  void moreSegmentsThanTheBytesHoldAreRefusedByTheirNumber() throws IOException {
    byte[] sound = Files.readAllBytes(write(hosts(new Random(5), 300, 9), 9));
    int tail = sound.length - HostRunFormat.FRAME.tailBytes();
    // Nine ids of two letters take 63 bytes; eleven segments take 66 at least.
    for (int count : new int[] {11, 64, Integer.MAX_VALUE, -1}) {
      byte[] hurt = sound.clone();
      ByteBuffer.wrap(hurt).order(ByteOrder.LITTLE_ENDIAN).putInt(tail + 20, count);
      repair(hurt);
      Path file = Files.write(directory.resolve(count + ".hosts"), hurt);
      SegmentCorruptException e =
          assertThrows(SegmentCorruptException.class, () -> HostRun.open(file, ARCHIVE).release());
      assertTrue(e.getMessage().contains(" blocks and " + count + " segments in "), e.toString());
    }
  }

  /** Corrects the checksums of blocks and of the tail, if their places in the file are sound. */
  static void repair(byte[] bytes) {
    ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int tail = bytes.length - HostRunFormat.FRAME.tailBytes();
    int blocks = file.getInt(tail + 16);
    int index = tail - file.getInt(tail + 32);
    if (index < 0 || index > tail) {
      return;
    }
    for (int b = 0; b < blocks && index + 24 * (b + 1) <= tail; b++) {
      int from = file.getInt(index + 24 * b + 16);
      int to =
          b + 1 < blocks && index + 24 * (b + 2) <= tail ? file.getInt(index + 24 * b + 40) : index;
      if (from >= 0 && from <= to && to <= bytes.length) {
        file.putInt(index + 24 * b + 20, crc(bytes, from, to));
      }
    }
    file.putInt(bytes.length - 12, crc(bytes, index, bytes.length - 12));
  }

  private static int crc(byte[] bytes, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, to - from);
    return (int) crc.getValue();
  }

  @Test
  void aRunOfAnotherArchiveIsRefused() throws IOException {
    Path file = write(hosts(new Random(3), 10, 2), 2);
    SegmentCorruptException e =
        assertThrows(
            SegmentCorruptException.class, () -> HostRun.open(file, new UUID(9, 9)).release());
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
  }
}

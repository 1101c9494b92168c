package org.flowmon.archive.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeKey;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeenHostsTest {
  @TempDir Path directory;

  private static boolean isKnown(FlowBatch batch, FlowColumn column, int row) {
    long[] word = new long[1];
    batch.readValidity(column, row, 1, word);
    return (word[0] & 1) != 0;
  }

  private static long number(FlowBatch batch, FlowColumn column, int row) {
    long[] value = new long[1];
    batch.readLongs(column, row, 1, value);
    return value[0];
  }

  private static boolean is(FlowBatch batch, FlowColumn column, int row, IpAddress address) {
    long[] high = new long[1];
    long[] low = new long[1];
    batch.readAddresses(column, row, 1, high, low);
    return isKnown(batch, column, row) && high[0] == address.hi() && low[0] == address.lo();
  }

  /** The last time in [from, before) by a scan of all rows. */
  private static long last(
      List<FlowBatch> flows, IpAddress address, long from, long before, long asOf) {
    long last = LastSeen.NEVER;
    for (FlowBatch batch : flows) {
      for (int row = 0; row < batch.rows(); row++) {
        long arrival = number(batch, FlowColumn.ARRIVAL, row);
        if (arrival <= asOf
            && (is(batch, FlowColumn.SRC_ADDR, row, address)
                || is(batch, FlowColumn.DST_ADDR, row, address))) {
          long time =
              isKnown(batch, FlowColumn.END_TIME, row)
                  ? TimeKey.of(number(batch, FlowColumn.END_TIME, row), arrival)
                  : arrival;
          last = time >= from && time < before ? Math.max(last, time) : last;
        }
      }
    }
    return last;
  }

  private static IpAddress address(Random random) {
    int host = (int) Math.min(3000, 1 / Math.pow(random.nextDouble(), 1.3));
    return switch (random.nextInt(3)) {
      case 0 -> IpAddress.ofIpv4(0x0A00_0000 + host * 37);
      case 1 -> IpAddress.ofIpv4(0xC000_0200 + host);
      default -> new IpAddress(0x2001_0db8_0000_0000L + host / 64, host);
    };
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4, 7, 10})
  void lastSeenIsWhatGoingOverAllRowsSays(long seed) throws IOException {
    Random random = new Random(seed);
    Traffic traffic = new Traffic(seed, true, 0.1);
    List<FlowBatch> flows = new ArrayList<>();
    int seen = 0;
    int seenWithin = 0;
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < 12; s++) {
        double from = random.nextDouble() * 0.9;
        List<FlowBatch> batches = traffic.batches(1 + random.nextInt(1500), from, from + 0.1);
        flows.addAll(batches);
        SealedSegment segment = Traffic.commit(archive, batches);
        if (s == 5) {
          archive.updateDirectory(false, () -> false);
        } else if (s == 8) {
          Files.delete(archive.segmentsDirectory().resolve(segment.indexFileName()));
        }
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (int q = 0; q < 40; q++) {
          List<IpAddress> asked = List.of(address(random), address(random), address(random));
          long asOf =
              random.nextInt(3) == 0
                  ? Long.MAX_VALUE
                  : Traffic.BEGIN + (long) (random.nextDouble() * 11 * Traffic.DAY);
          SeenAnswer answer = SeenHosts.ask(List.of(snapshot), asked, Traffic.BEGIN, asOf);
          for (int a = 0; a < asked.size(); a++) {
            long expected = last(flows, asked.get(a), Long.MIN_VALUE, Long.MAX_VALUE, asOf);
            String context = "seed " + seed + ", " + asked.get(a) + " as of " + asOf;
            assertEquals(new LastSeen(asked.get(a), expected), answer.hosts().get(a), context);
            seen += expected == LastSeen.NEVER ? 0 : 1;
          }
          long before = Traffic.BEGIN + (long) (random.nextDouble() * 11 * Traffic.DAY);
          long from = before - (long) (random.nextDouble() * 4 * Traffic.DAY);
          List<LastSeen> within =
              SeenHosts.last(List.of(snapshot), asked, from, before, asOf, () -> {});
          for (int a = 0; a < asked.size(); a++) {
            long expected = last(flows, asked.get(a), from, before, asOf);
            assertEquals(
                new LastSeen(asked.get(a), expected),
                within.get(a),
                "seed " + seed + ", in " + from + " … " + before + " as of " + asOf);
            seenWithin += expected == LastSeen.NEVER ? 0 : 1;
          }
        }
      }
    }
    assertTrue(seen > 20 && seen < 120, "seed " + seed + ": " + seen);
    assertTrue(seenWithin > 5 && seenWithin < seen, "seed " + seed + ": " + seenWithin);
  }

  @Test
  void addressesThatNeverWereOpenNoSegmentAndHistoryThatIsShorterIsPartial() throws IOException {
    Traffic traffic = new Traffic(1, false, 0);
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        SeenAnswer empty =
            SeenHosts.ask(
                List.of(snapshot), List.of(IpAddress.parse("10.0.0.1")), 0, Long.MAX_VALUE);
        assertTrue(empty.isPartial());
        assertFalse(empty.hosts().get(0).isEver());
      }
      for (int s = 0; s < 10; s++) {
        Traffic.commit(archive, traffic.batches(100, s / 10.0, (s + 1) / 10.0));
      }
      archive.updateDirectory(false, () -> false);
      List<IpAddress> absent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        absent.add(IpAddress.ofIpv4(0xCB00_7100 + i));
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        long through = snapshot.historyThrough();
        SeenAnswer within =
            SeenHosts.ask(List.of(snapshot), absent, snapshot.historyFrom(), through);
        assertEquals(0, within.segmentsRead());
        assertEquals(List.of(), within.missing());
        SeenAnswer longer =
            SeenHosts.ask(List.of(snapshot), absent, Traffic.BEGIN - Traffic.DAY, through);
        assertTrue(longer.missing().get(0).startsWith("history begins at"), longer.toString());
        assertTrue(SeenHosts.ask(List.of(snapshot), absent, Traffic.NOW, through + 1).isPartial());
      }
    }
  }

  @Test
  void nobodyWaitsOrTheTimeIsOver() throws IOException {
    Traffic traffic = new Traffic(1, false, 0);
    List<IpAddress> asked = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      asked.add(IpAddress.ofIpv4(0xCB00_7100 + i));
    }
    AtomicInteger looks = new AtomicInteger();
    QueryOptions untilGone = QueryOptions.DEFAULTS.withIsGone(() -> looks.incrementAndGet() > 10);
    QueryOptions late = QueryOptions.DEFAULTS.withTimeLimit(Duration.ZERO);
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, traffic.batches(100, 0, 1));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        List<ArchiveSnapshot> all = List.of(snapshot);
        assertThrows(
            QueryCancelledException.class,
            () -> SeenHosts.ask(all, asked, Traffic.BEGIN, Long.MAX_VALUE, untilGone));
        assertEquals(11, looks.get(), "it looks for each address, and ends at once");
        assertThrows(
            QueryTimeoutException.class,
            () -> SeenHosts.ask(all, asked, Traffic.BEGIN, Long.MAX_VALUE, late));
      }
    }
  }
}

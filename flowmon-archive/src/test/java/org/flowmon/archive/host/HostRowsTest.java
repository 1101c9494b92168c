package org.flowmon.archive.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of addresses are those that a query of the address finds. */
class HostRowsTest {
  private static final Constraints ANY = Constraints.of(null);

  @TempDir Path directory;

  private static IpAddress address(Random random) {
    int host = (int) Math.min(3000, 1 / Math.pow(random.nextDouble(), 1.3));
    return switch (random.nextInt(3)) {
      case 0 -> IpAddress.ofIpv4(0x0A00_0000 + host * 37);
      case 1 -> IpAddress.ofIpv4(0xC000_0200 + host);
      default -> new IpAddress(0x2001_0db8_0000_0000L + host / 64, host);
    };
  }

  /** The arrivals of rows, sorted, of each address. */
  private static final class Arrivals implements HostRows.Sink {
    final List<List<Long>> ofAddress = new ArrayList<>();
    private final long[] value = new long[1];

    Arrivals(int addresses) {
      for (int i = 0; i < addresses; i++) {
        ofAddress.add(new ArrayList<>());
      }
    }

    @Override
    public void rows(SegmentReader segment, int[] rows, int[] places, int n) {
      for (int i = 0; i < n; i++) {
        assertTrue(i == 0 || rows[i - 1] < rows[i], "rows ascend");
        segment.readLongs(FlowColumn.ARRIVAL, rows[i], 1, value);
        ofAddress.get(places[i]).add(value[0]);
      }
    }
  }

  private static List<Long> queried(
      ArchiveSnapshot snapshot, FlowColumn column, IpAddress address, String and)
      throws IOException {
    String query =
        "SELECT arrival FROM flows WHERE "
            + column.sqlName()
            + " = '"
            + address
            + "'"
            + and
            + " ORDER BY arrival";
    ResultTable table =
        ArchiveQuery.run(snapshot, QueryParser.parseQuery(query), QueryOptions.DEFAULTS).table();
    List<Long> arrivals = new ArrayList<>();
    for (int row = 0; row < table.rowCount(); row++) {
      arrivals.add(table.lows(0)[row]);
    }
    return arrivals;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void rowsOfAddressesAreThoseOfAQuery(long seed) throws IOException {
    Random random = new Random(seed);
    Traffic traffic = new Traffic(seed, true, 0.1);
    int found = 0;
    int absent = 0;
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < 8; s++) {
        Traffic.commit(archive, traffic.batches(1 + random.nextInt(3000), s / 8.0, (s + 1) / 8.0));
        if (s == 2 + seed) {
          archive.updateDirectory(false, () -> false);
        }
      }
      RetentionOptions limits = new RetentionOptions(6000, 6000, 0, 0);
      archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(limits), "test"));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        assertTrue(snapshot.storedRows() > snapshot.rows(), "some rows have expired");
        for (FlowColumn column : List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR)) {
          Set<IpAddress> different = new HashSet<>();
          while (different.size() < 60) {
            different.add(address(random));
          }
          List<IpAddress> asked = List.copyOf(different);
          Arrivals arrivals = new Arrivals(asked.size());
          assertTrue(HostRows.find(snapshot, column, asked, ANY, arrivals));
          for (int i = 0; i < asked.size(); i++) {
            List<Long> own = arrivals.ofAddress.get(i);
            Collections.sort(own);
            assertEquals(
                queried(snapshot, column, asked.get(i), ""),
                own,
                "seed " + seed + ": " + column.sqlName() + " " + asked.get(i));
            found += own.size();
            absent += own.isEmpty() ? 1 : 0;
          }
        }
      }
    }
    assertTrue(found > 100 && absent > 5, found + " rows, " + absent + " absent addresses");
  }

  @Test
  void segmentsOutsideTheTimesAreLeftOut() throws IOException {
    Traffic traffic = new Traffic(5, false, 0);
    IpAddress busy = IpAddress.ofIpv4(0xC000_0201);
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, traffic.batches(1000, 0, 0.4));
      Traffic.commit(archive, traffic.batches(1000, 0.6, 1));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        String middle = FlowTime.text(Traffic.BEGIN + 5 * Traffic.DAY);
        String late = " AND end_time >= TIMESTAMP '" + middle + "'";
        FlowQuery query =
            (FlowQuery)
                QueryParser.parseQuery(
                    "SELECT arrival FROM flows WHERE" + late.substring(" AND".length()));
        Arrivals arrivals = new Arrivals(1);
        assertTrue(
            HostRows.find(
                snapshot,
                FlowColumn.SRC_ADDR,
                List.of(busy),
                Constraints.of(query.where()),
                arrivals));
        List<Long> expected = queried(snapshot, FlowColumn.SRC_ADDR, busy, late);
        assertFalse(expected.isEmpty());
        assertEquals(expected, arrivals.ofAddress.get(0).stream().sorted().toList());
      }
    }
  }

  @Test
  void withoutASidecarAQueryHasToAnswer() throws IOException {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      SealedSegment segment = Traffic.commit(archive, new Traffic(6, false, 0).batches(100, 0, 1));
      Files.delete(archive.segmentsDirectory().resolve(segment.indexFileName()));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        IpAddress any = IpAddress.ofIpv4(0xC000_0201);
        assertFalse(
            HostRows.find(snapshot, FlowColumn.SRC_ADDR, List.of(any), ANY, new Arrivals(1)));
      }
    }
  }

  @Test
  void aColumnWithoutPostingListsIsAQuerysUnlessItIsAbsent() throws IOException {
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      Traffic.commit(archive, new Traffic(7, false, 0).batches(100, 0, 1));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        List<IpAddress> any = List.of(IpAddress.ofIpv4(0xC000_0201));
        Arrivals arrivals = new Arrivals(1);
        assertTrue(HostRows.find(snapshot, FlowColumn.EXPORTER, any, ANY, arrivals));
        assertEquals(List.of(List.of()), arrivals.ofAddress);
      }
    }
  }
}

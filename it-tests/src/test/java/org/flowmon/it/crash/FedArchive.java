package org.flowmon.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;

/** What an archive that {@link ArchiveFeeder}s fill must answer, from the plain rows. */
final class FedArchive {
  /** How far the sources are committed. */
  record Reach(int partition, int files) {
    static Reach of(ArchiveSnapshot snapshot) {
      int partition = (int) Math.max(0, snapshot.committedEnd(ArchiveFeeder.PARTITION));
      return new Reach(partition, ArchiveFeeder.files(snapshot));
    }

    boolean isAtLeast(Reach other) {
      return partition >= other.partition && files >= other.files;
    }
  }

  private static final Comparator<FedFlows.Row> NEWEST_FIRST =
      Comparator.comparingLong(FedFlows.Row::key).reversed();

  private final FedFlows flows;
  private final int kept;
  private final int slack;
  private final List<List<FedFlows.Row>> partition = new ArrayList<>();
  private final List<List<FedFlows.Row>> files = new ArrayList<>();

  FedArchive(FedFlows flows, int kept, int slack) {
    this.flows = flows;
    this.kept = kept;
    this.slack = slack;
  }

  private static void grow(
      List<List<FedFlows.Row>> rows, FedFlows flows, FedFlows.Source source, int batches) {
    while (rows.size() < batches) {
      rows.add(flows.rows(source, rows.size()));
    }
  }

  private Map<Long, FedFlows.Row> committed(Reach reach) {
    grow(partition, flows, FedFlows.Source.PARTITION, reach.partition);
    grow(files, flows, FedFlows.Source.FILES, reach.files);
    Map<Long, FedFlows.Row> rows = new HashMap<>();
    partition.subList(0, reach.partition).forEach(b -> b.forEach(r -> rows.put(r.serial(), r)));
    files.subList(0, reach.files).forEach(b -> b.forEach(r -> rows.put(r.serial(), r)));
    return rows;
  }

  /**
   * Everything that must hold of a state.
   *
   * @param acknowledged what must be part of it
   * @return serial numbers of the visible rows
   */
  Set<Long> check(ArchiveSnapshot snapshot, Reach acknowledged, String context) throws IOException {
    Reach reach = Reach.of(snapshot);
    String at = context + ", commit " + snapshot.number() + ", " + reach;
    assertTrue(reach.isAtLeast(acknowledged), at + " lacks what was acknowledged: " + acknowledged);
    Map<Long, FedFlows.Row> committed = committed(reach);
    long stored = snapshot.segments().stream().mapToLong(SealedSegment::rows).sum();
    assertEquals(stored, snapshot.storedRows(), at);
    assertTrue(stored <= kept + slack, at + " stores " + stored);
    assertEquals(Math.min(kept, committed.size()), snapshot.rows(), at);
    List<FedFlows.Row> visible = visible(snapshot, committed, at);
    assertEquals(snapshot.rows(), visible.size(), at);
    // Of flows of one time any may be those that are left, but as many as there is room for.
    assertEquals(
        keys(committed.values().stream().sorted(NEWEST_FIRST).limit(kept).toList()),
        keys(visible),
        at);
    assertEquals(bySource(visible), askedBySource(snapshot), at);
    Set<Long> serials = new HashSet<>();
    visible.forEach(row -> serials.add(row.serial()));
    return serials;
  }

  private static List<Long> keys(List<FedFlows.Row> rows) {
    return rows.stream().map(FedFlows.Row::key).sorted().toList();
  }

  /** The rows that a query of all finds, each once and as it was fed. */
  private static List<FedFlows.Row> visible(
      ArchiveSnapshot snapshot, Map<Long, FedFlows.Row> committed, String at) throws IOException {
    ResultTable table =
        ask(snapshot, "SELECT bytes, end_time, arrival, src_addr, packets FROM flows");
    List<FedFlows.Row> visible = new ArrayList<>();
    Set<Long> serials = new HashSet<>();
    for (int i = 0; i < table.rowCount(); i++) {
      FedFlows.Row found =
          new FedFlows.Row(
              table.longValue(i, 0),
              table.isNull(i, 1) ? null : (Long) table.longValue(i, 1),
              table.longValue(i, 2),
              table.isNull(i, 3) ? null : table.address(i, 3),
              table.isNull(i, 4) ? null : (Long) table.longValue(i, 4));
      assertTrue(serials.add(found.serial()), at + " has twice " + found);
      assertEquals(committed.get(found.serial()), found, at);
      visible.add(found);
    }
    return visible;
  }

  private static ResultTable ask(ArchiveSnapshot snapshot, String query) throws IOException {
    return ArchiveQuery.run(snapshot, QueryParser.parse(query), QueryOptions.DEFAULTS).table();
  }

  /** Flows and packets of each source, by sums or rows. */
  private static Map<String, List<Long>> askedBySource(ArchiveSnapshot snapshot)
      throws IOException {
    ResultTable table =
        ask(snapshot, "SELECT src_addr, COUNT(*), SUM(packets) FROM flows GROUP BY src_addr");
    Map<String, List<Long>> sums = new TreeMap<>();
    for (int i = 0; i < table.rowCount(); i++) {
      sums.put(
          String.valueOf(table.isNull(i, 0) ? null : table.address(i, 0)),
          List.of(table.longValue(i, 1), table.isNull(i, 2) ? 0 : table.longValue(i, 2)));
    }
    return sums;
  }

  private static Map<String, List<Long>> bySource(List<FedFlows.Row> rows) {
    Map<String, List<Long>> sums = new TreeMap<>();
    for (FedFlows.Row row : rows) {
      sums.merge(
          String.valueOf(row.source()),
          List.of(1L, row.packets() == null ? 0 : row.packets()),
          (a, b) -> List.of(a.get(0) + b.get(0), a.get(1) + b.get(1)));
    }
    return sums;
  }
}

package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results of functions over history are within their error bounds of the rows' exact values. */
class FunctionHistoryTest {
  private static final int SEGMENTS = 3;
  private static final int ROWS = 14_000; // of a segment
  private static final double[] SHARES = {0.5, 0.95, 0.99};

  @TempDir Path directory;

  private Archive archive;
  private final List<FlowBatch> flows = new ArrayList<>();

  private void fill(String name, long seed, boolean ipv6, double unknown) throws IOException {
    archive = Archive.create(directory.resolve(name), ArchiveOptions.DEFAULTS);
    flows.clear();
    Traffic traffic = new Traffic(seed, ipv6, unknown);
    for (int s = 0; s < SEGMENTS; s++) {
      List<FlowBatch> batches = traffic.batches(ROWS, (double) s / SEGMENTS, (s + 1.0) / SEGMENTS);
      Traffic.commit(archive, batches);
      flows.addAll(batches);
    }
  }

  /** The exact values of a group. */
  private static final class Group {
    private final List<Long> bytes = new ArrayList<>();
    private final Set<Object> targets = new HashSet<>();
    private final Map<Object, Long> ports = new HashMap<>();
    private long rows;
  }

  private static Object key(FlowBatch batch, FlowColumn column, int row) {
    if (batch.isNull(column, row)) {
      return null;
    }
    return column == FlowColumn.SRC_ADDR || column == FlowColumn.DST_ADDR
        ? batch.getAddress(column, row)
        : (Object) batch.getLong(column, row);
  }

  private Map<Object, Group> groups(FlowColumn by, String source) {
    Map<Object, Group> groups = new HashMap<>();
    for (FlowBatch batch : flows) {
      for (int r = 0; r < batch.rows(); r++) {
        Object src = key(batch, FlowColumn.SRC_ADDR, r);
        if (source != null && (src == null || !source.equals(src.toString()))) {
          continue;
        }
        Group group = groups.computeIfAbsent(key(batch, by, r), k -> new Group());
        group.rows++;
        if (!batch.isNull(FlowColumn.BYTES, r)) {
          group.bytes.add(batch.getLong(FlowColumn.BYTES, r));
        }
        Object target = key(batch, FlowColumn.DST_ADDR, r);
        if (target != null) {
          group.targets.add(target);
        }
        Object port = key(batch, FlowColumn.DST_PORT, r);
        if (port != null) {
          group.ports.merge(port, 1L, Long::sum);
        }
      }
    }
    groups.values().forEach(group -> Collections.sort(group.bytes));
    return groups;
  }

  @Test
  void answersOfEveryWayThroughTheArchiveAreWithinTheirBounds() throws IOException {
    for (long seed = 1; seed <= 2; seed++) {
      fill("archive" + seed, seed, seed == 2, seed == 2 ? 0.1 : 0);
      ArchiveSnapshot snapshot = archive.snapshot();
      for (FlowColumn by : List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR, FlowColumn.PROTOCOL)) {
        for (String source : new String[] {null, "192.0.2.1"}) {
          for (int threads : new int[] {1, 2, 4}) {
            check(snapshot, by, source, threads, "seed " + seed);
          }
        }
      }
    }
  }

  private void check(ArchiveSnapshot snapshot, FlowColumn by, String source, int threads, String at)
      throws IOException {
    StringBuilder sql = new StringBuilder("SELECT " + by.sqlName());
    sql.append(", COUNT(*) AS n, SUM(bytes) AS b, QUANTILES(bytes, 0.02) AS q, COUNT(q) AS c");
    sql.append(
        ", CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr)) AS d, LOWER(d) AS dl, UPPER(d) AS du");
    sql.append(", TOTAL(HEAVY_HITTERS(dst_port)) AS t");
    for (int s = 0; s < SHARES.length; s++) {
      String value = "QUANTILE(q, " + SHARES[s] + ")";
      sql.append(", " + value + " AS v" + s + ", LOWER(v" + s + "), UPPER(v" + s + ")");
    }
    sql.append(" FROM flows");
    sql.append(source == null ? "" : " WHERE src_addr = '" + source + "'");
    sql.append(" GROUP BY " + by.sqlName());
    FlowQuery query = QueryParser.parse(sql.toString());
    QueryOptions options = QueryOptions.DEFAULTS.withThreads(threads).withPieceRows(4096);
    ResultTable answer = ArchiveQuery.run(snapshot, query, options).table();
    Map<Object, Group> exact = groups(by, source);
    String where = at + ", " + threads + " threads, " + query + ", row ";
    assertEquals(exact.size(), answer.rowCount(), where);
    for (int row = 0; row < answer.rowCount(); row++) {
      boolean isAddress = by != FlowColumn.PROTOCOL;
      Object key =
          answer.isNull(row, 0)
              ? null
              : isAddress ? answer.address(row, 0) : (Object) answer.longValue(row, 0);
      Group group = exact.get(key);
      int n = group.bytes.size();
      assertEquals(group.rows, answer.longValue(row, 1), where + row);
      assertEquals(
          group.bytes.stream().mapToLong(b -> b).sum(),
          n == 0 ? 0 : answer.longValue(row, 2),
          where + row);
      assertEquals(n, answer.longValue(row, 4), where + row);
      // The bounds of counts hold with 95%: those of more values than are kept are tripled.
      long targets = group.targets.size();
      long slack = targets <= 512 ? 0 : answer.longValue(row, 7) - answer.longValue(row, 6);
      assertTrue(answer.longValue(row, 6) - slack <= targets, where + row);
      assertTrue(answer.longValue(row, 7) + slack >= targets, where + row);
      assertEquals(
          group.ports.values().stream().mapToLong(p -> p).sum(),
          answer.longValue(row, 8),
          where + row);
      for (int s = 0; s < SHARES.length && n > 0; s++) {
        int rank = (int) Math.max(1, Math.ceil(SHARES[s] * n));
        long truth = group.bytes.get(rank - 1);
        long value = answer.longValue(row, 9 + 3 * s);
        assertTrue(answer.longValue(row, 10 + 3 * s) <= truth, where + row);
        assertTrue(answer.longValue(row, 11 + 3 * s) >= truth, where + row);
        int below = (int) group.bytes.stream().filter(b -> b < value).count();
        int upTo = (int) group.bytes.stream().filter(b -> b <= value).count();
        assertTrue(below - 0.02 * n < rank && rank <= upTo + 0.02 * n, where + row);
      }
    }
  }
}

package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowFormatException;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches of any bytes: one that can be opened can be sealed, and queries are right. */
class HostileBatchTest {
  private static final long SEED = 20261123;
  private static final int ROUNDS = 400;
  private static final List<FlowColumn> KEYS =
      List.of(
          FlowColumn.OUTGOING,
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.PROTOCOL,
          FlowColumn.SRC_AS,
          FlowColumn.END_TIME,
          FlowColumn.SERVICE);

  @TempDir private Path directory;

  @Test
  void aChangedBatchThatOpensIsSealedAndAnsweredAsItReads() throws Exception {
    int taken = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long seed = SEED + round;
      Random random = new Random(seed);
      byte[] bytes =
          new Traffic(seed % 20, round % 2 == 0, 0.1).batches(80, 0.5, 0.6).get(0).bytes();
      for (int changes = 1 + random.nextInt(2); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      FlowBatch batch;
      try {
        batch = FlowBatch.open(bytes);
      } catch (FlowFormatException refused) {
        continue;
      }
      if (batch.rows() > 0) {
        taken++;
        assertAnsweredAsItReads(batch, "seed " + seed);
      }
    }
    assertTrue(taken > ROUNDS / 5, "only " + taken + " of " + ROUNDS + " opened");
  }

  private void assertAnsweredAsItReads(FlowBatch batch, String seed) throws Exception {
    try (Archive archive = Archive.openOrCreate(directory.resolve(seed), ArchiveOptions.DEFAULTS)) {
      SealedSegment sealed =
          archive.seal(archive.newSegmentWriter(), List.of(batch), Provenance.NONE);
      archive.commit(
          ArchiveCommit.ofRanges(
              List.of(sealed), List.of(new SourceRange("t:0", 0, 1, 0)), "test"));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (FlowColumn key : KEYS) {
          String where = seed + ", by " + key.sqlName();
          assertEquals(grouped(batch, key), grouped(snapshot, key), where);
        }
      }
    }
  }

  /** Rows, bytes and packets by the values of a column, read one by one. */
  private static Map<String, String> grouped(FlowBatch batch, FlowColumn key) {
    Map<String, BigInteger[]> groups = new TreeMap<>();
    for (int row = 0; row < batch.rows(); row++) {
      BigInteger[] group =
          groups.computeIfAbsent(
              text(batch, key, row), any -> new BigInteger[] {BigInteger.ZERO, null, null});
      group[0] = group[0].add(BigInteger.ONE);
      group[1] = plus(group[1], batch, FlowColumn.BYTES, row);
      group[2] = plus(group[2], batch, FlowColumn.PACKETS, row);
    }
    Map<String, String> texts = new TreeMap<>();
    groups.forEach((value, group) -> texts.put(value, group[0] + " " + group[1] + " " + group[2]));
    return texts;
  }

  private static String text(FlowBatch batch, FlowColumn key, int row) {
    if (batch.isNull(key, row)) {
      return "null";
    }
    return switch (key.type()) {
      case ADDRESS -> batch.getAddress(key, row).toString();
      case TEXT -> batch.text(key, row);
      default -> Long.toString(batch.getLong(key, row));
    };
  }

  private static BigInteger plus(BigInteger sum, FlowBatch batch, FlowColumn column, int row) {
    if (batch.isNull(column, row)) {
      return sum;
    }
    BigInteger value = BigInteger.valueOf(batch.getLong(column, row));
    return sum == null ? value : sum.add(value);
  }

  private static Map<String, String> grouped(ArchiveSnapshot snapshot, FlowColumn key)
      throws Exception {
    String sql =
        "SELECT %s AS k, COUNT(*) AS n, SUM(bytes) AS b, SUM(packets) AS p FROM flows GROUP BY k"
            .formatted(key.sqlName());
    ResultTable table =
        ArchiveQuery.run(snapshot, QueryParser.parse(sql), QueryOptions.DEFAULTS).table();
    Map<String, String> texts = new TreeMap<>();
    for (int row = 0; row < table.rowCount(); row++) {
      StringBuilder sums = new StringBuilder();
      for (int c = 1; c < 4; c++) {
        sums.append(c > 1 ? " " : "")
            .append(table.isNull(row, c) ? "null" : table.bigValue(row, c).toString());
      }
      texts.put(text(table, row, key), sums.toString());
    }
    return texts;
  }

  private static String text(ResultTable table, int row, FlowColumn key) {
    if (table.isNull(row, 0)) {
      return "null";
    }
    return switch (key.type()) {
      case ADDRESS -> table.address(row, 0).toString();
      case TEXT -> table.text(row, 0);
      default -> Long.toString(table.low(row, 0));
    };
  }
}

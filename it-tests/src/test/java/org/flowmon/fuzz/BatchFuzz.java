package org.flowmon.fuzz;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowFormatException;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;

/**
 * A message of the topic of flows. What opens must go through all that follows: it is sealed, asked
 * and grouped, and the answers are those of reading its rows one by one.
 */
final class BatchFuzz implements FuzzTarget {
  private static final FlowQuery BY_SOURCE =
      QueryParser.parse(
          "SELECT src_addr, COUNT(*) AS flows, SUM(bytes) AS bytes FROM flows GROUP BY src_addr");
  private static final List<FlowQuery> OTHERS =
      List.of(
          QueryParser.parse("SELECT * FROM flows ORDER BY end_time"),
          QueryParser.parse(
              "SELECT outgoing, service, state, COUNT(*), MAX(end_time), MIN(start_time)"
                  + " FROM flows GROUP BY outgoing, service, state"),
          QueryParser.parse(
              "SELECT TIME_BUCKET(end_time, INTERVAL '1' HOUR) AS hour, SUM(packets),"
                  + " SUM(reverse_bytes), COUNT(DISTINCT dst_addr) FROM flows GROUP BY hour"));
  private static final int HEADER_ROWS_AT = 8;
  private static final WindowSpec WINDOW = WindowSpec.tumbling(60_000_000L, 10_000_000L);

  @Override
  public String name() {
    return "batch";
  }

  @Override
  public String about() {
    return "a flow batch from Kafka: opened, sealed, asked, grouped live; equal to its rows";
  }

  @Override
  public List<byte[]> seeds() {
    return LongStream.range(1, 9)
        .mapToObj(seed -> FuzzFlows.batch(seed, (int) seed).bytes())
        .toList();
  }

  @Override
  public long allocationLimit(byte[] input) {
    return (48L << 20) + 64L * size(input); // an archive is made and written
  }

  /** Bytes of the input, and 32 for each row: columns of one value have none for their rows. */
  private static long size(byte[] input) {
    int rows = input.length < HEADER_ROWS_AT + Integer.BYTES ? 0 : rows(input);
    return input.length + 32L * Math.max(0, Math.min(FlowBatch.MAX_ROWS, rows));
  }

  private static int rows(byte[] input) {
    return ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).getInt(HEADER_ROWS_AT);
  }

  @Override
  public long cpuLimit(byte[] input) {
    return 400_000_000L + 1_000_000L * (size(input) / 1024);
  }

  @Override
  public void run(byte[] input) throws IOException {
    FlowBatch batch;
    try {
      batch = FlowBatch.open(input);
    } catch (FlowFormatException e) {
      return;
    }
    if (batch.rows() == 0) {
      return;
    }
    Map<IpAddress, BigInteger[]> expected = sums(batch);
    history(batch, expected);
    live(batch);
  }

  /** Flows and bytes by source, of reading each row. */
  private static Map<IpAddress, BigInteger[]> sums(FlowBatch batch) {
    Map<IpAddress, BigInteger[]> sums = new HashMap<>();
    for (int row = 0; row < batch.rows(); row++) {
      BigInteger[] sum =
          sums.computeIfAbsent(
              batch.getAddress(FlowColumn.SRC_ADDR, row),
              source -> new BigInteger[] {BigInteger.ZERO, null});
      sum[0] = sum[0].add(BigInteger.ONE);
      if (!batch.isNull(FlowColumn.BYTES, row)) {
        BigInteger bytes = BigInteger.valueOf(batch.getLong(FlowColumn.BYTES, row));
        sum[1] = sum[1] == null ? bytes : sum[1].add(bytes);
      }
    }
    return sums;
  }

  private static void history(FlowBatch batch, Map<IpAddress, BigInteger[]> expected)
      throws IOException {
    try (ScratchFolder folder = new ScratchFolder();
        Archive archive = Archive.create(folder.path().resolve("a"), ArchiveOptions.DEFAULTS)) {
      archive.commit(
          ArchiveCommit.ofRanges(
              List.of(
                  archive.seal(
                      archive.newSegmentWriter(), List.of(batch), Provenance.of("fuzz", "1"))),
              List.of(new SourceRange("fuzz:0", 0, 1, batch.maxArrival())),
              "fuzz"));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (boolean rollups : new boolean[] {true, false}) {
          QueryOptions options = QueryOptions.DEFAULTS.withRollups(rollups);
          check(expected, ArchiveQuery.run(snapshot, BY_SOURCE, options).table());
        }
        for (FlowQuery query : OTHERS) {
          ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
        }
      }
    }
  }

  private static void check(Map<IpAddress, BigInteger[]> expected, ResultTable table) {
    ExportsFuzz.require(
        table.rowCount() == expected.size(), table.rowCount() + " of " + expected.size());
    for (int row = 0; row < table.rowCount(); row++) {
      IpAddress source = table.isNull(row, 0) ? null : table.address(row, 0);
      BigInteger[] sum = expected.get(source);
      ExportsFuzz.require(sum != null, "no flow is of " + source);
      ExportsFuzz.require(sum[0].equals(table.bigValue(row, 1)), "flows of " + source);
      ExportsFuzz.require(
          sum[1] == null ? table.isNull(row, 2) : sum[1].equals(table.bigValue(row, 2)),
          "bytes of " + source);
    }
  }

  /** Each flow is in a window, or counted as why not. */
  private static void live(FlowBatch batch) {
    List<byte[]> sent = new ArrayList<>();
    LowLevelQuery low =
        new LowLevelQuery(7, BY_SOURCE, WINDOW, 16, 4, (group, bytes) -> sent.add(bytes));
    low.process(batch);
    low.drainAll();
    long[] flows = new long[1];
    Map<Integer, WindowTables> tables = new HashMap<>();
    for (byte[] bytes : sent) {
      PartialGroups groups = PartialGroups.open(bytes);
      tables
          .computeIfAbsent(groups.keyGroup(), k -> new WindowTables(7, BY_SOURCE, WINDOW))
          .merge(groups);
    }
    for (WindowTables table : tables.values()) {
      WindowTables restored = WindowTables.fromBytes(table.toBytes(), 7, BY_SOURCE, WINDOW);
      List<WindowPart> parts = new ArrayList<>();
      restored.closeUpTo(Long.MAX_VALUE / 4, parts::add);
      parts.forEach(part -> flows[0] += part.totals().longValue(0, 0));
    }
    var counts = low.counts();
    ExportsFuzz.require(
        counts.flows() == batch.rows()
            && flows[0] == counts.counted()
            && counts.counted() + counts.late() + counts.ahead() + counts.behindWatermark()
                == batch.rows(),
        flows[0] + " flows in windows of " + batch.rows() + ": " + counts);
  }
}

package org.flowmon.archive.query;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time of the history queries over ten days of flows from 50,000 skewed sources, in segments of
 * some hours each, warm, on one thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode({Mode.AverageTime, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class ArchiveQueryBenchmark {
  private static final int SOURCES = 50_000;

  /** Flows of the archive. */
  @Param("10000000")
  public int rows;

  /** Flows of a segment. */
  @Param({"1000000", "250000"})
  public int segmentRows;

  private Path directory;
  private Archive archive;
  private ArchiveSnapshot snapshot;
  private FlowQuery elephants;
  private FlowQuery topTalkers;
  private final Random random = new Random(3);

  private static int skewed(Random random) {
    return (int) (SOURCES * Math.pow(random.nextDouble(), 3));
  }

  private static IpAddress host(int number) {
    return IpAddress.ofIpv4(0x0A00_0000 + number * 79);
  }

  /** Makes the archive. */
  @Setup
  public void setUp() throws IOException {
    directory = Files.createTempDirectory("archive-query");
    archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS);
    Random flows = new Random(1);
    FlowBatchBuilder builder = new FlowBatchBuilder(10_000);
    List<FlowBatch> batches = new ArrayList<>();
    for (long i = 0, inSegment = 0; i < rows; i++) {
      long end = Traffic.BEGIN + 10 * Traffic.DAY / rows * i;
      builder.beginRow();
      builder.set(FlowColumn.END_TIME, end + flows.nextInt(1_000_000));
      builder.set(FlowColumn.ARRIVAL, end + 2_000_000);
      builder.setAddress(FlowColumn.SRC_ADDR, host(skewed(flows)));
      builder.setAddress(FlowColumn.DST_ADDR, host(skewed(flows)));
      builder.set(FlowColumn.DST_PORT, flows.nextInt(1000));
      builder.set(FlowColumn.PROTOCOL, flows.nextInt(4) > 0 ? 6 : 17);
      builder.set(FlowColumn.BYTES, flows.nextLong() >>> (40 + flows.nextInt(20)));
      builder.set(FlowColumn.PACKETS, flows.nextInt(1000));
      builder.endRow();
      if (builder.isFull()) {
        batches.add(FlowBatch.open(builder.build(1, 0, 0, 0)));
        builder.clear();
        inSegment += 10_000;
      }
      if (inSegment >= segmentRows) {
        Traffic.commit(archive, batches);
        batches.clear();
        inSegment = 0;
      }
    }
    snapshot = archive.snapshot();
    List<Value> hundred = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      hundred.add(Value.ofAddress(host(i)));
    }
    Parameters parameters =
        Parameters.NONE.with("now", Value.ofTimestamp(Traffic.NOW)).with("live.src_addr", hundred);
    elephants =
        QueryParser.parse(
                "SELECT src_addr, DAYS_BEFORE(end_time, :now) AS day, SUM(bytes) AS bytes FROM"
                    + " flows WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 7)"
                    + " GROUP BY src_addr, DAYS_BEFORE(end_time, :now)")
            .bind(parameters);
    topTalkers =
        QueryParser.parse(
                "SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr ORDER BY bytes"
                    + " DESC LIMIT 10")
            .bind(parameters);
  }

  /** Removes the archive. */
  @TearDown
  public void tearDown() throws IOException {
    snapshot.close();
    archive.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** Bytes of the hundred largest sources in the same hour of each of seven days. */
  @Benchmark
  public QueryAnswer elephants() throws IOException {
    return ArchiveQuery.run(snapshot, elephants, QueryOptions.DEFAULTS);
  }

  /** Up to a thousand flows of an address with few flows, on either side, all columns. */
  @Benchmark
  public QueryAnswer address() throws IOException {
    return lookup(host(SOURCES / 2 + random.nextInt(SOURCES / 2)));
  }

  /** An address that no flow has. */
  @Benchmark
  public QueryAnswer absentAddress() throws IOException {
    return lookup(IpAddress.parse("203.0.113.7"));
  }

  private QueryAnswer lookup(IpAddress address) throws IOException {
    return ArchiveQuery.lookup(
        snapshot,
        new IpPrefix(address, 32),
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        1000,
        QueryOptions.DEFAULTS);
  }

  /** All flows grouped by source: a scan of everything. */
  @Benchmark
  public QueryAnswer topTalkers() throws IOException {
    return ArchiveQuery.run(snapshot, topTalkers, QueryOptions.DEFAULTS);
  }
}

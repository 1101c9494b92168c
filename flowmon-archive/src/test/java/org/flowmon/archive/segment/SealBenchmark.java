package org.flowmon.archive.segment;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Rows per second of sealing, both files synced: 250,000 rows like those of a NetFlow v5 exporter,
 * 29 columns, IPv4, skewed addresses, in order of arrival.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class SealBenchmark {
  private static final int ROWS = 250_000;
  private static final int BATCH = 1000;
  private static final long START = 1_790_000_000_000_000L;

  /** Columns of users that no flow fills. */
  @Param({"0", "50"})
  public int unfilled;

  private SegmentWriter writer;
  private List<FlowBatch> batches;
  private Path directory;

  /** Makes the flows. */
  @Setup
  public void setUp() throws IOException {
    define(unfilled);
    writer = new SegmentWriter();
    directory = Files.createTempDirectory("seal");
    batches = flows(ROWS, 1);
  }

  /** Removes the folder. */
  @TearDown
  public void tearDown() throws IOException {
    Files.delete(directory);
  }

  /** Nanoseconds per row. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public SealedSegment seal() throws IOException {
    SealedSegment sealed = writer.seal(directory, batches, Provenance.NONE);
    Files.delete(directory.resolve(sealed.fileName()));
    Files.delete(directory.resolve(sealed.indexFileName()));
    return sealed;
  }

  private static void define(int columns) {
    for (int i = 0; i < columns; i++) {
      FlowColumn.define(FlowColumn.FIRST_OWN_ID + i, "own_" + i, ColumnType.NUMBER, "");
    }
  }

  static List<FlowBatch> flows(int rows, long seed) {
    Random random = new Random(seed);
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(BATCH);
    for (int first = 0; first < rows; first += BATCH) {
      long sent = START + first * 10L;
      for (int i = first; i < Math.min(rows, first + BATCH); i++) {
        flow(builder, random, sent, i);
      }
      batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
      builder.clear();
    }
    return batches;
  }

  private static int skewed(Random random, int n) {
    return (int) (n * Math.pow(random.nextDouble(), 4));
  }

  private static void flow(FlowBatchBuilder builder, Random random, long sent, int i) {
    boolean tcp = random.nextInt(4) > 0;
    long packets = 1L + skewed(random, 2000);
    long duration = 1000L * skewed(random, 60_000);
    long end = sent - 1000L * random.nextInt(15_000);
    builder.beginRow();
    builder.set(FlowColumn.START_TIME, end - duration);
    builder.set(FlowColumn.END_TIME, end);
    builder.set(FlowColumn.ARRIVAL, sent + i / 30 * 300L);
    builder.set(FlowColumn.EXPORT_TIME, sent + i / 30 * 290L);
    builder.set(FlowColumn.DURATION, duration);
    builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A00_0000 + skewed(random, 60_000) * 97);
    builder.setIpv4(FlowColumn.DST_ADDR, 0x5000_0000 + skewed(random, 200_000) * 2003);
    builder.set(FlowColumn.SRC_PORT, 1024 + random.nextInt(64_000));
    builder.set(FlowColumn.DST_PORT, random.nextInt(3) > 0 ? 443 : skewed(random, 65_536));
    builder.set(FlowColumn.PROTOCOL, tcp ? 6 : 17);
    builder.set(FlowColumn.BYTES, packets * (40 + random.nextInt(1400)));
    builder.set(FlowColumn.PACKETS, packets);
    builder.set(FlowColumn.TCP_FLAGS, tcp ? random.nextInt(32) : 0);
    builder.set(FlowColumn.TOS, random.nextInt(8) == 0 ? 8 : 0);
    builder.set(FlowColumn.OUTGOING, random.nextInt(2));
    builder.setIpv4(FlowColumn.NEXT_HOP, 0x0A01_0001 + random.nextInt(4));
    builder.set(FlowColumn.INPUT_IF, random.nextInt(24));
    builder.set(FlowColumn.OUTPUT_IF, random.nextInt(24));
    builder.set(FlowColumn.SRC_AS, skewed(random, 8000));
    builder.set(FlowColumn.DST_AS, skewed(random, 20_000));
    builder.set(FlowColumn.SRC_MASK, 16 + random.nextInt(9));
    builder.set(FlowColumn.DST_MASK, 16 + random.nextInt(9));
    builder.setIpv4(FlowColumn.EXPORTER, 0x0A02_0001 + i / BATCH % 3);
    builder.set(FlowColumn.OBSERVATION_DOMAIN, 256);
    builder.set(FlowColumn.SOURCE_KIND, 1);
    builder.set(FlowColumn.ENGINE_TYPE, 1);
    builder.set(FlowColumn.ENGINE_ID, 0);
    builder.set(FlowColumn.SYS_UPTIME, 90_000_000 + i / 30 * 3L);
    builder.set(FlowColumn.FLOW_SEQUENCE, i - i % 30);
    builder.endRow();
  }

  /**
   * A short run without JMH: rows per second and bytes per row. Arguments: rows, rounds, columns
   * that no flow fills.
   */
  public static void main(String[] arguments) throws IOException {
    int rows = arguments.length > 0 ? Integer.parseInt(arguments[0]) : ROWS;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20;
    define(arguments.length > 2 ? Integer.parseInt(arguments[2]) : 0);
    List<FlowBatch> batches = flows(rows, 1);
    Path directory = Files.createTempDirectory("seal");
    SegmentWriter writer = new SegmentWriter();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    for (int round = 0; round < rounds; round++) {
      long cpu = threads.getCurrentThreadCpuTime();
      long start = System.nanoTime();
      SealedSegment sealed = writer.seal(directory, batches, Provenance.NONE);
      double seconds = (System.nanoTime() - start) / 1e9;
      double busy = (threads.getCurrentThreadCpuTime() - cpu) / 1e9;
      System.out.printf(
          "%,d rows/s, %,d rows per core-second, segment %.1f B/row, sidecar %.1f B/row%n",
          (long) (rows / seconds),
          (long) (rows / busy),
          (double) sealed.segmentFile().length() / rows,
          (double) sealed.indexFile().length() / rows);
      Files.delete(directory.resolve(sealed.fileName()));
      Files.delete(directory.resolve(sealed.indexFileName()));
    }
    Files.delete(directory);
  }
}

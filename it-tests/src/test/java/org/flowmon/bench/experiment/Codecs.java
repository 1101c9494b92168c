package org.flowmon.bench.experiment;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.SegmentProfile;
import org.flowmon.archive.segment.reader.SegmentFootprint;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.bench.archive.CsvFile;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.WorkloadBatches;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compression ratio and rates of writing and reading by codec, level and page size. */
@Command(
    name = "codecs",
    mixinStandardHelpOptions = true,
    description = {
      "Compression: bytes a row, ratio, rate of writing and of reading a segment, for profiles,"
          + " codecs with their levels, and sizes of pages.",
      "Rates are megabytes of plain values (each as wide as its type, an address 4 bytes) a second"
          + " of CPU time of one thread, the best of the rounds. Writing sorts and indexes both"
          + " addresses too; reading gives every value of every column and checks their sum."
    })
public final class Codecs implements Callable<Integer> {
  private static final int IPV4_BYTES = 4;
  private static final int BLOCK = 4096;
  private static final double MEGABYTE = 1e6;
  // A slow codec is not repeated.
  private static final double SECONDS = 4;

  @Mixin private ExperimentOptions options;

  @Option(
      names = "--rows",
      defaultValue = "1000000",
      description = "Rows of the segment; default ${DEFAULT-VALUE}.")
  private int rows;

  @Option(
      names = "--codecs",
      split = ",",
      defaultValue = "none,lz4,zstd:1,zstd:3,zstd:9,zstd:19",
      description = "Codecs of the profile compact; default ${DEFAULT-VALUE}.")
  private List<String> codecs;

  @Option(
      names = "--page-bytes",
      split = ",",
      defaultValue = "65536,262144,1048576,4194304,16777216",
      description = "Sizes of pages, uncompressed; default ${DEFAULT-VALUE}.")
  private List<Integer> pages;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final List<FlowBatch> batches = new ArrayList<>();
  private double plainBytes;
  private double csvBytes;
  private long sum;

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rows < 1 || rows > SegmentWriter.MAX_ROWS) {
      throw new UsageException("--rows is 1 … " + SegmentWriter.MAX_ROWS);
    }
    List<SegmentOptions> all = segmentOptions();
    BenchResult table =
        new BenchResult(String.format("archive codecs, %,d rows, seed %d", rows, options.seed()));
    SvgPlot ratio = plot("Ratio to CSV against size of pages", "ratio", false);
    SvgPlot writing = plot("Writing against size of pages", "MB/s", true);
    SvgPlot reading = plot("Reading against size of pages", "MB/s", true);
    try (BenchFolder folder = BenchFolder.of("codecs", null)) {
      generate(folder.path().resolve("flows.csv"));
      for (SegmentOptions one : all) {
        Map<String, Object> row = measure(one, folder.path());
        table.row(row);
        boolean isLookup = one.profile() == SegmentProfile.LOOKUP;
        // Its values are not in pages, so it is a horizontal line.
        for (int page : isLookup ? ends() : new int[] {one.pageBytes()}) {
          ratio.point(name(one), page, (double) row.get("ratio_to_csv"));
          writing.point(name(one), page, (double) row.get("write_mb_per_cpu_second"));
          reading.point(name(one), page, (double) row.get("read_mb_per_cpu_second"));
        }
      }
    }
    options.show("codecs", List.of(table), ratio, writing, reading);
    return ExitCodes.DONE;
  }

  private static SvgPlot plot(String title, String unit, boolean isLogarithmic) {
    return new SvgPlot(title, "bytes of a page", true, unit, isLogarithmic);
  }

  private int[] ends() {
    return IntStream.of(
            pages.stream().mapToInt(page -> page).min().orElseThrow(),
            pages.stream().mapToInt(page -> page).max().orElseThrow())
        .distinct()
        .toArray();
  }

  private List<SegmentOptions> segmentOptions() {
    List<FlowColumn> indexed = List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR);
    List<SegmentOptions> all = new ArrayList<>();
    all.add(SegmentOptions.LOOKUP.withIndexed(indexed));
    try {
      for (String codec : codecs) {
        for (int page : pages) {
          all.add(
              SegmentOptions.parse("compact codec=" + codec)
                  .withPageBytes(page)
                  .withIndexed(indexed));
        }
      }
    } catch (IllegalArgumentException e) {
      throw new UsageException("--codecs, --page-bytes: " + e.getMessage());
    }
    return all;
  }

  private void generate(Path csv) throws IOException {
    WorkloadBatches writer = new WorkloadBatches();
    try (CsvFile out = new CsvFile(csv)) {
      ExperimentOptions.read(
          new GeneratedWorkload(rows, options.seed()),
          block -> {
            out.write(block);
            writer.write(block, batches::add);
          });
    }
    csvBytes = Files.size(csv);
    Files.delete(csv);
    plainBytes = rows * (double) plainWidth(batches.get(0));
    sum = batches.stream().mapToLong(Codecs::sum).sum();
  }

  private static int plainWidth(FlowRows some) {
    int width = 0;
    for (FlowColumn column : FlowColumn.all()) {
      if (some.presence(column) != FlowRows.Presence.ABSENT) {
        width += column.type() == ColumnType.ADDRESS ? IPV4_BYTES : column.type().width();
      }
    }
    return width;
  }

  /** Reads every value and returns the sum modulo 2^64. */
  private static long sum(FlowRows some) {
    long[] high = new long[BLOCK];
    long[] low = new long[BLOCK];
    long sum = 0;
    for (FlowColumn column : FlowColumn.all()) {
      if (some.presence(column) == FlowRows.Presence.ABSENT) {
        continue;
      }
      for (int from = 0; from < some.rows(); from += BLOCK) {
        int n = Math.min(BLOCK, some.rows() - from);
        if (column.type() == ColumnType.ADDRESS) {
          some.readAddresses(column, from, n, high, low);
        } else {
          some.readLongs(column, from, n, low);
        }
        for (int i = 0; i < n; i++) {
          sum += low[i];
        }
      }
    }
    return sum;
  }

  private static String name(SegmentOptions one) {
    return one.profile() == SegmentProfile.LOOKUP
        ? one.profile().text()
        : one.codec().text() + (one.codec().maxLevel() == 0 ? "" : ":" + one.level());
  }

  private Map<String, Object> measure(SegmentOptions one, Path folder) throws IOException {
    SegmentWriter writer = new SegmentWriter(one);
    SealedSegment[] sealed = new SealedSegment[1];
    double write =
        best(
            () -> {
              delete(folder, sealed[0]);
              sealed[0] = writer.seal(folder, batches, Provenance.NONE);
            });
    double read = best(() -> read(folder, sealed[0]));
    SegmentFootprint footprint = new SegmentFootprint();
    footprint.add(folder, sealed[0]);
    double bytes = sealed[0].segmentFile().length();
    delete(folder, sealed[0]);
    boolean isLookup = one.profile() == SegmentProfile.LOOKUP;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("profile", one.profile().text());
    row.put("codec", name(one));
    row.put("page_bytes", isLookup ? "-" : (Object) (long) one.pageBytes());
    row.put("bytes_per_row", bytes / rows);
    row.put("of_it_tables", footprint.bytes("tables") / (double) rows);
    row.put("ratio_to_csv", csvBytes / bytes);
    row.put("ratio_to_plain", plainBytes / bytes);
    row.put("write_mb_per_cpu_second", plainBytes / MEGABYTE / write);
    row.put("read_mb_per_cpu_second", plainBytes / MEGABYTE / read);
    options.progress(
        String.format(
            "%s, pages of %s bytes: ratio %.2f, writing %.0f MB/s, reading %.0f",
            name(one),
            row.get("page_bytes"),
            csvBytes / bytes,
            plainBytes / MEGABYTE / write,
            plainBytes / MEGABYTE / read));
    return row;
  }

  /** Reads a newly opened segment, so that nothing is decoded before; without checksums. */
  private void read(Path folder, SealedSegment sealed) throws IOException {
    try (SegmentReader segment = SegmentReader.open(folder, sealed, false)) {
      long found = sum(segment);
      if (found != sum) {
        throw new IllegalStateException("read the sum " + found + ", wrote " + sum);
      }
    }
  }

  private static void delete(Path folder, SealedSegment sealed) throws IOException {
    if (sealed != null) {
      Files.delete(folder.resolve(sealed.fileName()));
      Files.delete(folder.resolve(sealed.indexFileName()));
    }
  }

  /** A measured operation. */
  private interface Operation {
    void run() throws IOException;
  }

  /** The least CPU time of this thread, seconds; a short first run only warms up. */
  private double best(Operation operation) throws IOException {
    double best = Double.MAX_VALUE;
    double spent = 0;
    double least = options.warmUp().toNanos() / 1e9;
    int rounds = options.rounds();
    for (int round = 0;
        round == 0 || (spent < SECONDS && (round <= rounds || spent < least));
        round++) {
      long start = threads.getCurrentThreadCpuTime();
      operation.run();
      double seconds = (threads.getCurrentThreadCpuTime() - start) / 1e9;
      spent += seconds;
      best = Math.min(best, seconds);
    }
    return best;
  }
}

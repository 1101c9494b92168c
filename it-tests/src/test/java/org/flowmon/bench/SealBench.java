package org.flowmon.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.bench.archive.HistoryFlows;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowBatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench seal}: rows a second of sealing on one thread, all included: sort,
 * dictionaries, indexes, pages, checksums, syncing files to disk.
 */
@Command(
    name = "seal",
    mixinStandardHelpOptions = true,
    description = "Rows a second of sealing segments with their indexes, on one thread.")
public final class SealBench implements Callable<Integer> {
  @Option(
      names = "--rows",
      defaultValue = "2000000",
      description = "Rows sealed in each round; default ${DEFAULT-VALUE}.")
  private int rows;

  @Option(
      names = "--segment-rows",
      split = ",",
      defaultValue = "250000,1000000",
      description = "Sizes of segments; default ${DEFAULT-VALUE}.")
  private List<Integer> segmentRows;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "Rounds; the best and the median are shown. Default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(names = "--seed", defaultValue = "1", description = "Seed of the flows.")
  private long seed;

  @Option(names = "--dir", description = "Where segments are written; default a temporary folder.")
  private Path directory;

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (rows < 1 || rounds < 1 || segmentRows.stream().anyMatch(n -> n < 1)) {
      throw new UsageException("--rows, --rounds and --segment-rows are at least 1");
    }
    System.err.println("generating " + rows + " flows (seed " + seed + ")");
    List<FlowBatch> flows = HistoryFlows.of(rows, seed);
    Path folder =
        Files.createTempDirectory(
            directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory,
            "flowmon-seal-");
    BenchResult result = new BenchResult("seal");
    try {
      for (int size : segmentRows) {
        result.row(measure(flows, size, folder));
      }
    } finally {
      BenchFolder.delete(folder);
    }
    result.print(json);
    return 0;
  }

  private Map<String, Object> measure(List<FlowBatch> flows, int size, Path folder)
      throws IOException {
    SegmentWriter writer = new SegmentWriter();
    List<Double> perSecond = new ArrayList<>();
    List<Double> perCpuSecond = new ArrayList<>();
    long bytes = 0;
    for (int round = 0; round <= rounds; round++) { // the first warms up
      long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      long start = System.nanoTime();
      bytes = sealAll(writer, flows, size, folder);
      double seconds = (System.nanoTime() - start) / 1e9;
      double cpuSeconds =
          (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu) / 1e9;
      System.err.printf(
          "segments of %d rows, round %d: %,.0f rows/s%n", size, round, rows / seconds);
      if (round > 0) {
        perSecond.add(rows / seconds);
        perCpuSecond.add(rows / cpuSeconds);
      }
    }
    perSecond.sort(Comparator.naturalOrder());
    perCpuSecond.sort(Comparator.naturalOrder());
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("segment_rows", (long) size);
    row.put("rows", (long) rows);
    row.put("rows_per_second_best", perSecond.get(rounds - 1));
    row.put("rows_per_second_median", perSecond.get(rounds / 2));
    row.put("rows_per_cpu_second_median", perCpuSecond.get(rounds / 2));
    row.put("bytes_per_row", bytes / (double) rows);
    return row;
  }

  private static long sealAll(SegmentWriter writer, List<FlowBatch> flows, int size, Path folder)
      throws IOException {
    long bytes = 0;
    List<FlowBatch> part = new ArrayList<>();
    int inPart = 0;
    for (int i = 0; i < flows.size(); i++) {
      part.add(flows.get(i));
      inPart += flows.get(i).rows();
      if (inPart >= size || i == flows.size() - 1) {
        SealedSegment sealed = writer.seal(folder, part, Provenance.NONE);
        try (var files = Files.list(folder)) {
          for (Path file : files.toList()) {
            bytes += Files.size(file);
            Files.delete(file);
          }
        }
        if (sealed.rows() != inPart) {
          throw new IllegalStateException("sealed " + sealed.rows() + " of " + inPart + " rows");
        }
        part.clear();
        inPart = 0;
      }
    }
    return bytes;
  }
}

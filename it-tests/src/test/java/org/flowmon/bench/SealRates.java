package org.flowmon.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.bench.archive.HistoryFlows;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.flow.FlowBatch;

/**
 * Rows a second of sealing on one thread, all included: sort, dictionaries, indexes, pages,
 * checksums, syncing files to disk.
 */
public final class SealRates implements Experiment {
  @Override
  public void run(Run run) throws IOException {
    int rows = run.integer("rows");
    run.progress("generating %d flows (seed %d)", rows, run.number("seed"));
    List<FlowBatch> flows = HistoryFlows.of(rows, run.number("seed"));
    Path folder = run.open(BenchFolder.in(run.path("dir"), "seal")).path();
    SegmentWriter writer = new SegmentWriter();
    for (int size : run.integers("segment-rows")) {
      List<Double> perSecond = new ArrayList<>();
      List<Double> perCpuSecond = new ArrayList<>();
      long bytes = 0;
      for (int round = 0; round <= run.integer("rounds"); round++) { // the first warms up
        long cpu = Samples.cpuNanos();
        long start = System.nanoTime();
        bytes = sealAll(writer, flows, size, folder);
        double seconds = (System.nanoTime() - start) / 1e9;
        double cpuSeconds = (Samples.cpuNanos() - cpu) / 1e9;
        run.progress("segments of %d rows, round %d: %,.0f rows/s", size, round, rows / seconds);
        if (round > 0) {
          perSecond.add(rows / seconds);
          perCpuSecond.add(rows / cpuSeconds);
        }
      }
      run.add(
          new Row()
              .put("segment_rows", size)
              .put("rows", rows)
              .put("rows_per_second_best", Samples.of(perSecond).most())
              .put("rows_per_second_median", Samples.of(perSecond).median())
              .put("rows_per_cpu_second_median", Samples.of(perCpuSecond).median())
              .put("bytes_per_row", bytes / (double) rows));
    }
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
        Run.require(sealed.rows() == inPart, "sealed %d of %d rows", sealed.rows(), inPart);
        part.clear();
        inPart = 0;
      }
    }
    return bytes;
  }
}

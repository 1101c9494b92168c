package org.flowmon.bench.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.SegmentProfile;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.bench.archive.CsvFile;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.SegmentFootprint;
import org.flowmon.bench.archive.WorkloadBatches;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;

/** Compression ratio and rates of writing and reading by codec, level and page size. */
public final class Codecs implements Experiment {
  private static final int IPV4_BYTES = 4;
  private static final int BLOCK = 4096;
  private static final double MEGABYTE = 1e6;
  // A slow codec is not repeated.
  private static final double SECONDS = 4;

  private final List<FlowBatch> batches = new ArrayList<>();
  private Path folder;
  private int rows;
  private double csvBytes;
  private long sum;

  @Override
  public void run(Run run) throws IOException {
    rows = run.integer("rows");
    List<Integer> pages = run.integers("page-bytes");
    List<SegmentOptions> all = segmentOptions(run.texts("codecs"), pages);
    folder = run.folder();
    generate(new GeneratedWorkload(rows, run.number("seed")));
    for (SegmentOptions one : all) {
      Row row = measure(run, one);
      run.add(row);
      boolean isLookup = one.profile() == SegmentProfile.LOOKUP;
      // Its values are not in pages, so it is a horizontal line.
      List<Integer> at =
          isLookup
              ? List.of(Collections.min(pages), Collections.max(pages))
              : List.of(one.pageBytes());
      for (int page : at.stream().distinct().toList()) {
        run.point(0, name(one), page, (double) row.values().get("ratio_to_csv"));
        run.point(1, name(one), page, (double) row.values().get("write_mb_per_cpu_second"));
        run.point(2, name(one), page, (double) row.values().get("read_mb_per_cpu_second"));
      }
    }
  }

  private static List<SegmentOptions> segmentOptions(List<String> codecs, List<Integer> pages) {
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

  private void generate(GeneratedWorkload workload) throws IOException {
    Path csv = folder.resolve("flows.csv");
    WorkloadBatches writer = new WorkloadBatches();
    try (CsvFile out = new CsvFile(csv)) {
      workload.read(
          block -> {
            out.write(block);
            writer.write(block, batches::add);
          });
    }
    csvBytes = Files.size(csv);
    Files.delete(csv);
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

  private Row measure(Run run, SegmentOptions one) throws IOException {
    SegmentWriter writer = new SegmentWriter(one);
    List<SealedSegment> sealed = new ArrayList<>();
    double write =
        best(
            run,
            round -> {
              delete(sealed);
              sealed.add(writer.seal(folder, batches, Provenance.NONE));
            });
    double read = best(run, round -> read(sealed.get(0)));
    SegmentFootprint footprint = new SegmentFootprint();
    footprint.add(folder, sealed.get(0));
    double bytes = sealed.get(0).segmentFile().length();
    delete(sealed);
    double plainBytes = rows * (double) plainWidth(batches.get(0));
    boolean isLookup = one.profile() == SegmentProfile.LOOKUP;
    return new Row()
        .put("profile", one.profile().text())
        .put("codec", name(one))
        .put("page_bytes", isLookup ? "-" : (Object) one.pageBytes())
        .put("bytes_per_row", bytes / rows)
        .put("of_it_tables", footprint.bytes("tables") / (double) rows)
        .put("ratio_to_csv", csvBytes / bytes)
        .put("ratio_to_plain", plainBytes / bytes)
        .put("write_mb_per_cpu_second", plainBytes / MEGABYTE / write)
        .put("read_mb_per_cpu_second", plainBytes / MEGABYTE / read);
  }

  /** Reads a newly opened segment, so that nothing is decoded before; without checksums. */
  private void read(SealedSegment sealed) throws IOException {
    try (SegmentReader segment = SegmentReader.open(folder, sealed, false)) {
      long found = sum(segment);
      Run.require(found == sum, "read the sum %d, wrote %d", found, sum);
    }
  }

  private void delete(List<SealedSegment> sealed) throws IOException {
    for (SealedSegment segment : sealed) {
      Files.delete(folder.resolve(segment.fileName()));
      Files.delete(folder.resolve(segment.indexFileName()));
    }
    sealed.clear();
  }

  /** The least CPU time of this thread, seconds; a short first run only warms up. */
  private static double best(Run run, Samples.Operation operation) throws IOException {
    double best = Double.MAX_VALUE;
    double spent = 0;
    double least = run.number("warm-up") / 1e3;
    int rounds = run.integer("rounds");
    for (int round = 0;
        round == 0 || (spent < SECONDS && (round <= rounds || spent < least));
        round++) {
      long start = Samples.cpuNanos();
      operation.run(round);
      double seconds = (Samples.cpuNanos() - start) / 1e9;
      spent += seconds;
      best = Math.min(best, seconds);
    }
    return best;
  }
}

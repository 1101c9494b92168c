package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Time of lookups by number of segments, with a constant result. */
@Command(
    name = "segments",
    mixinStandardHelpOptions = true,
    description = {
      "Lookups against the number of segments: addresses of which five segments hold two flows"
          + " each, and addresses that no segment holds. All other addresses are drawn at random."
    })
public final class SegmentCounts implements Callable<Integer> {
  private static final int SEGMENTS_OF_EACH = 5;
  private static final int FLOWS_OF_EACH = 2 * SEGMENTS_OF_EACH;
  private static final int SEGMENTS_OF_A_COMMIT = 100;
  private static final long BEGIN = 1_767_225_600_000_000L; // 2026-01-01T00:00:00Z
  private static final long SECOND = 1_000_000;
  // The looked-up addresses lie above all drawn ones.
  private static final int PRESENT = 0xF000_0000;
  private static final int ABSENT = 0xF800_0000;

  @Mixin private ExperimentOptions options;

  @Option(
      names = "--segments",
      split = ",",
      defaultValue = "100,1000,10000",
      description = "Numbers of segments, ascending; default ${DEFAULT-VALUE}.")
  private List<Integer> counts;

  @Option(
      names = "--rows",
      defaultValue = "1000",
      description = "Rows of a segment; default ${DEFAULT-VALUE}.")
  private int rows;

  @Option(
      names = "--addresses",
      defaultValue = "100",
      description = "Addresses of each kind that are looked up; default ${DEFAULT-VALUE}.")
  private int addresses;

  @Override
  public Integer call() throws IOException {
    options.check();
    int smallest = counts.get(0);
    if (rows < 100
        || addresses < 1
        || smallest < SEGMENTS_OF_EACH
        || (long) addresses * FLOWS_OF_EACH > (long) rows * smallest / 10) {
      throw new UsageException(
          "expected segments of at least 100 rows, at least 5 of them, and a tenth of their rows"
              + " for the addresses that are looked up");
    }
    BenchResult table = new BenchResult("archive segments: lookups, ms");
    SvgPlot plot = new SvgPlot("Lookups against segments", "segments", true, "ms, median", true);
    SplittableRandom random = new SplittableRandom(options.seed());
    try (BenchFolder folder = BenchFolder.of("segments", null);
        Archive archive =
            Archive.create(folder.path().resolve("archive"), ArchiveOptions.DEFAULTS)) {
      int made = 0;
      for (int count : counts) {
        while (made < count) {
          int more = Math.min(SEGMENTS_OF_A_COMMIT, count - made);
          commit(archive, made, more, smallest, random);
          made += more;
        }
        archive.updateDirectory(true, () -> false); // as after each commit
        options.progress(String.format("%,d segments", made));
        Map<String, Object> row = measure(archive);
        table.row(row);
        plot.point("present", count, (double) row.get("present_median"));
        plot.point("absent", count, (double) row.get("absent_median"));
      }
    }
    options.show("segments", table, plot);
    return ExitCodes.DONE;
  }

  /** Adds segments; the looked-up flows are in the first ones, so that the result is constant. */
  private void commit(Archive archive, int first, int count, int holding, SplittableRandom random)
      throws IOException {
    List<SealedSegment> segments = new ArrayList<>();
    SegmentWriter writer = new SegmentWriter();
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    for (int s = first; s < first + count; s++) {
      builder.clear();
      List<Integer> planted = new ArrayList<>();
      for (int a = 0; s < holding && a < addresses; a++) {
        // Of the first segments, every stride-th has the address.
        int stride = holding / SEGMENTS_OF_EACH;
        int offset = s - a % stride;
        if (offset >= 0 && offset % stride == 0 && offset / stride < SEGMENTS_OF_EACH) {
          planted.add(a);
        }
      }
      for (int r = 0; r < rows; r++) {
        long end = BEGIN + ((long) s * rows + r) * SECOND;
        int place = r / 2;
        boolean isPlanted = place < planted.size();
        builder.beginRow();
        builder.set(FlowColumn.END_TIME, end);
        builder.set(FlowColumn.ARRIVAL, end);
        builder.setAddress(
            FlowColumn.SRC_ADDR,
            IpAddress.ofIpv4(isPlanted ? PRESENT + planted.get(place) : drawn(random)));
        builder.setAddress(FlowColumn.DST_ADDR, IpAddress.ofIpv4(drawn(random)));
        builder.set(FlowColumn.DST_PORT, 443);
        builder.set(FlowColumn.PROTOCOL, 6);
        builder.set(FlowColumn.BYTES, random.nextInt(1 << 20));
        builder.set(FlowColumn.PACKETS, 1 + random.nextInt(1 << 10));
        builder.endRow();
      }
      FlowBatch batch = FlowBatch.open(builder.build(1, s, 0, 0));
      segments.add(writer.seal(archive.segmentsDirectory(), List.of(batch), Provenance.NONE));
    }
    ImportedFile file =
        new ImportedFile(String.format("%064x", first), "segments", (long) rows * count);
    archive.commit(ArchiveCommit.ofFile(segments, file, false, "bench"));
  }

  private static int drawn(SplittableRandom random) {
    return random.nextInt(0x0100_0000, 0x7FFF_FFFF);
  }

  private Map<String, Object> measure(Archive archive) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      int runs = addresses * options.rounds();
      QueryOptions how = QueryOptions.DEFAULTS.withThreads(options.threads());
      int[] opened = new int[2];
      Timings.Operation present =
          run -> opened[0] = lookup(snapshot, PRESENT + run % addresses, FLOWS_OF_EACH, how);
      Timings.Operation absent =
          run -> opened[1] = lookup(snapshot, ABSENT + run % addresses, 0, how);
      Timings.of(runs, present); // compiles the code and loads its data into memory
      Timings.of(runs, absent);
      Timings presents = Timings.of(runs, present);
      Timings absents = Timings.of(runs, absent);
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("segments", (long) snapshot.segments().size());
      row.put("rows", snapshot.rows());
      row.put("present_median", presents.median());
      row.put("present_p99", presents.percentile(0.99));
      row.put("present_segments_opened", (long) opened[0]);
      row.put("absent_median", absents.median());
      row.put("absent_p99", absents.percentile(0.99));
      row.put("absent_segments_opened", (long) opened[1]);
      return row;
    }
  }

  /** Looks up an address and returns the number of opened segments. */
  private static int lookup(
      ArchiveSnapshot snapshot, int address, int expected, QueryOptions options)
      throws IOException {
    IpPrefix host = new IpPrefix(IpAddress.ofIpv4(address), 32);
    QueryAnswer answer =
        ArchiveQuery.lookup(snapshot, host, Long.MIN_VALUE, Long.MAX_VALUE, -1, options);
    if (answer.table().rowCount() != expected) {
      throw new IllegalStateException(
          answer.table().rowCount() + " flows of " + host + ", expected " + expected);
    }
    return answer.stats().segmentsConsidered();
  }
}

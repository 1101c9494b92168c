package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** Time of lookups by number of segments, with a constant result. */
public final class SegmentCounts implements Experiment {
  private static final int SEGMENTS_OF_EACH = 5;
  private static final int FLOWS_OF_EACH = 2 * SEGMENTS_OF_EACH;
  private static final int SEGMENTS_OF_A_COMMIT = 100;
  private static final long BEGIN = 1_767_225_600_000_000L; // 2026-01-01T00:00:00Z
  private static final long SECOND = 1_000_000;
  // The looked-up addresses lie above all drawn ones.
  private static final int PRESENT = 0xF000_0000;
  private static final int ABSENT = 0xF800_0000;

  private int rows;
  private int addresses;

  @Override
  public void run(Run run) throws IOException {
    rows = run.integer("rows");
    addresses = run.integer("addresses");
    List<Integer> counts = run.integers("segments");
    int smallest = counts.get(0);
    if ((long) addresses * FLOWS_OF_EACH > (long) rows * smallest / 10) {
      throw new UsageException(
          "--addresses " + addresses + " take more than a tenth of the rows: name fewer");
    }
    SplittableRandom random = new SplittableRandom(run.number("seed"));
    Archive archive =
        run.open(Archive.create(run.folder().resolve("archive"), ArchiveOptions.DEFAULTS));
    int made = 0;
    for (int count : counts) {
      while (made < count) {
        int more = Math.min(SEGMENTS_OF_A_COMMIT, count - made);
        commit(archive, made, more, smallest, random);
        made += more;
      }
      archive.updateDirectory(true, () -> false); // as after each commit
      measure(run, archive);
    }
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

  private void measure(Run run, Archive archive) throws IOException {
    QueryOptions how = QueryOptions.DEFAULTS.withThreads(run.cores("threads"));
    int runs = addresses * run.integer("rounds");
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      int[] opened = new int[2];
      Samples.Operation present =
          n -> opened[0] = lookup(snapshot, PRESENT + n % addresses, FLOWS_OF_EACH, how);
      Samples.Operation absent = n -> opened[1] = lookup(snapshot, ABSENT + n % addresses, 0, how);
      Samples.millis(runs, present); // compiles the code and loads its data into memory
      Samples.millis(runs, absent);
      Samples presents = Samples.millis(runs, present);
      Samples absents = Samples.millis(runs, absent);
      run.add(
          new Row()
              .put("segments", snapshot.segments().size())
              .put("rows", snapshot.rows())
              .put("present_median", presents.median())
              .put("present_p99", presents.percentile(0.99))
              .put("present_segments_opened", opened[0])
              .put("absent_median", absents.median())
              .put("absent_p99", absents.percentile(0.99))
              .put("absent_segments_opened", opened[1]));
    }
  }

  /** Looks up an address and returns the number of opened segments. */
  private static int lookup(ArchiveSnapshot snapshot, int address, int flows, QueryOptions how)
      throws IOException {
    return Lookup.ofHost(address, flows).in(snapshot, how).stats().segmentsConsidered();
  }
}

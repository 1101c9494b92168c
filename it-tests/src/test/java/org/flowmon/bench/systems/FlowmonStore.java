package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessWrites;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;

/**
 * flowmon's archive in this process. A transaction is a commit, which is synced; indexes are always
 * the archive's own.
 */
final class FlowmonStore implements FlowStore {
  private static final long MICROS = 1_000_000;
  private static final int BATCH_ROWS = 1_000;

  private final Map<String, String> queries;
  private final Path parent;
  private int archives;
  private int transaction;
  private Archive archive;
  private ArchiveSnapshot snapshot;

  FlowmonStore(Map<String, String> queries, Path parent) {
    this.queries = queries;
    this.parent = parent;
  }

  private Path folder() {
    return parent.resolve("archive" + archives);
  }

  @Override
  public void create(Combination layout) throws IOException {
    close();
    archives++;
    transaction = Integer.parseInt(layout.transaction());
    archive = Archive.create(folder(), ArchiveOptions.DEFAULTS);
    snapshot = archive.snapshot();
  }

  @Override
  public void load(List<SyntheticFlow> flows) throws IOException {
    for (int from = 0; from < flows.size(); from += transaction) {
      List<SyntheticFlow> rows = flows.subList(from, Math.min(flows.size(), from + transaction));
      ImportedFile origin = new ImportedFile(String.format("%064x", from), "bench", 0);
      try (ArchiveImporter importer = new ArchiveImporter(archive, origin, true)) {
        add(rows, importer);
        importer.commit("flowmon bench systems");
      }
    }
    // What the archive's maintenance makes.
    archive.updateDirectory(false, () -> false);
    archive.updateDays(CompactionOptions.DEFAULTS::settled, false, () -> false);
    snapshot.close();
    snapshot = archive.snapshot();
  }

  private static void add(List<SyntheticFlow> flows, ArchiveImporter importer) throws IOException {
    FlowBatchBuilder builder = new FlowBatchBuilder(BATCH_ROWS);
    for (int r = 1; r <= flows.size(); r++) {
      SyntheticFlow flow = flows.get(r - 1);
      long exported = MICROS * StudyFlows.exportedSeconds(flow);
      builder.beginRow();
      flow.setColumns(builder, exported, StudyFlows.ROUTER.address(), 1);
      builder.set(FlowColumn.EXPORT_TIME, exported);
      builder.endRow();
      if (builder.isFull() || r == flows.size()) {
        importer.add(FlowBatch.open(builder.build(1, 0, 0, 0)));
        builder.clear();
      }
    }
  }

  @Override
  public List<long[]> answer(StudyQuery query) throws IOException {
    String sql =
        queries
            .get(query.name())
            .replace("{from}", literal(StudyQuery.FROM))
            .replace("{to}", literal(StudyQuery.TO));
    ResultTable table =
        ArchiveQuery.run(snapshot, QueryParser.parse(sql), QueryOptions.DEFAULTS).table();
    List<long[]> answer = new ArrayList<>(table.rowCount());
    for (int r = 0; r < table.rowCount(); r++) {
      answer.add(new long[query.columns()]);
    }
    for (int c = 0; c < query.columns(); c++) {
      LongBuffer values = table.longs(c);
      long unit = query == StudyQuery.A && c == 0 ? MICROS : 1;
      long bits = query.isAddress(c) ? 0xFFFF_FFFFL : -1;
      for (int r = 0; r < answer.size(); r++) {
        answer.get(r)[c] = values.get(r) / unit & bits;
      }
    }
    return answer;
  }

  private static String literal(long seconds) {
    return "TIMESTAMP '" + Instant.ofEpochSecond(seconds) + "'";
  }

  @Override
  public Optional<String> forget() throws IOException {
    close();
    Optional<String> kept = PageCache.drop(folder());
    archive = Archive.open(folder());
    snapshot = archive.snapshot();
    return kept;
  }

  @Override
  public long bytesOnDisk() throws IOException {
    return BenchFolder.bytes(folder());
  }

  @Override
  public OptionalLong bytesWritten() {
    return ProcessWrites.of(ProcessHandle.current().pid());
  }

  @Override
  public String settings() throws IOException {
    return archive.segmentOptions() + "; every commit synced, nothing merged; one thread";
  }

  @Override
  public void close() {
    if (archives > 0) {
      snapshot.close();
      archive.close();
    }
  }
}

package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
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
import org.flowmon.bench.archive.Answer;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessWrites;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * flowmon's archive in this process. A transaction is a commit, which is synced; indexes are
 * always the archive's own.
 */
final class FlowmonStore implements FlowStore {
  private static final long MICROS = 1_000_000;
  private static final int BATCH_ROWS = 1_000;
  private static final FlowQuery SLOTS =
      QueryParser.parse(
          "SELECT TIME_BUCKET(start_time, INTERVAL '10' MINUTE) AS slot, COUNT(*) AS flow_count"
              + " FROM flows GROUP BY slot ORDER BY slot");
  private static final FlowQuery TOTALS =
      QueryParser.parse(
          "SELECT src_addr, dst_addr, src_port, dst_port, protocol, tos, COUNT(*) AS flow_count,"
              + " SUM(bytes) AS octets, SUM(packets) AS packet_count FROM flows WHERE start_time >="
              + " TIMESTAMP '"
              + Instant.ofEpochSecond(StudyQuery.FROM)
              + "' AND end_time <= TIMESTAMP '"
              + Instant.ofEpochSecond(StudyQuery.TO)
              + "' GROUP BY src_addr, dst_addr, src_port, dst_port, protocol, tos"
              + " ORDER BY octets DESC");

  private final Path parent;
  private final FlowBatchBuilder builder = new FlowBatchBuilder(BATCH_ROWS);
  private final long[] values = new long[BATCH_ROWS];
  private final long[] zeros = new long[BATCH_ROWS];
  private int archives;
  private int commits;
  private int transaction = 1;
  private int uncommitted;
  private @Nullable Archive archive;
  private @Nullable ArchiveSnapshot snapshot;
  private @Nullable ArchiveImporter importer;

  private FlowmonStore(Path parent) {
    this.parent = parent;
  }

  static FlowmonStore open(Path parent, boolean sync) {
    return new FlowmonStore(parent); // it syncs in any case
  }

  private Path folder() {
    return parent.resolve("archive" + archives);
  }

  private Archive archive() {
    if (archive == null) {
      throw new IllegalStateException("there is no archive yet");
    }
    return archive;
  }

  private ArchiveSnapshot snapshot() throws IOException {
    if (snapshot == null) {
      snapshot = archive().snapshot();
    }
    return snapshot;
  }

  @Override
  public void create(Layout layout) throws IOException {
    close();
    archives++;
    transaction = layout.transaction();
    archive = Archive.create(folder(), ArchiveOptions.DEFAULTS);
  }

  @Override
  public void load(FlowData data, int from, int to) throws IOException {
    int row = from;
    while (row < to) {
      int rows = Math.min(Math.min(BATCH_ROWS, to - row), transaction - uncommitted);
      importer().add(batch(data, row, rows));
      row += rows;
      uncommitted += rows;
      if (uncommitted == transaction) {
        commit();
      }
    }
  }

  private ArchiveImporter importer() throws IOException {
    if (importer == null) {
      ImportedFile origin = new ImportedFile(String.format("%064x", ++commits), "bench", 0);
      importer = new ArchiveImporter(archive(), origin, true);
    }
    return importer;
  }

  private void commit() throws IOException {
    try (ArchiveImporter filled = importer()) {
      filled.commit("flowmon bench systems");
    }
    importer = null;
    uncommitted = 0;
  }

  private FlowBatch batch(FlowData data, int from, int rows) {
    builder.beginRows(rows);
    number(data, from, rows, FlowField.SECS_FLOWSTART, FlowColumn.START_TIME);
    number(data, from, rows, FlowField.SECS_FLOWEND, FlowColumn.END_TIME);
    number(data, from, rows, FlowField.SECS_EXPORT, FlowColumn.EXPORT_TIME);
    number(data, from, rows, FlowField.SECS_EXPORT, FlowColumn.ARRIVAL);
    address(data, from, rows, FlowField.SRC_EXPORTER, FlowColumn.EXPORTER);
    address(data, from, rows, FlowField.SRC_ADDR, FlowColumn.SRC_ADDR);
    address(data, from, rows, FlowField.DST_ADDR, FlowColumn.DST_ADDR);
    address(data, from, rows, FlowField.NEXT_HOP, FlowColumn.NEXT_HOP);
    number(data, from, rows, FlowField.SRC_MASK, FlowColumn.SRC_MASK);
    number(data, from, rows, FlowField.SRC_PORT, FlowColumn.SRC_PORT);
    number(data, from, rows, FlowField.SRC_AS, FlowColumn.SRC_AS);
    number(data, from, rows, FlowField.DST_MASK, FlowColumn.DST_MASK);
    number(data, from, rows, FlowField.DST_PORT, FlowColumn.DST_PORT);
    number(data, from, rows, FlowField.DST_AS, FlowColumn.DST_AS);
    number(data, from, rows, FlowField.INPUT_IF, FlowColumn.INPUT_IF);
    number(data, from, rows, FlowField.OUTPUT_IF, FlowColumn.OUTPUT_IF);
    number(data, from, rows, FlowField.NUM_PACKETS, FlowColumn.PACKETS);
    number(data, from, rows, FlowField.NUM_BYTES, FlowColumn.BYTES);
    number(data, from, rows, FlowField.IP_PROT, FlowColumn.PROTOCOL);
    number(data, from, rows, FlowField.TCP_FLAGS, FlowColumn.TCP_FLAGS);
    number(data, from, rows, FlowField.IP_TOS, FlowColumn.TOS);
    builder.endRows();
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
    builder.clear();
    return batch;
  }

  private void number(FlowData data, int from, int rows, FlowField field, FlowColumn column) {
    long factor = field.kind() == FlowField.Kind.SECONDS ? MICROS : 1;
    for (int i = 0; i < rows; i++) {
      values[i] = factor * data.get(field, from + i);
    }
    builder.setColumn(column, values, FlowBatchBuilder.ALL_SET);
  }

  private void address(FlowData data, int from, int rows, FlowField field, FlowColumn column) {
    for (int i = 0; i < rows; i++) {
      values[i] = IpAddress.ipv4Low((int) data.get(field, from + i));
    }
    builder.setAddressColumn(column, zeros, values, FlowBatchBuilder.ALL_SET);
  }

  /** With host directory and day sums, which the archive's maintenance makes. */
  @Override
  public void finish() throws IOException {
    if (uncommitted > 0) {
      commit();
    }
    archive().updateDirectory(false, () -> false);
    archive().updateDays(CompactionOptions.DEFAULTS::settled, false, () -> false);
  }

  @Override
  public Answer answer(StudyQuery query) throws IOException {
    FlowQuery asked = query == StudyQuery.A ? SLOTS : TOTALS;
    ResultTable table = ArchiveQuery.run(snapshot(), asked, QueryOptions.DEFAULTS).table();
    int rows = table.rowCount();
    Answer answer = new Answer(query.columns());
    answer.reserve(rows);
    for (int c = 0; c < query.columns(); c++) {
      boolean isAddress =
          query == StudyQuery.B
              && c < StudyQuery.KEYS.size()
              && StudyQuery.KEYS.get(c).kind() == FlowField.Kind.ADDRESS;
      long[] column = answer.column(c);
      long unit = query == StudyQuery.A && c == 0 ? MICROS : 1;
      for (int r = 0; r < rows; r++) {
        column[r] =
            isAddress ? table.low(r, c) & 0xFFFF_FFFFL : table.longValue(r, c) / unit;
      }
    }
    answer.setRows(rows);
    return answer;
  }

  @Override
  public Optional<String> forget() throws IOException {
    close();
    Optional<String> kept = PageCache.drop(folder());
    archive = Archive.open(folder());
    return kept;
  }

  @Override
  public long bytesOnDisk() throws IOException {
    return snapshot().bytesOnDisk();
  }

  @Override
  public OptionalLong bytesWritten() {
    return ProcessWrites.of(ProcessHandle.current());
  }

  @Override
  public String settings() throws IOException {
    return "flowmon, "
        + archive().segmentOptions()
        + ", sealed by one thread, every commit synced, nothing merged; queries by "
        + QueryOptions.DEFAULTS.threads()
        + " threads";
  }

  @Override
  public void close() throws IOException {
    if (importer != null) {
      importer.close();
      importer = null;
    }
    if (snapshot != null) {
      snapshot.close();
      snapshot = null;
    }
    if (archive != null) {
      archive.close();
      archive = null;
    }
  }
}

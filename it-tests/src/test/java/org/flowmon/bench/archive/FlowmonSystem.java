package org.flowmon.bench.archive;

import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;

/**
 * flowmon's archive: rows become batches ({@link WorkloadBatches}), batches become segments with
 * their indexes, and one commit takes them all.
 */
public final class FlowmonSystem implements BenchSystem {
  /** The name in tables and options. */
  public static final String NAME = "flowmon";

  private final Path folder;
  private final ArchiveImporter importer;
  private final QueryOptions options;
  private final int segmentRows;
  private final WorkloadBatches batches = new WorkloadBatches();
  private final Map<String, FlowQuery> prepared = new HashMap<>();
  private Archive archive;
  private ArchiveSnapshot snapshot;
  private String segments = "";
  private String breakdown = "";

  private FlowmonSystem(Path folder, Archive archive, int segmentRows, int threads)
      throws IOException {
    this.folder = folder;
    this.archive = archive;
    this.segmentRows = segmentRows;
    this.options = QueryOptions.DEFAULTS.withThreads(threads);
    ImportedFile origin = new ImportedFile(sha256("workload"), "workload", 0);
    this.importer = new ArchiveImporter(archive, origin, false, segmentRows, 1);
  }

  /** Creates an empty archive in a folder. */
  public static FlowmonSystem create(
      Path folder, int segmentRows, SegmentOptions segments, int threads) throws IOException {
    Archive archive = Archive.create(folder, ArchiveOptions.DEFAULTS);
    archive.setSegmentOptions(segments);
    return new FlowmonSystem(folder, archive, segmentRows, threads);
  }

  private static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  @Override
  public String settings() {
    return String.format(
        "segments of %,d rows, %s, sealed by one thread; queries by %d threads, checksums verified"
            + " at first reading; bytes per row:%s",
        segmentRows, segments, options.threads(), breakdown);
  }

  @Override
  public void load(FlowBlock block) throws IOException {
    batches.write(block, importer::add);
  }

  @Override
  public void endLoad() throws IOException {
    importer.commit("flowmon bench archive");
    snapshot = archive.snapshot();
    SegmentFootprint footprint = new SegmentFootprint();
    for (SealedSegment segment : snapshot.segments()) {
      footprint.add(archive.segmentsDirectory(), segment);
    }
    segments = archive.segmentOptions().toString();
    breakdown = breakdown(footprint);
  }

  private static String breakdown(SegmentFootprint footprint) {
    StringBuilder text = new StringBuilder();
    Map<String, Long> parts = new TreeMap<>();
    parts.put("segments", footprint.bytes("column ") + footprint.bytes("footer"));
    parts.put("binary dictionaries and tables", footprint.bytes("tables"));
    parts.put("postings", footprint.bytes("postings of ") + footprint.bytes("sidecar footer"));
    parts.put("rollups", footprint.bytes("flowmon-"));
    parts.putAll(footprint.bytes());
    parts.forEach(
        (part, bytes) ->
            text.append(
                String.format(
                    Locale.ROOT, "%n    %.2f %s", (double) bytes / footprint.rows(), part)));
    return text.toString();
  }

  /** Creates the host directory and day sums; segments are sealed with their indexes. */
  @Override
  public void index() throws IOException {
    archive.updateDirectory(false, () -> false);
    archive.updateDays(CompactionOptions.DEFAULTS::settled, false, () -> false);
  }

  @Override
  public long bytesOnDisk() {
    return snapshot.bytesOnDisk();
  }

  @Override
  public void prepare(WorkloadQuery query) {
    if (!query.isLookup()) {
      prepared.put(query.name(), QueryParser.parse(query.flowmon()));
    }
  }

  @Override
  public Answer answer(WorkloadQuery query) throws IOException {
    if (!query.isLookup()) {
      ResultTable table = ArchiveQuery.run(snapshot, prepared.get(query.name()), options).table();
      int[] all = new int[table.columnCount()];
      Arrays.setAll(all, c -> c);
      return fetch(table, all, query);
    }
    IpPrefix host = new IpPrefix(IpAddress.ofIpv4((int) query.address()), query.bits());
    ResultTable table =
        ArchiveQuery.lookup(snapshot, host, Long.MIN_VALUE, Long.MAX_VALUE, -1, options).table();
    int[] places =
        WorkloadColumn.all().stream()
            .mapToInt(
                column -> table.column(column == WorkloadColumn.TS ? "end_time" : column.sqlName()))
            .toArray();
    return fetch(table, places, query);
  }

  /**
   * An answer of flowmon in arrays of longs; converted to the workload's form when it is compared.
   */
  static Answer fetch(ResultTable table, int[] places, WorkloadQuery query) {
    LongBuffer[] values = new LongBuffer[places.length];
    for (int c = 0; c < places.length; c++) {
      values[c] = table.longs(places[c]);
    }
    return Answer.of(
        places.length,
        table.rowCount(),
        answer -> {
          for (int c = 0; c < places.length; c++) {
            long[] out = answer.column(c);
            AnswerKind kind = query.columns().get(c);
            for (int r = 0; r < answer.rows(); r++) {
              out[r] = ofWorkload(kind, values[c].get(r));
            }
          }
        });
  }

  /** Converts a value to the workload's form. */
  private static long ofWorkload(AnswerKind kind, long value) {
    return switch (kind) {
      case NUMBER, FLAG, REAL -> value;
      case SECONDS -> value / WorkloadBatches.MICROS;
      case MILLIS -> value / WorkloadBatches.MICROS_OF_MILLI;
      case STATE -> value - WorkloadBatches.FIRST_STATE;
      case ADDRESS -> value & 0xFFFF_FFFFL;
    };
  }

  @Override
  public boolean suspend() {
    snapshot.close();
    archive.close();
    return true;
  }

  @Override
  public void resume() throws IOException {
    archive = Archive.open(folder);
    snapshot = archive.snapshot();
  }

  @Override
  public void close() throws IOException {
    importer.close();
    if (snapshot != null) {
      snapshot.close();
    }
    archive.close();
  }
}

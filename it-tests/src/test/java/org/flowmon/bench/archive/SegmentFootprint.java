package org.flowmon.bench.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.format.ParsedFooter;
import org.flowmon.flow.FlowColumn;

/**
 * The bytes of segments and sidecars by part: {@code column NAME}, {@code tables} (binary
 * dictionaries, blocks, pages), {@code footer} (with the page index), {@code postings of NAME},
 * {@code flowmon-totals-v1}, {@code flowmon-hours-v1}, {@code sidecar footer}.
 */
public final class SegmentFootprint {
  private final Map<String, Long> bytes = new LinkedHashMap<>();
  private long rows;

  /**
   * Adds a segment and its sidecar.
   *
   * @param directory the folder that holds the files
   * @throws org.flowmon.archive.region.SegmentCorruptException if one differs from the sealed file
   */
  public void add(Path directory, SealedSegment segment) throws IOException {
    rows += segment.rows();
    MappedRegion file =
        MappedRegion.open(directory.resolve(segment.fileName()), segment.segmentFile());
    try {
      ParsedFooter content =
          ParsedFooter.open(
              file, segment.segmentFile().footerLength(), segment.id(), segment.rows());
      long left = segment.segmentFile().length();
      for (ParsedFooter.Entry entry : content.entries().values()) {
        long tables = bytes(entry.side()) + bytes(entry.blocks()) + bytes(entry.pages());
        add("column " + entry.column().sqlName(), entry.length());
        add("tables", tables);
        left -= entry.length() + tables;
      }
      add("footer", left);
    } finally {
      file.release();
    }
    long left = segment.indexFile().length();
    try (SegmentIndex index = segment.openIndex(directory, false)) {
      for (FlowColumn column : FlowColumn.all()) {
        long postings = index.postingBytes(column);
        if (postings > 0) {
          add("postings of " + column.sqlName(), postings);
          left -= postings;
        }
      }
      for (Map.Entry<String, Long> rollup : index.rollupBytes().entrySet()) {
        add(rollup.getKey(), rollup.getValue());
        left -= rollup.getValue();
      }
    }
    add("sidecar footer", left);
  }

  private static long bytes(ParsedFooter.Table table) {
    return table == null ? 0 : table.bytes();
  }

  private void add(String part, long some) {
    bytes.merge(part, some, Long::sum);
  }

  /** Rows of all segments. */
  public long rows() {
    return rows;
  }

  /** Bytes by part; they add up to the length of the files. */
  public Map<String, Long> bytes() {
    return new LinkedHashMap<>(bytes);
  }

  /** Bytes of all parts whose names have this prefix. */
  public long bytes(String prefix) {
    return bytes.entrySet().stream()
        .filter(e -> e.getKey().startsWith(prefix))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}

package org.flowmon.ingest.file.row;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.format.FlowSource;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.format.TextColumn;
import org.flowmon.ingest.file.line.LineReader;
import org.flowmon.ingest.file.line.ShownValue;

/** The rows and rejects of a piece of text, written by one thread, then read by another. */
final class ParsedChunk {
  /** {@code line} is from 0 in the piece, {@code from} the place in its bytes. */
  record Reject(long line, RejectReason reason, String detail, int from, int to, boolean cut) {}

  /** Names that are told at most, of a piece and of a file. */
  static final int MOST_UNKNOWN = 100;

  final TextChunks.Chunk chunk;
  final List<RowBlock> blocks = new ArrayList<>();
  final List<Reject> rejects = new ArrayList<>();
  final List<FlowBatch> batches = new ArrayList<>();
  // Names that the source is not known to have.
  final Set<String> unknown = new HashSet<>();
  long lines;

  private final RowBlockPool pool;
  private final FlowSource source;
  private final SourceKind kind;
  private final ProtectedNetworks networks;

  ParsedChunk(
      TextChunks.Chunk chunk,
      RowBlockPool pool,
      FlowSource source,
      SourceKind kind,
      ProtectedNetworks networks) {
    this.chunk = chunk;
    this.pool = pool;
    this.source = source;
    this.kind = kind;
    this.networks = networks;
  }

  FlowSource source() {
    return source;
  }

  RowBlock block() {
    RowBlock last = blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
    if (last == null || last.isFull()) {
      last = pool.take();
      blocks.add(last);
    }
    return last;
  }

  /** False if it has no time. */
  boolean endRow(RowBlock block) {
    if (!source.isFlowmon()) {
      block.finish(source);
    }
    return block.endRow(kind, networks);
  }

  /** The caller drops the open row. */
  void reject(RejectReason reason, String detail, int from, int end) {
    byte[] bytes = chunk.bytes();
    int to = end > from && bytes[end - 1] == '\n' ? end - 1 : end;
    to = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
    boolean cut = to - from > LineReader.MAX_LINE_BYTES;
    to = Math.min(to, from + LineReader.MAX_LINE_BYTES);
    rejects.add(new Reject(lines, reason, detail, from, to, cut || chunk.tooLong()));
  }

  static String detail(TextColumn column, byte[] bytes, int from, int to) {
    String expected =
        column.form() == TextColumn.Form.TEXT
            ? "at most " + FlowBatch.MAX_TEXT_BYTES + " bytes"
            : column.expected();
    return ShownValue.wrong(column.name(), bytes, from, to, expected);
  }
}

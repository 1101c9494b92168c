package org.flowmon.ingest.file;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.ZipException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowFormatException;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.file.format.GzipInput;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.SummarySink;
import org.jspecify.annotations.Nullable;

/**
 * Reads consecutive flow batches; {@code arrival} and {@code outgoing} stay, heartbeats are left
 * out. It ends at the first damaged batch, because the next one's start is unknown.
 */
final class FlowBatchFileReader implements FlowFileReader {
  /** Enough to know the length of a batch. */
  private static final int HEADER_BYTES = 88;

  private static final int LENGTH_AT = 80;

  private final Path file;

  FlowBatchFileReader(Path file) {
    this.file = file;
  }

  @Override
  public FileSummary read(FlowSink out) throws IOException {
    SummarySink sink = new SummarySink(out);
    @Nullable String damage = null;
    long position = 0;
    try (InputStream in = GzipInput.open(file)) {
      for (byte[] bytes = next(in); bytes != null; bytes = next(in)) {
        append(FlowBatch.open(bytes), sink);
        position += bytes.length;
      }
    } catch (FlowFormatException | EOFException | ZipException e) {
      damage = file + ", byte " + position + ": " + e.getMessage();
    }
    return sink.summary().of(file, InputFormat.FLOW_BATCHES, Map.of(), damage);
  }

  private static byte @Nullable [] next(InputStream in) throws IOException {
    byte[] header = in.readNBytes(HEADER_BYTES);
    if (header.length == 0) {
      return null;
    }
    if (header.length < HEADER_BYTES) {
      throw new EOFException("a flow batch is cut short in its header");
    }
    int length = LittleEndian.getInt(header, LENGTH_AT);
    if (length < HEADER_BYTES || length > FlowBatch.MAX_BYTES) {
      throw new FlowFormatException("a flow batch says it has " + length + " bytes");
    }
    // Allocate by the bytes that are really there, not by the header's length.
    byte[] rest = in.readNBytes(length - HEADER_BYTES);
    if (rest.length < length - HEADER_BYTES) {
      throw new EOFException("a flow batch of " + length + " bytes is cut short");
    }
    byte[] bytes = Arrays.copyOf(header, length);
    System.arraycopy(rest, 0, bytes, HEADER_BYTES, rest.length);
    return bytes;
  }

  private static void append(FlowBatch batch, FlowSink sink) {
    for (int row = 0; row < batch.rows(); row++) {
      FlowBatchBuilder builder = sink.builder();
      builder.appendRow(batch, row);
      sink.rowsEnded(1);
    }
  }
}

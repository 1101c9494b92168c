package org.flowmon.ingest.file.binary;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.ZipException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.file.format.FlowInput;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads GoFlow2's protobuf: each message after its length, as {@code -format bin} writes. A message
 * that is none is rejected by its number; a length beyond {@link #MOST_BYTES} ends the file.
 */
public final class GoFlowReader implements ParallelFlowReader {
  static final int MOST_BYTES = 1 << 20;

  private static final int BUFFER = 1 << 16;

  private final FlowInput input;
  private final FileReadOptions options;

  public GoFlowReader(FlowInput input, FileReadOptions options) {
    this.input = input;
    this.options = options;
  }

  @Override
  public FileSummary read(int threads, Consumer<FlowBatch> out) throws IOException {
    Path file = input.name();
    try (InputStream in = new BufferedInputStream(input.open(options.bytesRead()), BUFFER)) {
      List<FlowColumn> columns = GoFlowMessage.COLUMNS;
      ColumnWriter rows =
          new ColumnWriter(
              file, InputFormat.GOFLOW2_PROTOBUF, SourceKind.IPFIX, columns, options, out);
      return rows.end(messages(in, rows));
    }
  }

  /** Returns the damage that ends the input, null if there is none. */
  private @Nullable String messages(InputStream in, ColumnWriter rows) throws IOException {
    GoFlowMessage message = new GoFlowMessage();
    byte[] bytes = new byte[1 << 12];
    long number = 0;
    try {
      while (true) {
        if (input.isLive() && in.available() == 0) {
          rows.flush();
        }
        long length = length(in);
        if (length < 0) {
          return null;
        }
        number++;
        if (length > MOST_BYTES) {
          return damage(number, "a message of " + length + " bytes, at most " + MOST_BYTES);
        }
        if (length > bytes.length) {
          bytes = new byte[Math.min(MOST_BYTES, 2 * (int) length)];
        }
        if (in.readNBytes(bytes, 0, (int) length) < length) {
          return damage(number, "it is cut short");
        }
        if (message.read(bytes, (int) length)) {
          message.write(rows);
          rows.endRow();
        } else {
          options
              .rejects()
              .add(
                  input.name(),
                  number,
                  RejectReason.BAD_MESSAGE,
                  "no FlowMessage of GoFlow2",
                  bytes,
                  0,
                  (int) length,
                  false);
        }
      }
    } catch (EOFException | ZipException e) {
      return damage(number + 1, "the data is damaged: " + e.getMessage());
    }
  }

  private String damage(long number, String what) {
    return input.name() + ", message " + number + ": " + what;
  }

  /** The next message's length, −1 at the end. */
  private static long length(InputStream in) throws IOException {
    long value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int b = in.read();
      if (b < 0) {
        if (shift == 0) {
          return -1;
        }
        throw new EOFException("a length is cut short");
      }
      value |= (long) (b & 0x7F) << shift;
      if (b < 0x80) {
        return value;
      }
    }
    throw new EOFException("a length of more than 5 bytes");
  }
}

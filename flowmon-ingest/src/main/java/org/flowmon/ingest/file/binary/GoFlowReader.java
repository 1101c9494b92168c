package org.flowmon.ingest.file.binary;

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
    try (InputStream in = input.open(options.bytesRead())) {
      List<FlowColumn> columns = GoFlowMessage.COLUMNS;
      ColumnWriter rows =
          new ColumnWriter(
              file, InputFormat.GOFLOW2_PROTOBUF, SourceKind.IPFIX, columns, options, out);
      return rows.end(new Reading(in, rows).damage());
    }
  }

  private final class Reading {
    private final InputStream in;
    private final ColumnWriter rows;
    private final GoFlowMessage message = new GoFlowMessage();
    private byte[] bytes = new byte[BUFFER];
    private int at;
    private int limit;
    private long number;

    Reading(InputStream in, ColumnWriter rows) {
      this.in = in;
      this.rows = rows;
    }

    /** Reads all; returns the damage that ends the input, null if there is none. */
    private @Nullable String damage() throws IOException {
      try {
        for (number = 1; isThere(1); number++) {
          long length = length();
          if (length > MOST_BYTES) {
            return damage("a message of " + length + " bytes, at most " + MOST_BYTES);
          }
          if (!isThere((int) length)) {
            return damage("it is cut short");
          }
          take((int) length);
        }
        return null;
      } catch (EOFException | ZipException e) {
        return damage("the data is damaged: " + e.getMessage());
      }
    }

    private String damage(String what) {
      return input.name() + ", message " + number + ": " + what;
    }

    private void take(int length) throws IOException {
      if (message.read(bytes, at, at + length)) {
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
                at,
                at + length,
                false);
      }
      at += length;
    }

    /** Reads on until so many bytes are there; false if the input ends before. */
    private boolean isThere(int count) throws IOException {
      if (limit - at < count) {
        byte[] into = count > bytes.length ? new byte[Math.min(MOST_BYTES, 2 * count)] : bytes;
        System.arraycopy(bytes, at, into, 0, limit - at);
        limit -= at;
        at = 0;
        bytes = into;
      }
      while (limit < count) {
        if (input.isLive() && in.available() == 0) {
          rows.flush(); // reading on may wait, and says that all before it was handed on
        }
        int read = in.read(bytes, limit, bytes.length - limit);
        if (read < 0) {
          return false;
        }
        limit += read;
      }
      return true;
    }

    private long length() throws IOException {
      long value = 0;
      for (int shift = 0; shift < 35; shift += 7) {
        if (!isThere(1)) {
          throw new EOFException("a length is cut short");
        }
        int b = bytes[at++];
        value |= (long) (b & 0x7F) << shift;
        if (b >= 0) {
          return value;
        }
      }
      throw new EOFException("a length of more than 5 bytes");
    }
  }
}

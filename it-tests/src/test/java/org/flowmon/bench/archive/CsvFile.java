package org.flowmon.bench.archive;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes rows of the workload as the CSV file that {@link CsvWorkload} reads. */
public final class CsvFile implements AutoCloseable {
  private static final int LONGEST_NUMBER = 20;

  private final OutputStream out;
  private final byte[] buffer = new byte[1 << 16];
  private int length;

  public CsvFile(Path file) throws IOException {
    out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20);
    List<String> names = WorkloadColumn.all().stream().map(WorkloadColumn::csvName).toList();
    out.write((String.join(",", names) + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  /** Adds all rows of a block. */
  public void write(FlowBlock block) throws IOException {
    List<WorkloadColumn> columns = WorkloadColumn.all();
    for (int r = 0; r < block.rows(); r++) {
      if (length + columns.size() * (LONGEST_NUMBER + 1) > buffer.length) {
        flush();
      }
      for (WorkloadColumn column : columns) {
        append(block.column(column)[r]);
        buffer[length++] = ',';
      }
      buffer[length - 1] = '\n';
    }
  }

  private void append(long value) {
    int from = length;
    long left = value;
    do {
      buffer[length++] = (byte) ('0' + left % 10);
      left /= 10;
    } while (left > 0);
    for (int i = from, j = length - 1; i < j; i++, j--) {
      byte digit = buffer[i];
      buffer[i] = buffer[j];
      buffer[j] = digit;
    }
  }

  private void flush() throws IOException {
    out.write(buffer, 0, length);
    length = 0;
  }

  @Override
  public void close() throws IOException {
    flush();
    out.close();
  }
}

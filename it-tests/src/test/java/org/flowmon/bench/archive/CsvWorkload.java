package org.flowmon.bench.archive;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Rows of a CSV file of whole numbers, with the header {@code ts,src_ip,dst_ip,src_port,dst_port,
 * protocol,bytes_sent,bytes_recv,outgoing,state,duration}, and a file of parameters as JSON.
 */
public final class CsvWorkload implements Workload {
  private static final int BLOCK_ROWS = 500_000;
  private static final int MAX_DIGITS = 18;
  private static final String HEADER =
      String.join(
          ",", WorkloadColumn.all().stream().map(WorkloadColumn::csvName).toArray(String[]::new));

  private final Path file;
  private final WorkloadParameters parameters;

  /**
   * @throws IOException if the parameters cannot be read
   */
  public CsvWorkload(Path file, Path parameters) throws IOException {
    this.file = file;
    this.parameters = WorkloadParameters.read(parameters);
    if (!Files.isReadable(file)) {
      throw new IOException("cannot read " + file);
    }
  }

  /** The file of rows. */
  Path file() {
    return file;
  }

  @Override
  public WorkloadParameters parameters() {
    return parameters;
  }

  @Override
  public String description() {
    return String.format("%,d rows of %s", parameters.rows(), file.getFileName());
  }

  /** Gives all rows to the sink; their number must be that of the parameters. */
  @Override
  public void read(Sink sink) throws IOException {
    FlowBlock block = new FlowBlock(BLOCK_ROWS);
    List<WorkloadColumn> columns = WorkloadColumn.all();
    long rows = 0;
    try (InputStream in = Files.newInputStream(file)) {
      Fields fields = new Fields(in);
      fields.requireHeader();
      while (!fields.atEnd()) {
        int row = block.rows();
        for (int c = 0; c < columns.size(); c++) {
          block.column(columns.get(c))[row] =
              fields.number(columns.get(c), c == columns.size() - 1);
        }
        block.setRows(row + 1);
        rows++;
        if (block.rows() == block.capacity()) {
          sink.accept(block);
          block.setRows(0);
        }
      }
    }
    if (block.rows() > 0) {
      sink.accept(block);
    }
    if (rows != parameters.rows()) {
      throw new IOException(
          file + " has " + rows + " rows, its parameters say " + parameters.rows());
    }
  }

  /** Reads the file's bytes, field by field. */
  private final class Fields {
    private final InputStream in;
    private final byte[] buffer = new byte[1 << 20];
    private int at;
    private int length;
    private long line = 1;

    Fields(InputStream in) {
      this.in = in;
    }

    boolean atEnd() throws IOException {
      if (at == length) {
        length = Math.max(0, in.read(buffer));
        at = 0;
      }
      return length == 0;
    }

    private int next() throws IOException {
      if (atEnd()) {
        throw new EOFException(file + " line " + line + ": the file ends within a row");
      }
      return buffer[at++];
    }

    void requireHeader() throws IOException {
      byte[] expected = (HEADER + "\n").getBytes(StandardCharsets.US_ASCII);
      for (byte letter : expected) {
        if (next() != letter) {
          throw new IOException(file + " line 1: expected the header " + HEADER);
        }
      }
      line++;
    }

    /** Reads a field and the comma after it, or the line feed after the last field of a row. */
    long number(WorkloadColumn column, boolean last) throws IOException {
      long value = 0;
      int digits = 0;
      int letter = next();
      for (; letter >= '0' && letter <= '9'; letter = next()) {
        value = 10 * value + letter - '0';
        digits++;
      }
      if (digits == 0
          || digits > MAX_DIGITS
          || value > column.max()
          || letter != (last ? '\n' : ',')) {
        throw new IOException(
            file
                + " line "
                + line
                + ", "
                + column.csvName()
                + ": expected a number of 0 … "
                + column.max()
                + (last ? " and the end of the line" : " and a comma"));
      }
      line += last ? 1 : 0;
      return value;
    }
  }
}

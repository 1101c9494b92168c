package org.flowmon.deploy.export.file;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.deploy.export.row.ExportTarget;

/** A stream, such as standard output, which stays open. */
public final class StreamTarget implements ExportTarget {
  private static final int BUFFER = 1 << 16;

  private final OutputStream out;
  private final ExportFormat format;
  private Optional<RowFormat> rows = Optional.empty(); // since it began

  public StreamTarget(OutputStream stream, ExportFormat format) {
    this.out = new BufferedOutputStream(stream, BUFFER);
    this.format = format;
  }

  @Override
  public void begin(List<ExportColumn> columns) throws IOException {
    rows = Optional.of(format.rows(columns, out));
  }

  @Override
  public void write(ExportRows block) throws IOException {
    rows.orElseThrow().write(block);
  }

  @Override
  public void finish() throws IOException {
    rows.orElseThrow().end();
    out.flush();
  }

  @Override
  public void close() {
    rows.ifPresent(RowFormat::close);
  }
}

package org.flowmon.deploy.export.file;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;

/** Writes rows as bytes of a file. */
interface RowFormat {
  void begin(List<ExportColumn> columns, OutputStream out) throws IOException;

  void write(ExportRows block, OutputStream out) throws IOException;

  void end(OutputStream out) throws IOException;
}

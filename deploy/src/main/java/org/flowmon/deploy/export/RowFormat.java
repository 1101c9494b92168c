package org.flowmon.deploy.export;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Rows as bytes of a file. */
interface RowFormat {
  void begin(List<ExportColumn> columns, OutputStream out) throws IOException;

  void write(ExportRows block, OutputStream out) throws IOException;

  void end(OutputStream out) throws IOException;
}

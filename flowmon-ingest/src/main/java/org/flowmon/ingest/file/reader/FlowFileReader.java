package org.flowmon.ingest.file.reader;

import java.io.IOException;
import org.flowmon.ingest.FlowSink;

/** Reads the flows of one file. {@code FlowFiles.open} finds the reader for a file. */
public interface FlowFileReader {
  /**
   * Unreadable parts are counted by reason and never stop the rest; {@code arrival} never goes
   * back.
   *
   * @throws IOException naming the file if none of it can be read or the rejects not be written
   */
  FileSummary read(FlowSink out) throws IOException;
}

package org.flowmon.ingest.file.reader;

import java.io.IOException;
import org.flowmon.ingest.FlowSink;

/** Reads the flows of one file. {@code FlowFiles.open} finds the reader for a file. */
public interface FlowFileReader {
  /**
   * Reads the file from beginning to end. Unreadable parts are counted by reason in the summary and
   * never stop the rest.
   *
   * @param out gets the flows in the order of the file; {@code arrival} never goes back
   * @throws IOException naming the file if it cannot be read at all, or if the rejects cannot be
   *     written
   */
  FileSummary read(FlowSink out) throws IOException;
}

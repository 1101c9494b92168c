package org.flowmon.ingest.file.reader;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.file.format.InputFormat;

/** Reads the flows of one file. {@code FlowFiles.open} finds the reader for a file. */
public interface FlowFileReader {
  /** The file that is read. */
  Path file();

  InputFormat format();

  /**
   * Reads the file from its beginning to its end. What cannot be read is counted by reason in the
   * summary and never stops the rest.
   *
   * @param out gets the flows in the order of the file, {@code arrival} never going back
   * @throws IOException naming the file where it cannot be read at all, or where the rejects cannot
   *     be written
   */
  FileSummary read(FlowSink out) throws IOException;
}

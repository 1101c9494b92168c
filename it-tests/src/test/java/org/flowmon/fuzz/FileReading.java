package org.flowmon.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.file.FileReadOptions;
import org.flowmon.ingest.file.FileSummary;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.publish.BatchCollectingSink;

/** Reads bytes as a file that somebody wants to import. */
final class FileReading {
  private FileReading() {}

  /** Each batch must open, and the summary must count the flows that came. */
  static void read(byte[] bytes) throws IOException {
    try (ScratchFolder folder = new ScratchFolder()) {
      Path file = folder.file("input", bytes);
      long[] flows = new long[1];
      FileSummary summary = null;
      try (BatchCollectingSink sink =
          new BatchCollectingSink(
              64, batch -> flows[0] += FlowBatch.open(batch.bytes().clone()).rows())) {
        summary = FlowFiles.open(file, FileReadOptions.defaults()).read(sink);
      } catch (IOException e) { // UnknownFormatException among them
        ExportsFuzz.require(
            e.getMessage() != null && e.getMessage().contains("input"),
            "an error that does not name the file: " + e);
      }
      ExportsFuzz.require(
          summary == null || summary.rows() == flows[0],
          flows[0] + " flows, the summary says " + summary);
    }
  }

  static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }
}

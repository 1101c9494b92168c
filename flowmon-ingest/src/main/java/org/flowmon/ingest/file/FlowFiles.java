package org.flowmon.ingest.file;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.ingest.file.capture.CaptureReader;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.row.TextFileReader;
import org.flowmon.ingest.file.zeek.ZeekReader;

/** Finds the reader for a file by its content. */
public final class FlowFiles {
  private FlowFiles() {}

  /**
   * Returns the reader for a file; files of one import share the options.
   *
   * @throws UnknownFormatException if flowmon does not read such files
   */
  public static FlowFileReader open(Path file, FileReadOptions options) throws IOException {
    InputFormat format = InputFormat.detect(file, options.columns());
    return switch (format) {
      case ZEEK_TSV, ZEEK_JSON -> new ZeekReader(file, format, options);
      case CSV, JSON -> new TextFileReader(file, format, options);
      case FLOW_BATCHES -> new FlowBatchFileReader(file);
      case PCAP, PCAPNG, IPFIX -> new CaptureReader(file, format, options);
      case PARQUET ->
          throw new UnknownFormatException(
              file + " begins as Parquet files do: flowmon import reads one that is not gzipped");
    };
  }

  public static FlowFileReader open(Path file) throws IOException {
    return open(file, FileReadOptions.defaults());
  }
}

package org.flowmon.ingest.file;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.ingest.file.binary.FlowToolsReader;
import org.flowmon.ingest.file.binary.GoFlowReader;
import org.flowmon.ingest.file.capture.CaptureReader;
import org.flowmon.ingest.file.document.DocumentInput;
import org.flowmon.ingest.file.format.FlowInput;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.SplittingReader;
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
    return open(FlowInput.of(file), options);
  }

  /** As of a file; a live input is text or GoFlow2's messages, a followed one lines. */
  public static FlowFileReader open(FlowInput input, FileReadOptions options) throws IOException {
    return SplittingReader.of(plain(input, options), options);
  }

  private static FlowFileReader plain(FlowInput input, FileReadOptions options) throws IOException {
    InputFormat format = InputFormat.detect(input, options.columns(), options.format());
    boolean isReadable = input.isFollowed() ? isOfLines(format) : isReadAsItComes(format);
    if (input.isLive() && !isReadable) {
      throw new UnknownFormatException(
          input.name()
              + ": "
              + format.label()
              + " is not read as it "
              + (input.isFollowed() ? "grows" : "comes")
              + ": name a file that is complete");
    }
    Path file = input.name();
    return switch (format) {
      case CSV, JSON -> new TextFileReader(input, format, options);
      case JSON_DOCUMENT -> new TextFileReader(DocumentInput.json(input), format, options);
      case AZURE -> {
        FlowInput tuples = DocumentInput.azure(input);
        yield new TextFileReader(tuples, format, options.withFormat(format.label()));
      }
      case ZEEK_TSV, ZEEK_JSON -> new ZeekReader(input, format, options);
      case FLOW_TOOLS -> new FlowToolsReader(input, options);
      case GOFLOW2_PROTOBUF -> new GoFlowReader(input, options);
      case NFCAPD ->
          new TextFileReader(DocumentInput.nfcapd(file), format, options.withFormat("nfdump"));
      case FLOW_BATCHES -> new FlowBatchFileReader(file);
      case PCAP, PCAPNG, IPFIX -> new CaptureReader(file, format, options);
      case PARQUET ->
          throw new UnknownFormatException(
              file + " begins as Parquet files do: flowmon import reads one that is not gzipped");
    };
  }

  private static boolean isOfLines(InputFormat format) {
    return switch (format) {
      case CSV, JSON, ZEEK_TSV, ZEEK_JSON -> true;
      case PCAP, PCAPNG, IPFIX, JSON_DOCUMENT, AZURE, FLOW_TOOLS -> false;
      case NFCAPD, GOFLOW2_PROTOBUF, FLOW_BATCHES, PARQUET -> false;
    };
  }

  private static boolean isReadAsItComes(InputFormat format) {
    return switch (format) {
      case CSV, JSON, JSON_DOCUMENT, AZURE, ZEEK_TSV, ZEEK_JSON, FLOW_TOOLS, GOFLOW2_PROTOBUF ->
          true;
      case PCAP, PCAPNG, IPFIX, NFCAPD, FLOW_BATCHES, PARQUET -> false;
    };
  }

  public static FlowFileReader open(Path file) throws IOException {
    return open(file, FileReadOptions.defaults());
  }
}

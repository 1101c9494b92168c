package org.flowmon.ingest.file.zeek;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.file.format.FlowInput;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.format.Refusal;
import org.flowmon.ingest.file.format.RejectReason;
import org.flowmon.ingest.file.line.Line;
import org.flowmon.ingest.file.line.LineReader;
import org.flowmon.ingest.file.reader.ArrivalClock;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.FlowFileReader;
import org.flowmon.ingest.file.reader.RejectedLines;
import org.flowmon.ingest.file.reader.SummarySink;
import org.jspecify.annotations.Nullable;

/**
 * Reads Zeek's connection log: TSV with header lines anywhere, and JSON lines; plain or gzip. Lines
 * decide, not the file's name; {@code docs/format/files.md} has fields and bad lines. A line of at
 * most {@link LineReader#MAX_LINE_BYTES} is held at a time.
 */
public final class ZeekReader implements FlowFileReader {
  private final Path file;
  private final FlowInput input;
  private final InputFormat format;
  private final FileReadOptions options;

  /**
   * Of a file that {@link InputFormat#detect} took for Zeek's; the format is for the summary alone.
   */
  public ZeekReader(FlowInput input, InputFormat format, FileReadOptions options) {
    this.file = input.name();
    this.input = input;
    this.format = format;
    this.options = options;
  }

  @Override
  public FileSummary read(FlowSink out) throws IOException {
    SummarySink sink = new SummarySink(out);
    RejectedLines rejects = options.rejects();
    long[] before = rejects.mark();
    options.clock().beginFile();
    @Nullable String damage;
    try (ZeekLines lines = new ZeekLines(input.open(options.bytesRead()), input.isLive())) {
      Reading reading = new Reading(lines, sink);
      while (lines.next()) {
        Line line = lines.line();
        if (!reading.take(line)) {
          rejects.add(
              file,
              line.number(),
              reading.refusal.reason(),
              reading.refusal.detail(),
              line.bytes(),
              line.from(),
              line.to(),
              line.isTooLong());
        }
      }
      damage =
          lines.damage() == null
              ? null
              : file + ", after line " + lines.number() + ": " + lines.damage();
    }
    return sink.summary().of(file, format, rejects.since(before), damage);
  }

  private final class Reading {
    private final ZeekLines lines;
    private final ZeekHeader header = new ZeekHeader();
    private final ZeekLineReader connection = new ZeekLineReader(header);
    // For a line ahead; it leaves the current line unchanged.
    private final ZeekLineReader ahead = new ZeekLineReader(header);
    private final ZeekFlowWriter writer;
    private final ArrivalClock clock = options.clock();
    private final long[] following = new long[ArrivalClock.LOOK_AHEAD];
    private Refusal refusal = connection.refusal();

    Reading(ZeekLines lines, FlowSink out) {
      this.lines = lines;
      this.writer = new ZeekFlowWriter(connection.values(), options, out);
    }

    boolean take(Line line) throws IOException {
      refusal = connection.refusal();
      if (line.isTooLong()) {
        return refusal.because(RejectReason.LINE_TOO_LONG, LineReader.TOO_LONG);
      }
      if (line.isCutShort()) {
        return refusal.because(RejectReason.CUT_SHORT, Objects.requireNonNull(lines.damage()));
      }
      if (line.from() == line.to()) {
        return true;
      }
      int hash = header.begin(line.bytes(), line.from(), line.to());
      if (hash < line.to()) {
        refusal = header.refusal();
        return header.take(line.bytes(), hash, line.to());
      }
      if (!connection.read(line.bytes(), line.from(), line.to())) {
        return false;
      }
      writer.write(arrival(connection.endTime()));
      return true;
    }

    private long arrival(long time) throws IOException {
      return clock.needsFollowing(time)
          ? clock.arrival(time, following, readAhead())
          : clock.arrival(time);
    }

    /** Reads the times of flows among the next lines, up to a header line. */
    private int readAhead() throws IOException {
      int count = 0;
      for (int place = 0; place < following.length; place++) {
        if (!lines.hasAhead(place)) {
          break;
        }
        Line line = lines.ahead(place);
        if (header.begin(line.bytes(), line.from(), line.to()) < line.to()) {
          break;
        }
        boolean whole = !line.isTooLong() && !line.isCutShort() && line.from() < line.to();
        if (whole && ahead.read(line.bytes(), line.from(), line.to())) {
          following[count++] = ahead.endTime();
        }
      }
      return count;
    }
  }
}

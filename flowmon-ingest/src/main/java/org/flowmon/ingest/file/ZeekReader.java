package org.flowmon.ingest.file;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.ingest.FlowSink;

/**
 * Reads Zeek's connection log: TSV with its header lines, wherever in the file they stand, and JSON
 * lines; plain or compressed by gzip. What each line is, is seen from the line, not from the file's
 * name. {@code docs/format/files.md} says what becomes of the fields and of bad lines.
 *
 * <p>Memory is bounded: a line of at most {@link LineReader#MAX_LINE_BYTES} is held at a time.
 */
public final class ZeekReader implements FlowFileReader {
  private final Path file;
  private final InputFormat format;
  private final FileReadOptions options;

  /**
   * A reader for a file that {@link InputFormat#detect} says is a Zeek log.
   *
   * @param format what the summary says; it decides nothing about how lines are read
   */
  public ZeekReader(Path file, InputFormat format, FileReadOptions options) {
    this.file = file;
    this.format = format;
    this.options = options;
  }

  @Override
  public Path file() {
    return file;
  }

  @Override
  public InputFormat format() {
    return format;
  }

  @Override
  public FileSummary read(FlowSink out) throws IOException {
    SummarySink sink = new SummarySink(out);
    RejectedLines rejects = options.rejects();
    long[] before = rejects.mark();
    String damage;
    try (LineReader lines = new LineReader(GzipInput.open(file, options.bytesRead()))) {
      Lines reading = new Lines(lines, sink);
      while (lines.next()) {
        RejectReason reason = reading.line();
        if (reason != null) {
          rejects.add(
              file,
              lines.number(),
              reason,
              reading.problem,
              lines.bytes(),
              lines.from(),
              lines.to(),
              lines.tooLong());
        }
      }
      damage =
          lines.damage() == null
              ? null
              : file + ", after line " + lines.number() + ": " + lines.damage();
    }
    return sink.summary(file, format, rejects.since(before), damage);
  }

  /** One pass over the lines. */
  private final class Lines {
    private final LineReader lines;
    private final ZeekHeader header = new ZeekHeader();
    private final ZeekValues values = new ZeekValues();
    private final ZeekJsonLine json = new ZeekJsonLine(values);
    private final ZeekFlowWriter writer;
    private String problem = "";

    Lines(LineReader lines, FlowSink out) {
      this.lines = lines;
      this.writer = new ZeekFlowWriter(values, options, out);
    }

    /** Takes a line; null, or why it is no flow. */
    RejectReason line() throws IOException {
      byte[] bytes = lines.bytes();
      int from = lines.from();
      int to = lines.to();
      if (lines.tooLong()) {
        return refuse(
            RejectReason.LINE_TOO_LONG,
            "more than " + LineReader.MAX_LINE_BYTES + " bytes, the first of them are kept");
      }
      if (lines.cutShort()) {
        return refuse(RejectReason.CUT_SHORT, lines.damage());
      }
      if (from == to) {
        return null;
      }
      int hash = header.seen() ? from : firstOf(bytes, from, to);
      if (hash < to && bytes[hash] == '#') {
        RejectReason reason = header.take(bytes, hash, to);
        return reason == null ? null : refuse(reason, header.problem());
      }
      values.clear();
      boolean object = !header.seen() && hash < to && bytes[hash] == '{';
      RejectReason reason = object ? object(bytes, from, to) : row(bytes, from, to);
      if (reason != null) {
        return reason;
      }
      reason = writer.write();
      return reason == null ? null : refuse(reason, writer.problem());
    }

    /** Before the header some logs have blanks in front of their first line. */
    private static int firstOf(byte[] bytes, int from, int to) {
      int at = from;
      while (at < to && (bytes[at] == ' ' || bytes[at] == '\t')) {
        at++;
      }
      return at;
    }

    private RejectReason object(byte[] bytes, int from, int to) throws IOException {
      RejectReason reason = json.read(bytes, from, to);
      return reason == null ? null : refuse(reason, json.problem());
    }

    private RejectReason row(byte[] bytes, int from, int to) {
      if (header.unusable() != null) {
        return refuse(header.unusable(), header.problem());
      }
      ZeekField[] fields = header.fields();
      byte separator = header.separator();
      int place = 0;
      int start = from;
      RejectReason reason = null;
      for (int i = from; i <= to; i++) {
        if (i < to && bytes[i] != separator) {
          continue;
        }
        if (place < fields.length && fields[place] != null && reason == null) {
          reason = value(fields[place], bytes, start, i);
        }
        place++;
        start = i + 1;
      }
      // Where the count is wrong, that is the cause of whatever else does not fit.
      return place == fields.length
          ? reason
          : refuse(
              RejectReason.WRONG_FIELD_COUNT,
              place + " values, the header has " + fields.length + " fields");
    }

    private RejectReason value(ZeekField field, byte[] bytes, int from, int to) {
      if (header.isUnset(bytes, from, to)) {
        return null;
      }
      boolean text = field.kind() == ZeekField.Kind.TEXT;
      RejectReason reason;
      if (header.isEmpty(bytes, from, to)) {
        reason = text ? values.set(field, bytes, from, from) : null;
      } else if (text && ZeekEscapes.any(bytes, from, to)) {
        byte[] plain = ZeekEscapes.unescape(java.util.Arrays.copyOfRange(bytes, from, to));
        reason = values.set(field, plain, 0, plain.length);
      } else {
        reason = values.set(field, bytes, from, to);
      }
      return reason == null ? null : refuse(reason, values.problem());
    }

    private RejectReason refuse(RejectReason reason, String why) {
      problem = why;
      return reason;
    }
  }
}

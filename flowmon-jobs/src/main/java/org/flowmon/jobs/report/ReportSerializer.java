package org.flowmon.jobs.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.types.ErrorBounds;
import org.flowmon.jobs.types.RecordSerializer;
import org.flowmon.jobs.types.ResultTableBytes;
import org.flowmon.udaf.value.ResultTable;

/**
 * Serializes reports. Version 7: analysis (modified UTF-8), definition ({@link
 * RecordSerializer#writeText}; not in version 1); start, end (8 bytes each); revision (4); rows as
 * {@link ResultTableBytes}; a byte per column (bit 0 wide, bit 1 key, from version 7 on bit 2
 * list). Confidence: status (1), as-of, from, through, arrived through, final at (8 each; the last
 * two not in version 1), groups' level (4, from version 3 on), their number (8, from version 4 on),
 * the six counts (8 each, in version 1 the first four), 0 or 1 and the message. From version 5 on:
 * the number of approximations and for each column, value (text), bound ({@link ErrorBounds}),
 * exact query (text). From version 6 on: the number of files that were joined and each version
 * (text). From version 7 on: of each approximation whether its column is computed from the value
 * (1).
 */
public final class ReportSerializer extends RecordSerializer<Report> {
  private static final long serialVersionUID = 1L;
  private static final int WIDE = 1;
  private static final int KEY = 2;
  private static final int LIST = 4;
  private static final int MAX_APPROXIMATIONS = 1 << 16;

  public ReportSerializer() {
    super(7, Snapshot.class);
  }

  @Override
  protected void write(Report report, DataOutputView target) throws IOException {
    target.writeUTF(report.analysis());
    writeText(report.definition(), target);
    target.writeLong(report.windowStart());
    target.writeLong(report.windowEnd());
    target.writeInt(report.revision());
    ResultTableBytes.write(report.rows(), target);
    for (ReportColumn column : report.columns()) {
      target.writeByte(
          (column.wide() ? WIDE : 0) | (column.key() ? KEY : 0) | (column.list() ? LIST : 0));
    }
    Confidence confidence = report.confidence();
    target.writeByte(confidence.history().code());
    target.writeLong(confidence.asOf());
    target.writeLong(confidence.historyFrom());
    target.writeLong(confidence.historyThrough());
    target.writeLong(confidence.arrivedThrough());
    target.writeLong(confidence.finalAt());
    target.writeInt(confidence.groupLevel());
    target.writeLong(confidence.groups());
    confidence.counts().write(target);
    writeMessage(confidence.message(), target);
    target.writeInt(report.approximations().size());
    for (ReportApproximation one : report.approximations()) {
      writeText(one.column(), target);
      writeText(one.value(), target);
      ErrorBounds.write(one.bound(), target);
      writeText(one.exact(), target);
    }
    target.writeInt(confidence.enrichment().size());
    for (String file : confidence.enrichment()) {
      writeText(file, target);
    }
    for (ReportApproximation one : report.approximations()) {
      target.writeBoolean(one.computed());
    }
  }

  @Override
  protected Report read(int found, DataInputView source) throws IOException {
    String analysis = source.readUTF();
    String definition = found < 2 ? null : readText(source);
    long start = source.readLong();
    long end = source.readLong();
    int revision = source.readInt();
    ResultTable rows = ResultTableBytes.read(source);
    List<ReportColumn> columns = new ArrayList<>();
    for (int c = 0; c < rows.columnCount(); c++) {
      int bits = source.readUnsignedByte();
      columns.add(
          new ReportColumn(
              rows.name(c),
              rows.kind(c),
              (bits & WIDE) != 0,
              (bits & KEY) != 0,
              (bits & LIST) != 0));
    }
    Confidence confidence = readConfidence(found, end, source);
    List<ReportApproximation> approximations = found > 4 ? readApproximations(source) : List.of();
    if (found > 5) {
      confidence = confidence.withEnrichment(readEnrichment(source));
    }
    if (found > 6) {
      approximations = withComputed(approximations, source);
    }
    return new Report(
        analysis, definition, start, end, revision, columns, rows, confidence, approximations);
  }

  private static List<ReportApproximation> withComputed(
      List<ReportApproximation> all, DataInputView source) throws IOException {
    List<ReportApproximation> read = new ArrayList<>();
    for (ReportApproximation one : all) {
      boolean isComputed = source.readBoolean();
      read.add(
          new ReportApproximation(one.column(), one.value(), isComputed, one.bound(), one.exact()));
    }
    return read;
  }

  private static List<String> readEnrichment(DataInputView source) throws IOException {
    int count = source.readInt();
    if (count < 0 || count > MAX_APPROXIMATIONS) {
      throw new IOException("a report with " + count + " files");
    }
    List<String> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(readPresentText(source, "a version of a file"));
    }
    return all;
  }

  private static List<ReportApproximation> readApproximations(DataInputView source)
      throws IOException {
    int count = source.readInt();
    if (count < 0 || count > MAX_APPROXIMATIONS) {
      throw new IOException("a report with " + count + " approximations");
    }
    List<ReportApproximation> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(
          new ReportApproximation(
              readPresentText(source, "an approximation's column"),
              readPresentText(source, "an approximation's value"),
              false,
              ErrorBounds.read(source),
              readText(source)));
    }
    return all;
  }

  private static Confidence readConfidence(int found, long end, DataInputView source)
      throws IOException {
    HistoryStatus status = HistoryStatus.byCode(source.readUnsignedByte());
    long asOf = source.readLong();
    long from = source.readLong();
    long through = source.readLong();
    long arrivedThrough = found > 1 ? source.readLong() : end;
    long finalAt = found > 1 ? source.readLong() : end;
    int groupLevel = found > 2 ? source.readInt() : 0;
    long groups = found > 3 ? source.readLong() : WindowResult.UNKNOWN_GROUPS;
    ArrivalCounts counts = ArrivalCounts.read(source, found > 1);
    String message = readMessage(source);
    return new Confidence(
        status, asOf, from, through, arrivedThrough, finalAt, groupLevel, groups, counts, message);
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Report> {
    public Snapshot() {
      super(ReportSerializer::new);
    }
  }
}

package org.flowmon.ingest.file.binary;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.row.TypedRowReader;
import org.flowmon.ingest.file.row.TypedRowReader.Column;
import org.flowmon.ingest.file.row.TypedRowReader.Kind;
import org.jspecify.annotations.Nullable;

/** Rows by column, for records whose fields are known. Not thread-safe. */
final class ColumnWriter {
  private final TypedRowReader rows;
  private final int[] place = new int[FlowColumn.count()];

  ColumnWriter(
      Path file,
      InputFormat format,
      SourceKind kind,
      List<FlowColumn> columns,
      FileReadOptions options,
      Consumer<FlowBatch> out)
      throws IOException {
    Arrays.fill(place, -1); // a column that is not listed must not be taken for the first
    List<Column> typed = new ArrayList<>();
    for (FlowColumn column : columns) {
      place[column.ordinal()] = typed.size();
      typed.add(new Column(column.sqlName(), column.type().toString(), kind(column)));
    }
    FileReadOptions own = options.withColumns(ColumnNames.DEFAULTS);
    this.rows = new TypedRowReader(file, format, kind, typed, own, out);
  }

  private static Kind kind(FlowColumn column) {
    return switch (column.type()) {
      case TIMESTAMP -> Kind.TIME_MICROS;
      case ADDRESS -> Kind.ADDRESS;
      case BOOLEAN -> Kind.BOOLEAN;
      case TEXT -> Kind.TEXT;
      default -> Kind.WHOLE;
    };
  }

  void set(FlowColumn column, long value) {
    rows.set(place[column.ordinal()], value);
  }

  void setKnown(FlowColumn column, long value) {
    if (value != 0) {
      set(column, value);
    }
  }

  void setIpv4(FlowColumn column, int address) {
    rows.setAddress(place[column.ordinal()], 0, IpAddress.ipv4Low(address));
  }

  /** The bytes stay as they are. */
  void setText(FlowColumn column, byte[] utf8) {
    rows.set(place[column.ordinal()], utf8);
  }

  void setAddress(FlowColumn column, long high, long low) {
    rows.setAddress(place[column.ordinal()], high, low);
  }

  void endRow() throws IOException {
    rows.endRow();
  }

  /** Hands on the flows so far. */
  void flush() {
    rows.flush();
  }

  long count() {
    return rows.rows();
  }

  FileSummary end(@Nullable String damage) {
    return rows.end(damage);
  }
}

package org.flowmon.jobs.sql.row;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.jspecify.annotations.Nullable;

/** Makes rows of Flink of flows, column by column. Receivers may keep them. Not thread-safe. */
public final class FlowCells {
  private static final int BLOCK = 1024;

  private final List<Cells> columns = new ArrayList<>();
  private final long[] values = new long[BLOCK];
  private final long[] highs = new long[BLOCK];
  private final long[] validity = new long[BLOCK / Long.SIZE];
  private final @Nullable String[] texts = new String[BLOCK];

  public FlowCells(List<FlowColumn> columns, List<LogicalType> types) {
    for (int i = 0; i < columns.size(); i++) {
      this.columns.add(new Cells(columns.get(i), i, types.get(i)));
    }
  }

  public void emit(FlowRows flows, Consumer<RowData> output) {
    GenericRowData[] rows = new GenericRowData[Math.min(BLOCK, flows.rows())];
    for (int from = 0; from < flows.rows(); from += BLOCK) {
      int count = Math.min(BLOCK, flows.rows() - from);
      for (int i = 0; i < count; i++) {
        rows[i] = new GenericRowData(columns.size());
      }
      for (Cells column : columns) {
        column.fill(flows, from, count, rows);
      }
      for (int i = 0; i < count; i++) {
        output.accept(rows[i]);
      }
    }
  }

  /** A column of the rows; its cells are NULL at first. */
  private final class Cells {
    private final FlowColumn column;
    private final int field;
    private final LogicalTypeRoot type;
    private final long unitMicros;
    private final AddressTexts addresses = new AddressTexts();

    Cells(FlowColumn column, int field, LogicalType type) {
      this.column = column;
      this.field = field;
      this.type = type.getTypeRoot();
      this.unitMicros = column.type() == ColumnType.TIMESTAMP ? SqlTypes.unitMicros(type) : 1;
    }

    void fill(FlowRows flows, int from, int count, GenericRowData[] rows) {
      if (flows.presence(column) == FlowRows.Presence.ABSENT) {
        return;
      }
      flows.readValidity(column, from, count, validity);
      switch (column.type()) {
        case ADDRESS -> flows.readAddresses(column, from, count, highs, values);
        case TEXT -> flows.readTexts(column, from, count, texts);
        default -> flows.readLongs(column, from, count, values);
      }
      for (int i = 0; i < count; i++) {
        if ((validity[i >>> 6] >>> i & 1) != 0) {
          rows[i].setField(field, cell(i));
        }
      }
    }

    private Object cell(int i) {
      return switch (type) {
        case BOOLEAN -> values[i] != 0;
        case SMALLINT -> (short) values[i];
        case INTEGER -> (int) values[i];
        case BIGINT -> values[i];
        case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> SqlTypes.time(values[i], unitMicros);
        case VARCHAR ->
            column.type() == ColumnType.TEXT
                ? StringData.fromString(texts[i])
                : StringData.fromBytes(addresses.utf8(highs[i], values[i]));
        case BINARY, VARBINARY -> SqlTypes.bytes(highs[i], values[i]);
        default -> throw new IllegalStateException("no column of flows has " + type);
      };
    }
  }
}

package org.flowmon.archive.block;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;

/** The chosen columns of a block, found by an index: callers ask row by row. */
final class BlockColumns {
  private final Map<FlowColumn, BlockColumn> columns;
  private final @Nullable BlockColumn[] byId = new BlockColumn[FlowColumn.LAST_ID + 1];

  BlockColumns(Map<FlowColumn, BlockColumn> columns) {
    this.columns = new TreeMap<>(columns);
    columns.forEach((column, values) -> byId[column.id()] = values);
  }

  Set<FlowColumn> chosen() {
    return columns.keySet();
  }

  /** Throws {@link IllegalArgumentException} if it was not chosen. */
  BlockColumn get(FlowColumn column) {
    BlockColumn values = byId[column.id()];
    if (values == null) {
      throw new IllegalArgumentException(
          "column " + column.sqlName() + " was not asked for, only " + chosen());
    }
    return values;
  }
}

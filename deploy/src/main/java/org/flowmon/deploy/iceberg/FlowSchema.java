package org.flowmon.deploy.iceberg;

import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;

/** The columns of flows as Iceberg has them: field ids are the columns' ids, as in segments. */
final class FlowSchema {
  private FlowSchema() {}

  /** The columns that this process knows, with those that users defined. */
  static Schema now() {
    List<Types.NestedField> fields =
        FlowColumn.all().stream()
            .map(
                column ->
                    Types.NestedField.optional(
                        column.id(), column.sqlName(), type(column.type()), doc(column)))
            .toList();
    return new Schema(fields);
  }

  /** Iceberg has no unsigned types: each is the smallest signed one that has all its values. */
  static Type type(ColumnType type) {
    return switch (type) {
      case BOOLEAN -> Types.BooleanType.get();
      case UINT8, UINT16 -> Types.IntegerType.get();
      case UINT32, COUNT, NUMBER, DURATION -> Types.LongType.get();
      case TIMESTAMP -> Types.TimestampType.withZone();
      case ADDRESS, TEXT -> Types.StringType.get();
    };
  }

  private static String doc(FlowColumn column) {
    return column.unit().isEmpty()
        ? column.type().toString()
        : column.type() + ", " + column.unit();
  }
}

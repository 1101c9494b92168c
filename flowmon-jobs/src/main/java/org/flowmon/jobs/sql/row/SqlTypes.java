package org.flowmon.jobs.sql.row;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** The types of Flink SQL that a column of flows may have. */
public final class SqlTypes {
  /** The digits of a second's fraction that are stored. */
  public static final int PRECISION = 6;

  private static final int ADDRESS_BYTES = 16;

  private SqlTypes() {}

  /** The type in the catalog: it holds each value exactly. */
  public static DataType of(ColumnType type) {
    return switch (type) {
      case BOOLEAN -> DataTypes.BOOLEAN();
      case UINT8 -> DataTypes.SMALLINT();
      case UINT16 -> DataTypes.INT();
      case UINT32, COUNT, DURATION, NUMBER -> DataTypes.BIGINT();
      case TIMESTAMP -> DataTypes.TIMESTAMP_LTZ(PRECISION);
      case ADDRESS, TEXT -> DataTypes.STRING();
    };
  }

  /**
   * The columns that a table declares, in order.
   *
   * @throws ValidationException if flows have none of a name, or another type
   */
  public static List<FlowColumn> columns(RowType declared) {
    List<FlowColumn> columns = new ArrayList<>();
    for (RowType.RowField field : declared.getFields()) {
      FlowColumn column = FlowColumn.byName(field.getName());
      if (column == null || !column.sqlName().equals(field.getName())) {
        throw new ValidationException(
            String.format(
                "flows have no column '%s'; docs/format/flow.md lists them, and the catalog's table"
                    + " has all",
                field.getName()));
      }
      if (!fits(column.type(), field.getType())) {
        throw new ValidationException(
            String.format(
                "column %s is declared as %s; declare it as %s",
                field.getName(), field.getType(), of(column.type())));
      }
      columns.add(column);
    }
    return columns;
  }

  /** Whether a column may be declared so: a number in a wider type, a time with fewer digits. */
  private static boolean fits(ColumnType column, LogicalType declared) {
    LogicalTypeRoot root = declared.getTypeRoot();
    return switch (column) {
      case BOOLEAN -> root == LogicalTypeRoot.BOOLEAN;
      case UINT8, UINT16, UINT32, COUNT, DURATION, NUMBER -> wholeNumbers(column).contains(root);
      case TIMESTAMP -> root == LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE;
      case ADDRESS -> isString(declared) || isAddressBytes(declared);
      case TEXT -> isString(declared);
    };
  }

  private static Set<LogicalTypeRoot> wholeNumbers(ColumnType column) {
    Set<LogicalTypeRoot> wide = EnumSet.of(LogicalTypeRoot.BIGINT);
    if (column == ColumnType.UINT8 || column == ColumnType.UINT16) {
      wide.add(LogicalTypeRoot.INTEGER);
    }
    if (column == ColumnType.UINT8) {
      wide.add(LogicalTypeRoot.SMALLINT);
    }
    return wide;
  }

  private static boolean isString(LogicalType type) {
    return type instanceof VarCharType text && text.getLength() == VarCharType.MAX_LENGTH;
  }

  private static boolean isAddressBytes(LogicalType type) {
    return type.getTypeRoot() == LogicalTypeRoot.BINARY
        ? LogicalTypeChecks.getLength(type) == ADDRESS_BYTES
        : type instanceof VarBinaryType bytes && bytes.getLength() >= ADDRESS_BYTES;
  }

  /** Microseconds of the least difference between two times of this type. */
  public static long unitMicros(LogicalType time) {
    long unit = 1;
    for (int digits = LogicalTypeChecks.getPrecision(time); digits < PRECISION; digits++) {
      unit *= 10;
    }
    return unit;
  }

  /** A time in microseconds, without the digits that {@code unit} leaves out. */
  static TimestampData time(long micros, long unit) {
    long kept = Math.floorDiv(micros, unit) * unit;
    return TimestampData.fromEpochMillis(
        Math.floorDiv(kept, 1000L), Math.floorMod(kept, 1000) * 1000);
  }

  /** The 16 bytes of an address. */
  static byte[] bytes(long high, long low) {
    return ByteBuffer.allocate(ADDRESS_BYTES).putLong(high).putLong(low).array();
  }

  /** Only as Flink has it: another text of the same address equals none. */
  public static Optional<IpAddress> address(Object literal) {
    if (literal instanceof byte[] bytes) {
      return bytes.length == ADDRESS_BYTES
          ? Optional.of(IpAddress.ofBytes(bytes))
          : Optional.empty();
    }
    IpAddress address = literal instanceof String text ? IpAddress.parseOrNull(text) : null;
    return address != null && address.toString().equals(literal)
        ? Optional.of(address)
        : Optional.empty();
  }
}

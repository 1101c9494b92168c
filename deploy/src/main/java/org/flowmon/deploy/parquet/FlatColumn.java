package org.flowmon.deploy.parquet;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.Type;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.flowmon.ingest.file.row.TypedRowReader;
import org.jspecify.annotations.Nullable;

/** A column of a Parquet file that is neither nested nor repeated. */
final class FlatColumn {
  private static final int INT96_BYTES = 12;
  private static final long JULIAN_1970 = 2_440_588;
  private static final long DAY_MICROS = 86_400_000_000L;
  private static final int MAX_DECIMAL_BYTES = 64;

  private final SchemaElement element;
  private final int place;
  private final TypedRowReader.Column column;
  private final ColumnDescriptor descriptor;
  private final boolean isUnsigned;

  /**
   * Takes {@code place}: of the column's chunks in row groups.
   *
   * @throws IOException if the column's type does not exist in Parquet
   */
  FlatColumn(SchemaElement element, int place) throws IOException {
    this.element = element;
    this.place = place;
    this.isUnsigned = isUnsigned(element);
    this.column = new TypedRowReader.Column(element.getName(), typeName(element), kind(element));
    boolean required = element.getRepetition_type() == FieldRepetitionType.REQUIRED;
    var type =
        element.getType() == Type.BYTE_ARRAY
            ? PrimitiveTypeName.BINARY
            : PrimitiveTypeName.valueOf(element.getType().name());
    var builder = required ? Types.required(type) : Types.optional(type);
    if (type == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY) {
      if (element.getType_length() < 1) {
        throw new IOException("column '" + element.getName() + "' has values of no length");
      }
      builder = builder.length(element.getType_length());
    }
    PrimitiveType primitive = builder.named(element.getName());
    this.descriptor =
        new ColumnDescriptor(new String[] {element.getName()}, primitive, 0, required ? 0 : 1);
  }

  TypedRowReader.Column column() {
    return column;
  }

  ColumnDescriptor descriptor() {
    return descriptor;
  }

  int place() {
    return place;
  }

  Type physicalType() {
    return element.getType();
  }

  private static String typeName(SchemaElement element) {
    String physical = element.getType().toString();
    if (element.isSetLogicalType()) {
      return physical + " " + element.getLogicalType().getSetField().getFieldName();
    }
    return element.isSetConverted_type() ? physical + " " + element.getConverted_type() : physical;
  }

  private static boolean isUnsigned(SchemaElement element) {
    if (element.isSetLogicalType()) {
      LogicalType type = element.getLogicalType();
      return type.isSetINTEGER() && !type.getINTEGER().isIsSigned();
    }
    return element.isSetConverted_type() && element.getConverted_type().name().startsWith("UINT_");
  }

  /** Null if flows have no such values. */
  private static TypedRowReader.@Nullable Kind kind(SchemaElement element) {
    return switch (element.getType()) {
      case BOOLEAN -> TypedRowReader.Kind.BOOLEAN;
      case FLOAT, DOUBLE -> TypedRowReader.Kind.DOUBLE;
      case INT96 -> TypedRowReader.Kind.TIME_MICROS;
      case INT32, INT64 -> ofInteger(element);
      case BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY -> ofBytes(element);
    };
  }

  private static TypedRowReader.@Nullable Kind ofInteger(SchemaElement element) {
    if (element.isSetLogicalType()) {
      LogicalType type = element.getLogicalType();
      if (type.isSetTIMESTAMP()) {
        TimeUnit unit = type.getTIMESTAMP().getUnit();
        return unit.isSetMILLIS()
            ? TypedRowReader.Kind.TIME_MILLIS
            : unit.isSetMICROS() ? TypedRowReader.Kind.TIME_MICROS : TypedRowReader.Kind.TIME_NANOS;
      }
      boolean whole =
          type.isSetINTEGER() || (type.isSetDECIMAL() && type.getDECIMAL().getScale() == 0);
      return whole ? TypedRowReader.Kind.WHOLE : null;
    }
    if (!element.isSetConverted_type()) {
      return TypedRowReader.Kind.WHOLE;
    }
    return switch (element.getConverted_type()) {
      case TIMESTAMP_MILLIS -> TypedRowReader.Kind.TIME_MILLIS;
      case TIMESTAMP_MICROS -> TypedRowReader.Kind.TIME_MICROS;
      case UINT_8, UINT_16, UINT_32, UINT_64, INT_8, INT_16, INT_32, INT_64 ->
          TypedRowReader.Kind.WHOLE;
      case DECIMAL -> element.getScale() == 0 ? TypedRowReader.Kind.WHOLE : null;
      default -> null;
    };
  }

  private static TypedRowReader.@Nullable Kind ofBytes(SchemaElement element) {
    if (isDecimal(element)) {
      boolean short64 = element.getType_length() <= MAX_DECIMAL_BYTES;
      return scale(element) == 0 && short64 ? TypedRowReader.Kind.WHOLE : null;
    }
    if (element.getType() == Type.FIXED_LEN_BYTE_ARRAY) {
      return null;
    }
    if (element.isSetLogicalType()) {
      LogicalType type = element.getLogicalType();
      return type.isSetSTRING() || type.isSetENUM() ? TypedRowReader.Kind.TEXT : null;
    }
    // Old writers do not mark texts.
    return !element.isSetConverted_type()
            || element.getConverted_type() == ConvertedType.UTF8
            || element.getConverted_type() == ConvertedType.ENUM
        ? TypedRowReader.Kind.TEXT
        : null;
  }

  private static boolean isDecimal(SchemaElement element) {
    return element.isSetLogicalType()
        ? element.getLogicalType().isSetDECIMAL()
        : element.getConverted_type() == ConvertedType.DECIMAL;
  }

  private static int scale(SchemaElement element) {
    return element.isSetLogicalType()
        ? element.getLogicalType().getDECIMAL().getScale()
        : element.getScale();
  }

  void read(ColumnReader from, int cell, TypedRowReader rows) throws IOException {
    switch (element.getType()) {
      case BOOLEAN -> rows.set(cell, from.getBoolean() ? 1L : 0L);
      case INT32 -> {
        int value = from.getInteger();
        rows.set(cell, isUnsigned ? Integer.toUnsignedLong(value) : value);
      }
      case INT64 -> {
        long value = from.getLong();
        if (isUnsigned && value < 0) {
          rows.set(cell, Long.toUnsignedString(value).getBytes(StandardCharsets.US_ASCII));
        } else {
          rows.set(cell, value);
        }
      }
      case FLOAT -> rows.set(cell, (double) from.getFloat());
      case DOUBLE -> rows.set(cell, from.getDouble());
      case INT96 -> rows.set(cell, ofInt96(from.getBinary()));
      case BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY -> {
        byte[] bytes = from.getBinary().getBytes();
        if (column.kind() == TypedRowReader.Kind.WHOLE) {
          decimal(bytes, cell, rows);
        } else {
          rows.set(cell, bytes);
        }
      }
    }
  }

  private static void decimal(byte[] bytes, int cell, TypedRowReader rows) throws IOException {
    if (bytes.length < 1 || bytes.length > MAX_DECIMAL_BYTES) {
      throw new IOException("a decimal of " + bytes.length + " bytes");
    }
    BigInteger value = new BigInteger(bytes);
    if (value.bitLength() < Long.SIZE) {
      rows.set(cell, value.longValue());
    } else {
      rows.set(cell, value.toString().getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Reads nanoseconds of a day, then the Julian day: the old form of Spark and Impala. */
  private static long ofInt96(Binary value) throws IOException {
    if (value.length() != INT96_BYTES) {
      throw new IOException("a time of " + value.length() + " bytes");
    }
    ByteBuffer bytes = ByteBuffer.wrap(value.getBytes()).order(ByteOrder.LITTLE_ENDIAN);
    long nanos = bytes.getLong();
    long days = (bytes.getInt() & 0xFFFF_FFFFL) - JULIAN_1970;
    try {
      long micros = Math.floorDiv(nanos, 1000) + (Math.floorMod(nanos, 1000) >= 500 ? 1 : 0);
      return Math.addExact(Math.multiplyExact(days, DAY_MICROS), micros);
    } catch (ArithmeticException e) {
      throw new IOException("a time of Julian day " + (days + JULIAN_1970), e);
    }
  }
}

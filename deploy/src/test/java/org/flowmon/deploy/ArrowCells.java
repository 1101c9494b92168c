package org.flowmon.deploy;

import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.DurationVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarCharVector;
import org.jspecify.annotations.Nullable;

/** Cells that Arrow's own reader gives; another type than those of docs/format/arrow.md fails. */
public final class ArrowCells {
  private ArrowCells() {}

  /** Numbers, times and durations as numbers; null if NULL. */
  public static @Nullable String text(FieldVector vector, int row) {
    if (vector.isNull(row)) {
      return null;
    }
    if (vector instanceof BitVector bits) {
      return bits.get(row) == 1 ? "true" : "false";
    } else if (vector instanceof UInt1Vector numbers) {
      return Integer.toString(Byte.toUnsignedInt(numbers.get(row)));
    } else if (vector instanceof UInt2Vector numbers) {
      return Integer.toString(numbers.get(row));
    } else if (vector instanceof UInt4Vector numbers) {
      return Integer.toUnsignedString(numbers.get(row));
    } else if (vector instanceof BigIntVector numbers) {
      return Long.toString(numbers.get(row));
    } else if (vector instanceof DecimalVector numbers) {
      return numbers.getObject(row).toBigIntegerExact().toString();
    } else if (vector instanceof Float8Vector numbers) {
      return Double.toString(numbers.get(row));
    } else if (vector instanceof TimeStampMicroTZVector times
        && times.getTimeZone().equals("UTC")) {
      return Long.toString(times.get(row));
    } else if (vector instanceof DurationVector durations) {
      return Long.toString(DurationVector.get(durations.getDataBuffer(), row));
    } else if (vector instanceof VarCharVector texts) {
      return texts.getObject(row).toString();
    }
    throw new AssertionError("another type: " + vector.getField());
  }
}

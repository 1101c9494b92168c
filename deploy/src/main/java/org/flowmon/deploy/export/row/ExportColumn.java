package org.flowmon.deploy.export.row;

import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.code.CodeNames;
import org.jspecify.annotations.Nullable;

/**
 * A column of an export.
 *
 * @param flow null for a query's column
 * @param codes null if there are none; texts have the codes' names, typed columns the codes
 */
public record ExportColumn(
    String name, Kind kind, @Nullable FlowColumn flow, @Nullable CodeNames codes) {
  /** The kind of a column's values. */
  public enum Kind {
    BOOLEAN,
    UINT8,
    UINT16,
    UINT32,
    INT64,
    /** A sum that may not fit 64 bits: its high and low long. */
    INT128,
    /** The bits of an IEEE 754 double. */
    DOUBLE,
    /** Microseconds since 1970, UTC. */
    TIMESTAMP,
    /** Microseconds. */
    DURATION,
    ADDRESS,
    TEXT
  }

  /** Null if the code has no name and its number is written. */
  public @Nullable String codeName(ExportRows block, int row, int column) {
    return codes == null ? null : codes.name(block.low(row, column));
  }

  public static ExportColumn of(FlowColumn column) {
    Kind kind =
        switch (column.type()) {
          case BOOLEAN -> Kind.BOOLEAN;
          case UINT8 -> Kind.UINT8;
          case UINT16 -> Kind.UINT16;
          case UINT32 -> Kind.UINT32;
          case COUNT, NUMBER -> Kind.INT64;
          case TIMESTAMP -> Kind.TIMESTAMP;
          case DURATION -> Kind.DURATION;
          case ADDRESS -> Kind.ADDRESS;
          case TEXT -> Kind.TEXT;
        };
    return new ExportColumn(column.sqlName(), kind, column, column.codeNames());
  }
}

package org.flowmon.deploy.export;

import org.flowmon.flow.FlowColumn;

/**
 * A column of what is exported.
 *
 * @param flow the column of flows that it is, null for one of a query
 */
public record ExportColumn(String name, Kind kind, FlowColumn flow) {
  /** What its values are. */
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

  static ExportColumn of(FlowColumn column) {
    Kind kind =
        switch (column.type()) {
          case BOOLEAN -> Kind.BOOLEAN;
          case UINT8 -> Kind.UINT8;
          case UINT16 -> Kind.UINT16;
          case UINT32 -> Kind.UINT32;
          case COUNT -> Kind.INT64;
          case TIMESTAMP -> Kind.TIMESTAMP;
          case DURATION -> Kind.DURATION;
          case ADDRESS -> Kind.ADDRESS;
          case TEXT -> Kind.TEXT;
        };
    return new ExportColumn(column.sqlName(), kind, column);
  }
}

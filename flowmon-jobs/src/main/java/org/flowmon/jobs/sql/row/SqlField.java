package org.flowmon.jobs.sql.row;

import java.io.Serializable;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * A field of the rows that a scan gives to Flink.
 *
 * @param nullIsZero whether NULL becomes 0, as a sum of no rows does within Flink's AVG
 */
public record SqlField(LogicalType type, boolean nullIsZero) implements Serializable {}

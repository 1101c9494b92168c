package org.flowmon.archive.segment.reader;

import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;

/** Rows of a segment whose values can also be read as ids of the segment's dictionaries. */
public interface EncodedRows extends FlowRows {
  /**
   * Ids of {@code count} rows, −1 for null; ids order like the values. Throws {@link
   * IllegalArgumentException} if the column has no dictionary in the segment.
   */
  void readIds(FlowColumn column, int from, int count, int[] out);
}

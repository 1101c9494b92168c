package org.flowmon.archive.query;

import java.util.List;
import org.flowmon.udaf.result.ValueBound;

/**
 * What is known of an answer once a {@link RowSink} has all of its rows.
 *
 * @param rows how many
 * @param stats what was read for it
 * @param bounds how far approximate values are off
 */
public record StreamedAnswer(long rows, QueryStats stats, List<ValueBound> bounds) {
  public StreamedAnswer {
    bounds = List.copyOf(bounds);
  }
}

package org.flowmon.archive.query;

import java.util.List;
import org.flowmon.udaf.result.ValueBound;

/** The summary of an answer once a {@link RowSink} has all of its rows. */
public record StreamedAnswer(long rows, QueryStats stats, List<ValueBound> bounds) {
  public StreamedAnswer {
    bounds = List.copyOf(bounds);
  }
}

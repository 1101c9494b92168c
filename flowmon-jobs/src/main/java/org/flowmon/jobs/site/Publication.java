package org.flowmon.jobs.site;

import java.util.Comparator;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.udaf.pane.WindowSpec;

/**
 * The origin of published groups: an analysis of a site's job. Equal ones of a site have the same
 * windows with the same groups. Windows of {@code widthMicros} over {@code timeColumn} follow each
 * other; {@code spread} divides flows among them.
 */
public record Publication(
    String analysis,
    String query,
    long widthMicros,
    long latenessMicros,
    FlowColumn timeColumn,
    boolean spread)
    implements Comparable<Publication> {
  public static final int MAX_QUERY_BYTES = 1 << 16;

  private static final Comparator<Publication> ORDER =
      Comparator.comparing(Publication::analysis)
          .thenComparing(Publication::widthMicros)
          .thenComparing(Publication::latenessMicros)
          .thenComparing(Publication::query)
          .thenComparing(Publication::timeColumn)
          .thenComparing(Publication::spread);

  public static Publication of(LiveQuery live) {
    WindowSpec window = live.window();
    return new Publication(
        live.analysis().name(),
        live.analysis().live().query(),
        window.widthMicros(),
        window.latenessMicros(),
        window.timeColumn(),
        window.spread());
  }

  /** By name first: of several that fit, the first is taken. */
  @Override
  public int compareTo(Publication other) {
    return ORDER.compare(this, other);
  }
}

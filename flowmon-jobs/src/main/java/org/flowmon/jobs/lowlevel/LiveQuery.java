package org.flowmon.jobs.lowlevel;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.QueryParser;
import org.flowmon.udaf.table.WindowSpec;

/**
 * An analysis's live query, ready to run.
 *
 * @param id the same wherever the same name, query and windows are, also in a later run: state that
 *     was made by another definition is never taken for this one's
 */
public record LiveQuery(long id, AnalysisConfig analysis, FlowQuery query, WindowSpec window) {

  /** The live query of an analysis. */
  public static LiveQuery of(AnalysisConfig analysis) {
    AnalysisConfig.Live live = analysis.live();
    FlowQuery query = QueryParser.parse(live.query()); // checked when the analysis was read
    WindowSpec window =
        new WindowSpec(
            live.windowMicros(),
            live.slideMicros(),
            live.time().column(),
            live.latenessMicros(),
            WindowSpec.DEFAULT_AHEAD_MICROS,
            live.revisions() && live.latenessMicros() > 0,
            live.spread());
    return new LiveQuery(id(analysis.name(), query, window), analysis, query, window);
  }

  /** All analyses' live queries, by their ids. */
  public static Map<Long, LiveQuery> byId(List<AnalysisConfig> analyses) {
    Map<Long, LiveQuery> queries = new HashMap<>();
    for (AnalysisConfig analysis : analyses) {
      LiveQuery query = of(analysis);
      if (queries.put(query.id(), query) != null) {
        throw new ConfigException("analysis " + analysis.name() + " is given twice");
      }
    }
    return queries;
  }

  /**
   * Where in the merge the messages about the query as a whole go.
   *
   * @param keyGroups their number
   */
  int keyGroup(int keyGroups) {
    return Math.floorMod(id, keyGroups);
  }

  /**
   * Whether what was made for a query serves this one, which came in its place: the same query, and
   * windows that are published in the same way.
   */
  public boolean goesOn(LiveQuery before) {
    return id == before.id && window.equals(before.window);
  }

  private static long id(String name, FlowQuery query, WindowSpec window) {
    // A line is added only where the option is set: the ids of older states stay.
    String definition =
        String.join(
                "\n",
                name,
                query.toString(),
                Long.toString(window.widthMicros()),
                Long.toString(window.slideMicros()),
                window.timeColumn().sqlName(),
                Long.toString(window.latenessMicros()),
                Long.toString(window.aheadMicros()))
            + (window.spread() ? "\nspread" : "");
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(definition.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(hash).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}

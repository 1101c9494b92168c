package org.flowmon.jobs.lowlevel;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Functions;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.result.LiveGroupings;

/**
 * A query over flows that an analysis runs live: its own or one of those whose results that is
 * over.
 *
 * @param id the same for equal name, query and windows, also in a later run: no other definition's
 *     state is used
 * @param whole the analysis's query: the same, or over the results of this and others with the same
 *     windows
 */
public record LiveQuery(
    long id, AnalysisConfig analysis, FlowQuery query, WindowSpec window, Query whole) {

  public static LiveQuery of(AnalysisConfig analysis) {
    List<LiveQuery> all = all(analysis);
    if (all.size() != 1) {
      throw new IllegalArgumentException(
          "analysis " + analysis.name() + " has " + all.size() + " queries over flows");
    }
    return all.get(0);
  }

  /** Without tables of enriched columns, which only tasks need. */
  public static List<LiveQuery> all(AnalysisConfig analysis) {
    return all(analysis, Enrichment.NONE);
  }

  /** At least one, in the order of {@link Query#leaves}. */
  public static List<LiveQuery> all(AnalysisConfig analysis, Enrichment enrichment) {
    Query written = QueryParser.parseQuery(analysis.live().query()); // checked when it was read
    Query whole = written.enriched(enrichment);
    WindowSpec window = window(analysis);
    if (whole instanceof FlowQuery query) {
      return List.of(
          new LiveQuery(id(analysis.name(), written, window, ""), analysis, query, window, whole));
    }
    List<LiveQuery> all = new ArrayList<>();
    for (FlowQuery leaf : whole.leaves()) {
      // If a part of the whole changes, all of it begins anew.
      long id = id(analysis.name(), written, window, "\nleaf " + all.size());
      all.add(new LiveQuery(id, analysis, leaf, window, whole));
    }
    return List.copyOf(all);
  }

  public static WindowSpec window(AnalysisConfig analysis) {
    AnalysisConfig.Live live = analysis.live();
    return new WindowSpec(
        live.windowMicros(),
        live.slideMicros(),
        live.time().column(),
        live.latenessMicros(),
        WindowSpec.DEFAULT_AHEAD_MICROS,
        // States are published once, when no flow can change them.
        live.revisions() && live.latenessMicros() > 0 && !analysis.publishesStates(),
        live.spread());
  }

  public static Map<Long, LiveQuery> byId(Collection<AnalysisConfig> analyses) {
    return byId(analyses, Enrichment.NONE);
  }

  public static Map<Long, LiveQuery> byId(
      Collection<AnalysisConfig> analyses, Enrichment enrichment) {
    Map<Long, LiveQuery> queries = new HashMap<>();
    for (AnalysisConfig analysis : analyses) {
      for (LiveQuery query : all(analysis, enrichment)) {
        if (queries.put(query.id(), query) != null) {
          throw new ConfigException("analysis " + analysis.name() + " is given twice");
        }
      }
    }
    return queries;
  }

  /** Whether its result is a part of the analysis's query input. */
  public boolean isLeaf() {
    return whole != query;
  }

  /** The merge's key group, of so many, for messages about the query as a whole. */
  public int keyGroup(int keyGroups) {
    return Math.floorMod(id, keyGroups);
  }

  /** Whether the state serves its replacement: same query, windows published in the same way. */
  public boolean goesOn(LiveQuery before) {
    return id == before.id && window.equals(before.window);
  }

  private static long id(String name, Query query, WindowSpec window, String leaf) {
    // A line is added only if the option is set, so the ids of older states stay.
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
            + (window.spread() ? "\nspread" : "")
            + laterDefaults(query)
            + leaf;
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(definition.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(hash).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  /**
   * A line for each function whose default has changed, as its states are others; and one if the
   * groupings of COUNT(DISTINCT …) have.
   */
  private static String laterDefaults(Query query) {
    Set<String> lines = new TreeSet<>();
    for (FlowQuery leaf : query.leaves()) {
      if (LiveGroupings.areJoined(leaf)) {
        lines.add("\njoined groupings");
      }
      if (LiveGroupings.areProjected(leaf)) {
        lines.add("\nprojected groupings");
      }
      for (AggregateCall call : leaf.aggregates()) {
        if (call.isState()) {
          String function = call.state().function();
          String parameters = Functions.catalogue().laterDefault(function, call.arguments().size());
          if (!parameters.isEmpty()) {
            lines.add("\n" + function + " " + parameters);
          }
        }
      }
    }
    return String.join("", lines);
  }
}

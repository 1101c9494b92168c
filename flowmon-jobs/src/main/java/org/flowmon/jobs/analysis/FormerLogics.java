package org.flowmon.jobs.analysis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.jobs.analysis.AnalysisConfig.History;
import org.flowmon.jobs.analysis.AnalysisConfig.Live;
import org.flowmon.jobs.analysis.AnalysisConfig.Report;
import org.flowmon.jobs.config.RowCondition;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.jspecify.annotations.Nullable;

/**
 * The logics that were code before 2026-11-26 and are queries of the bundled analyses now. An
 * analysis that names one goes on with that query, from a savepoint, the topic of analyses or a
 * file, if it has the bundled analysis's live columns and keys, and parameters that the query has.
 */
public final class FormerLogics {
  private static final String EMIT = "emit";

  /** The live column by which bundled queries know scanners; former analyses had none. */
  private static final String NETWORK = "network";

  private static final String WITH_WINDOW =
      "name: %s\nextends: %s\nlive: {window: %dms, slide: %dms}\n";

  private static final String WITHOUT_KNOWN = "variables: {known: 'FALSE'}\n";

  private static final Map<String, Former> ALL =
      Map.of(
          "dispersion",
          new Former("dispersion")
              .with("min_lag", "min_lag")
              .only("limit", "1000")
              .meant("min_lag", "1"),
          "elephants",
          new Former("elephants")
              .with("share", "share")
              .with("factor", "factor")
              .only("measure", "bytes")
              .emits("significant", "new"),
          "fan_out",
          new Former("fan_out")
              .with("peers", "peers", "web_peers")
              .with("factor", "factor")
              .emits("more", "more"),
          "mice",
          new Former("mice").only("limit", "100"),
          "new_talkers",
          new Former("new_talkers")
              .with("coverage", "least")
              .only("limit", "1000")
              .emitsOnly("new", "new"),
          "new_targets",
          new Former("new_targets")
              .with("targets", "targets")
              .with("days", "days")
              .with("coverage", "least")
              .emits("scans", "scan"),
          "portscans",
          new Former("portscans")
              .with("targets", "targets")
              .with("factor", "factor")
              .emits("scans", "scan"),
          "traffic",
          new Former(
              "traffic_by_protocol",
              "traffic_by_as",
              "traffic_by_exporter",
              "traffic_by_interface",
              "traffic_by_port"));

  private FormerLogics() {}

  /**
   * A former logic.
   *
   * @param analyses have its query: the one with the live query's columns is taken
   * @param parameters the query's names of a parameter
   * @param only the value, its default, that the query stands for
   * @param meant defaults that are not the bundled query's
   * @param emitted the verdict of the rows that a value of {@code emit} chose
   * @param emitsAll whether the query gives all rows, the default of {@code emit}
   */
  private record Former(
      List<String> analyses,
      Map<String, List<String>> parameters,
      Map<String, String> only,
      Map<String, String> meant,
      Map<String, String> emitted,
      boolean emitsAll) {
    Former(String... analyses) {
      this(List.of(analyses), Map.of(), Map.of(), Map.of(), Map.of(), true);
    }

    Former with(String name, String... names) {
      Map<String, List<String>> more = new LinkedHashMap<>(parameters);
      more.put(name, List.of(names));
      return new Former(analyses, more, only, meant, emitted, emitsAll);
    }

    Former only(String name, String value) {
      return new Former(analyses, parameters, Map.of(name, value), meant, emitted, emitsAll);
    }

    Former meant(String name, String value) {
      return new Former(analyses, parameters, only, Map.of(name, value), emitted, emitsAll);
    }

    Former emits(String value, String verdict) {
      return new Former(analyses, parameters, only, meant, Map.of(value, verdict), true);
    }

    Former emitsOnly(String value, String verdict) {
      return new Former(analyses, parameters, only, meant, Map.of(value, verdict), false);
    }

    /** The bundled query's values of the parameters; empty if it has no equal of one. */
    Optional<Map<String, String>> parameters(Report written, Report bundled) {
      Map<String, String> values = new LinkedHashMap<>(bundled.parameters());
      values.putAll(meant);
      for (Map.Entry<String, String> one : written.parameters().entrySet()) {
        List<String> names = parameters.get(one.getKey());
        if (names != null) {
          names.forEach(name -> values.put(name, one.getValue()));
        } else if (!one.getKey().equals(EMIT) && !one.getValue().equals(only.get(one.getKey()))) {
          return Optional.empty();
        }
      }
      return Optional.of(values);
    }

    /** Whether the query gives the rows that {@code emit} asks for, some perhaps too many. */
    boolean emits(Report written) {
      String emit = written.parameters().getOrDefault(EMIT, "all");
      return emit.equals("all") ? emitsAll : emitted.containsKey(emit);
    }

    @Nullable RowCondition condition(Report written) {
      String verdict = emitted.get(written.parameters().getOrDefault(EMIT, "all"));
      RowCondition condition = written.condition();
      if (verdict == null) {
        return condition;
      }
      String found = "verdict = '" + verdict + "'";
      return condition == null
          ? new RowCondition(found, "report.parameters." + EMIT)
          : new RowCondition("(" + condition.text() + ") AND " + found, condition.place());
    }
  }

  /** What to do about an analysis whose logic is a former one and was not replaced. */
  public static Optional<String> advice(String logic) {
    return Optional.ofNullable(ALL.get(logic))
        .map(
            former ->
                ("logic %s is a query now, which does not have these live columns, keys or"
                        + " parameters: extend the bundled analysis (extends: %s), or write"
                        + " report.query, and add it again")
                    .formatted(logic, former.analyses().get(0)));
  }

  /**
   * Returns the report with the query of its former logic; unchanged if there is none that fits.
   */
  static Report replaced(Report report, Live live, @Nullable History history) {
    Former former = ALL.get(report.logic());
    if (former == null || !former.emits(report)) {
      return report;
    }
    Query now = QueryParser.parseQuery(live.query());
    for (String name : former.analyses()) {
      AnalysisConfig bundled = bundled(name, now, live);
      Optional<Map<String, String>> parameters = former.parameters(report, bundled.report());
      if (parameters.isPresent() && fits(now, history, bundled)) {
        return new Report(
            AnalysisConfig.QUERY,
            parameters.get(),
            former.condition(report),
            bundled.report().query());
      }
    }
    return report;
  }

  /**
   * The bundled analysis with the windows of the former one; without known scanners if its live
   * query does not name networks.
   */
  private static AnalysisConfig bundled(String name, Query now, Live live) {
    String text =
        WITH_WINDOW.formatted(name, name, live.window().toMillis(), live.slide().toMillis());
    AnalysisConfig bundled = AnalysisConfig.parse("former " + name, text);
    Query bundledNow = QueryParser.parseQuery(bundled.live().query());
    return names(now).contains(NETWORK) || !names(bundledNow).contains(NETWORK)
        ? bundled
        : AnalysisConfig.parse("former " + name, text + WITHOUT_KNOWN);
  }

  /** Whether the bundled query means the same over these queries, if it can be read over them. */
  private static boolean fits(Query now, @Nullable History history, AnalysisConfig bundled) {
    Query bundledNow = QueryParser.parseQuery(bundled.live().query());
    List<String> columns = new ArrayList<>(names(bundledNow));
    Set<String> keys = keys(bundledNow);
    if (!names(now).contains(NETWORK)) {
      columns.remove(NETWORK);
      keys.remove(NETWORK); // it follows from the address
    }
    if (!names(now).equals(columns) || !keys(now).equals(keys)) {
      return false;
    }
    if (history == null || bundled.history() == null) {
      return history == null && bundled.history() == null;
    }
    Query past = QueryParser.parseQuery(history.query());
    Query bundledPast = QueryParser.parseQuery(bundled.requiredHistory().query());
    return names(bundledPast).containsAll(names(past)) && keys(past).equals(keys(bundledPast));
  }

  private static List<String> names(Query query) {
    return query.select().stream().map(SelectItem::name).toList();
  }

  private static Set<String> keys(Query query) {
    List<String> names = names(query);
    Set<String> keys = new TreeSet<>();
    for (int column = 0; column < names.size(); column++) {
      if (query.isKey(column)) {
        keys.add(names.get(column));
      }
    }
    return keys;
  }
}

package org.flowmon.jobs.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.flowmon.jobs.config.AnalysisConfig.History;
import org.flowmon.jobs.config.AnalysisConfig.Live;
import org.flowmon.jobs.config.AnalysisConfig.Report;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.QueryException;
import org.flowmon.udaf.query.QueryParser;
import org.flowmon.udaf.table.LiveGroupings;
import org.flowmon.udaf.table.WindowSpec;

/** Reads an analysis from its file, and says what in it does not fit. */
final class AnalysisFile {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,47}");
  private static final List<String> SINKS = List.of("kafka", "postgres");
  private static final int MIN_GROUPS = 1000;
  private static final int MAX_GROUPS = 1_000_000_000;
  private static final long MIN_MEMORY = 1L << 20;
  private static final long MAX_MEMORY = 1L << 40;

  private AnalysisFile() {}

  /**
   * The analysis of a file.
   *
   * @throws ConfigException naming file, line, key and what was expected
   */
  static AnalysisConfig of(YamlSection root) {
    return of(root, Errors.THROWN);
  }

  /**
   * The analysis of a file, of which all errors are told: behind one that was taken it goes on with
   * the next part.
   *
   * @return without the sinks and alerts that are wrong; null where another part is
   */
  static AnalysisConfig of(YamlSection root, Errors errors) {
    String name = errors.of(() -> name(root));
    Live live = errors.of(() -> live(root.section("live"), errors));
    YamlSection past = errors.of(() -> root.sectionOrNull("history"));
    History history = past == null ? null : errors.of(() -> history(past, live));
    Report report = errors.of(() -> report(root.section("report")));
    List<String> sinks = new ArrayList<>();
    errors
        .of(() -> root.words("sinks"), List.<String>of())
        .forEach(sink -> errors.of(() -> sinks.add(sink(root, sink))));
    List<AlertConfig> alerts = errors.of(() -> AlertConfig.listOf(root, errors), List.of());
    errors.run(root::end);
    boolean isWhole = name != null && live != null && report != null;
    return isWhole && (past == null) == (history == null)
        ? new AnalysisConfig(name, live, history, report, sinks, alerts, root.places())
        : null;
  }

  private static String name(YamlSection root) {
    String name = root.text("name", "a name of lower-case letters, digits and _");
    if (!NAME.matcher(name).matches()) {
      throw root.error(
          "name",
          "expected lower-case letters, digits and _, at most 48, beginning with a letter; found '"
              + name
              + "'");
    }
    return name;
  }

  private static Report report(YamlSection section) {
    Report report =
        new Report(
            section.text("logic", "the name of the report's logic"),
            section.map("parameters"),
            section.condition("condition"));
    section.end();
    return report;
  }

  private static String sink(YamlSection root, String sink) {
    if (!SINKS.contains(sink)) {
      throw root.error("sinks", "expected some of " + SINKS + ", found '" + sink + "'");
    }
    return sink;
  }

  /** Null where its query or another of its keys is wrong and the error was taken. */
  private static Live live(YamlSection section, Errors errors) {
    Live live = errors.of(() -> values(section));
    boolean isRead = live != null;
    String text = isRead ? live.query() : errors.of(() -> section.textOrNull("query", "a query"));
    boolean isRight = text == null || errors.run(() -> checkLive(section, query(section, text)));
    isRight &= isRead && errors.run(() -> checkWindows(section, live));
    return isRight ? live : null;
  }

  private static Live values(YamlSection section) {
    Duration window = section.duration("window");
    Live live =
        new Live(
            section.text("query", "a query"),
            window,
            section.duration("slide", window),
            section.choice("time", WindowTime.class, WindowTime.END_TIME),
            section.duration("lateness", Duration.ZERO),
            section.bool("revisions", true),
            section.bool("spread", false),
            section.integer("slots", 16, 1 << 20, 1 << 14),
            section.integer("groups", MIN_GROUPS, MAX_GROUPS, Live.DEFAULT_GROUPS),
            section.number("memory", MIN_MEMORY, MAX_MEMORY, Live.DEFAULT_MEMORY));
    section.end();
    return live;
  }

  private static void checkWindows(YamlSection section, Live live) {
    Duration window = live.window();
    if (window.toMillis() < 1) {
      throw section.error("window", "expected at least 1ms");
    }
    if (live.slide().isZero() || window.toNanos() % live.slide().toNanos() != 0) {
      throw section.error(
          "slide",
          "expected a duration that divides the window of "
              + YamlSection.text(window)
              + ", found "
              + YamlSection.text(live.slide()));
    }
    long panes = window.toNanos() / live.slide().toNanos();
    if (panes > AnalysisConfig.MAX_PANES) {
      throw section.error(
          "slide",
          "expected a window of at most "
              + AnalysisConfig.MAX_PANES
              + " slides, as each is kept apart until the window ends; found "
              + panes);
    }
    if (live.lateness().toNanos() / live.slide().toNanos() >= WindowSpec.MAX_UPDATES) {
      throw section.error(
          "lateness", "expected less than " + WindowSpec.MAX_UPDATES + " times the slide");
    }
    checkSpread(section, live);
    if (Integer.bitCount(live.slots()) != 1) {
      throw section.error("slots", "expected a power of two, found " + live.slots());
    }
  }

  private static void checkLive(YamlSection section, Query query) {
    List<FlowQuery> leaves = query.leaves();
    checkParameters(section, query);
    if (leaves.size() > AnalysisConfig.MAX_LEAVES) {
      throw section.error(
          "query",
          "expected at most "
              + AnalysisConfig.MAX_LEAVES
              + " different queries over flows, found "
              + leaves.size());
    }
    for (FlowQuery leaf : leaves) {
      String place = leaf == query ? "" : " in " + leaf;
      if (!leaf.isAggregated()) {
        throw section.error(
            "query", "expected aggregates such as SUM(bytes), found plain columns" + place);
      }
      if (!leaf.inQueries().isEmpty()) {
        throw section.error(
            "query",
            "IN (SELECT …) over flows has no answer before the flows of the window have come:"
                + " expected a join of results, (…) AS a JOIN (…) AS b ON a.k = b.k, or IN"
                + " (SELECT …) in history.query; found it"
                + (leaf == query ? " in WHERE or HAVING of flows" : place));
      }
      try {
        LiveGroupings.of(leaf);
      } catch (QueryException e) {
        throw section.error("query", e.getMessage() + place);
      }
    }
    try {
      var unused = FlowQueries.run(List.of(), Live.at(query, 0)); // an error is said here
    } catch (QueryException e) {
      throw section.error("query", e);
    }
  }

  /** What is over results may know the window's end; flows are counted before it has one. */
  private static void checkParameters(YamlSection section, Query query) {
    for (FlowQuery leaf : query.leaves()) {
      if (!leaf.parameters().isEmpty()) {
        throw section.error(
            "query",
            "a live query over flows has no parameters, found "
                + leaf.parameters()
                + (leaf == query ? "" : " in " + leaf));
      }
    }
    if (!Set.of("now").containsAll(query.parameters())) {
      throw section.error(
          "query", "what is over results has no parameter but :now, found " + query.parameters());
    }
    query
        .columns(null)
        .forEach(
            column -> {
              if (column.kind() == null) {
                throw section.error(
                    "query",
                    "expected a column whose kind does not hang on a parameter, found " + column);
              }
            });
  }

  private static void checkSpread(YamlSection section, Live live) {
    if (live.spread() && live.time() != WindowTime.END_TIME) {
      throw section.error(
          "spread", "expected time: end_time, as a flow is divided by when it began and ended");
    }
    long share =
        (live.windowMicros() + live.latenessMicros() + WindowSpec.DEFAULT_AHEAD_MICROS)
            / live.slideMicros();
    if (live.spread() && share > AnalysisConfig.MAX_SHARES) {
      throw section.error(
          "spread",
          "expected window, lateness and an hour to be at most "
              + AnalysisConfig.MAX_SHARES
              + " slides, as a flow may have a share in each; found "
              + share);
    }
  }

  private static Query query(YamlSection section, String text) {
    try {
      return QueryParser.parseQuery(text);
    } catch (QueryException e) {
      throw section.error("query", e);
    }
  }

  /**
   * Likewise.
   *
   * @param live null where it is wrong
   */
  private static History history(YamlSection section, Live live) {
    History history =
        new History(
            section.text("query", "a query"),
            section.durationOrNull("delay"),
            section.durationOrNull("refresh"),
            section.integer("concurrency", 1, 1024, 4),
            section.duration("timeout", Duration.ofSeconds(5)),
            section.integer("rows", 1, Integer.MAX_VALUE, 100_000_000));
    section.end();
    if (history.refresh() != null && history.refresh().toMillis() < 1) {
      throw section.error("refresh", "expected at least 1ms");
    }
    if (history.timeout().compareTo(History.MAX_TIMEOUT) > 0) {
      throw section.error("timeout", "expected at most 10m");
    }
    Query query = query(section, history.query());
    if (live == null) {
      return history; // whose columns it may ask for nobody knows
    }
    Set<String> known = new TreeSet<>(Set.of("now"));
    QueryParser.parseQuery(live.query()).select().forEach(item -> known.add("live." + item.name()));
    for (String parameter : query.parameters()) {
      if (!known.contains(parameter)) {
        throw section.error(
            "query", "expected parameters out of " + known + ", found :" + parameter);
      }
    }
    return history;
  }
}

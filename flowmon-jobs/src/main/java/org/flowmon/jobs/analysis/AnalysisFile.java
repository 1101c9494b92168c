package org.flowmon.jobs.analysis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.jobs.analysis.AnalysisConfig.History;
import org.flowmon.jobs.analysis.AnalysisConfig.Live;
import org.flowmon.jobs.analysis.AnalysisConfig.Report;
import org.flowmon.jobs.config.ErrorHandler;
import org.flowmon.jobs.config.RowCondition;
import org.flowmon.jobs.config.YamlSection;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.result.LiveGroupings;
import org.flowmon.udaf.text.QueryException;
import org.jspecify.annotations.Nullable;

/** Reads an analysis from its file and reports its errors. */
final class AnalysisFile {
  private static final List<String> SINKS = List.of("kafka", "postgres");
  private static final int MIN_GROUPS = 1000;
  private static final int MAX_GROUPS = 1_000_000_000;
  private static final long MIN_MEMORY = 1L << 20;
  private static final long MAX_MEMORY = 1L << 40;
  private static final int DEFAULT_SLOTS = 1 << 14;

  /** Replaces wrong windows. */
  private static final Duration ANY_WINDOW = Duration.ofSeconds(10);

  private AnalysisFile() {}

  static AnalysisConfig of(YamlSection root) {
    return of(root, ErrorHandler.THROWN).orElseThrow().analysis();
  }

  /** Empty if name, a query, the report's logic or its parameters are wrong. */
  static Optional<AnalysisConfig.Draft> of(YamlSection root, ErrorHandler errors) {
    String name = errors.of(() -> root.name("name"));
    ErrorHandler.Noted ofWindows = new ErrorHandler.Noted(errors);
    YamlSection now = errors.of(() -> root.section("live"));
    Live live = now == null ? null : live(now, errors, ofWindows);
    ErrorHandler.Noted ofPast = new ErrorHandler.Noted(errors);
    YamlSection past = ofPast.of(() -> root.sectionOrNull("history"));
    History history = past == null ? null : history(past, live, errors, ofPast);
    YamlSection rows = errors.of(() -> root.section("report"));
    Report report = rows == null ? null : report(rows, errors);
    List<String> sinks = new ArrayList<>();
    errors
        .of(() -> root.words("sinks"), List.<String>of())
        .forEach(sink -> errors.of(() -> sinks.add(sink(root, sink))));
    List<AlertConfig> alerts = errors.of(() -> AlertConfig.listOf(root, errors), List.of());
    root.know(ExtendedFile.EXTENDS, ExtendedFile.VARIABLES); // merged before
    root.end(errors);
    if (name == null || live == null || ofPast.any() || report == null) {
      return Optional.empty();
    }
    Report made = FormerLogics.replaced(report, live, history);
    return Optional.of(
        new AnalysisConfig.Draft(
            new AnalysisConfig(name, live, history, made, sinks, alerts, root.places()),
            !ofWindows.any()));
  }

  /** Null if the logic or its parameters are wrong. */
  private static @Nullable Report report(YamlSection section, ErrorHandler errors) {
    String query = errors.of(() -> section.textOrNull("query", "a query over live"));
    String logic = errors.of(() -> logic(section, query));
    Map<String, String> parameters = errors.of(() -> section.map("parameters"));
    RowCondition condition = errors.of(() -> section.condition("condition"));
    section.end(errors);
    return logic == null || parameters == null
        ? null
        : new Report(logic, parameters, condition, query);
  }

  private static String logic(YamlSection section, @Nullable String query) {
    String logic = section.textOrNull("logic", "the name of the report's logic");
    if (logic == null && query == null) {
      throw section.error(
          "query",
          "is missing: expected a query over live, as SELECT * FROM live, or a logic such as"
              + " beacons");
    } else if (logic != null && query != null) {
      throw section.error("logic", "expected logic or query, found both");
    }
    return logic == null ? AnalysisConfig.QUERY : logic;
  }

  private static String sink(YamlSection root, String sink) {
    if (!SINKS.contains(sink)) {
      throw root.error("sinks", "expected some of " + SINKS + ", found '" + sink + "'");
    }
    return sink;
  }

  /** With wrong windows replaced, errors to {@code ofWindows}; null if the query is wrong. */
  private static @Nullable Live live(
      YamlSection section, ErrorHandler errors, ErrorHandler.Noted ofWindows) {
    Duration window = ofWindows.of(() -> section.duration("window"), ANY_WINDOW);
    ErrorHandler.Noted ofQuery = new ErrorHandler.Noted(errors);
    String text = ofQuery.of(() -> section.text("query", "a query"), "");
    Duration slide = ofWindows.of(() -> section.duration("slide", window), ANY_WINDOW);
    WindowTime time =
        ofWindows.of(
            () -> section.choice("time", WindowTime.class, WindowTime.END_TIME),
            WindowTime.END_TIME);
    ErrorHandler.Noted ofLateness = new ErrorHandler.Noted(errors);
    Duration lateness =
        ofLateness.of(() -> section.duration("lateness", Duration.ZERO), Duration.ZERO);
    boolean revisions = errors.of(() -> section.bool("revisions", true), true);
    boolean spread = ofLateness.of(() -> section.bool("spread", false), false);
    int slots = errors.of(() -> slots(section), DEFAULT_SLOTS);
    int groups =
        errors.of(
            () -> section.integer("groups", MIN_GROUPS, MAX_GROUPS, Live.DEFAULT_GROUPS),
            Live.DEFAULT_GROUPS);
    long memory =
        errors.of(
            () -> section.number("memory", MIN_MEMORY, MAX_MEMORY, Live.DEFAULT_MEMORY),
            Live.DEFAULT_MEMORY);
    section.end(errors);
    if (!ofQuery.any()) {
      ofQuery.run(() -> checkLive(section, query(section, text)));
    }
    if (!ofWindows.any()) {
      ofWindows.run(() -> checkSlides(section, window, slide));
    }
    Live live =
        new Live(text, window, slide, time, lateness, revisions, spread, slots, groups, memory);
    if (!ofWindows.any() && !ofLateness.any()) {
      ofLateness.run(() -> checkLateness(section, live));
      ofLateness.run(() -> checkSpread(section, live));
    }
    if (ofQuery.any()) {
      return null;
    }
    return ofWindows.any() || ofLateness.any() ? onTime(live, ofWindows.any()) : live;
  }

  /** Without lateness and shares, which are wrong or cannot be checked. */
  private static Live onTime(Live live, boolean isOtherWindow) {
    return new Live(
        live.query(),
        isOtherWindow ? ANY_WINDOW : live.window(),
        isOtherWindow ? ANY_WINDOW : live.slide(),
        live.time(),
        Duration.ZERO,
        live.revisions(),
        false,
        live.slots(),
        live.groups(),
        live.memory());
  }

  private static int slots(YamlSection section) {
    int slots = section.integer("slots", 16, 1 << 20, DEFAULT_SLOTS);
    if (Integer.bitCount(slots) != 1) {
      throw section.error("slots", "expected a power of two, found " + slots);
    }
    return slots;
  }

  private static void checkSlides(YamlSection section, Duration window, Duration slide) {
    if (window.toMillis() < 1) {
      throw section.error("window", "expected at least 1ms");
    }
    if (slide.isZero() || window.toNanos() % slide.toNanos() != 0) {
      throw section.error(
          "slide",
          "expected a duration that divides the window of %s, found %s"
              .formatted(YamlSection.text(window), YamlSection.text(slide)));
    }
    long panes = window.toNanos() / slide.toNanos();
    if (panes > AnalysisConfig.MAX_PANES) {
      throw section.error(
          "slide",
          "expected a window of at most %d slides, as each is kept apart until the window ends; found %d"
              .formatted(AnalysisConfig.MAX_PANES, panes));
    }
  }

  private static void checkLateness(YamlSection section, Live live) {
    if (live.lateness().toNanos() / live.slide().toNanos() >= WindowSpec.MAX_UPDATES) {
      throw section.error(
          "lateness", "expected less than " + WindowSpec.MAX_UPDATES + " times the slide");
    }
  }

  private static void checkLive(YamlSection section, Query query) {
    List<FlowQuery> leaves = query.leaves();
    checkParameters(section, query);
    if (leaves.size() > AnalysisConfig.MAX_LEAVES) {
      throw section.error(
          "query",
          "expected at most %d different queries over flows, found %d"
              .formatted(AnalysisConfig.MAX_LEAVES, leaves.size()));
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
                + " expected a join of results, (…) AS a JOIN (…) AS b ON a.k = b.k, or IN (SELECT"
                + " …) in history.query; found it"
                + (leaf == query ? " in WHERE or HAVING of flows" : place));
      }
      try {
        LiveGroupings.of(leaf);
      } catch (QueryException e) {
        throw section.error("query", e.getMessage() + place);
      }
    }
    try {
      // An error is thrown here.
      var unused = FlowQueries.run(List.of(), Live.at(query, 0).enriched(Enrichment.NONE));
    } catch (QueryException e) {
      throw section.error("query", e);
    }
  }

  /** Only queries over results may use the window's end; flows are counted before it is known. */
  private static void checkParameters(YamlSection section, Query query) {
    for (FlowQuery leaf : query.leaves()) {
      if (!leaf.parameters().isEmpty()) {
        throw section.error(
            "query",
            "a live query over flows has no parameters, found %s%s"
                .formatted(leaf.parameters(), leaf == query ? "" : " in " + leaf));
      }
    }
    if (!Set.of("now").containsAll(query.parameters())) {
      throw section.error(
          "query", "a query over results has no parameter but :now, found " + query.parameters());
    }
    query
        .columns(null)
        .forEach(
            column -> {
              if (column.kind() == null) {
                throw section.error(
                    "query",
                    "expected a column whose kind does not depend on a parameter, found " + column);
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
          "expected window, lateness and an hour to be at most %d slides, as a flow may have a share in each; found %d"
              .formatted(AnalysisConfig.MAX_SHARES, share));
    }
  }

  private static Query query(YamlSection section, String text) {
    try {
      return QueryParser.parseQuery(text);
    } catch (QueryException e) {
      throw section.error("query", e);
    }
  }

  /** Null if the query is wrong, errors to {@code ofQuery}; a wrong {@code live} is null. */
  private static @Nullable History history(
      YamlSection section, @Nullable Live live, ErrorHandler errors, ErrorHandler.Noted ofQuery) {
    String text = ofQuery.of(() -> section.text("query", "a query"), "");
    History read =
        new History(
            text,
            errors.of(() -> section.durationOrNull("delay")),
            errors.of(() -> refresh(section)),
            errors.of(
                () -> section.integer("concurrency", 1, 1024, History.DEFAULT_CONCURRENCY),
                History.DEFAULT_CONCURRENCY),
            errors.of(() -> timeout(section), History.DEFAULT_TIMEOUT),
            errors.of(
                () -> section.integer("rows", 1, Integer.MAX_VALUE, History.MAX_ROWS),
                History.MAX_ROWS));
    section.end(errors);
    boolean isRight = !ofQuery.any() && ofQuery.run(() -> checkHistory(section, text, live));
    return isRight ? read : null;
  }

  private static @Nullable Duration refresh(YamlSection section) {
    Duration refresh = section.durationOrNull("refresh");
    if (refresh != null && refresh.toMillis() < 1) {
      throw section.error("refresh", "expected at least 1ms");
    }
    return refresh;
  }

  private static Duration timeout(YamlSection section) {
    Duration timeout = section.duration("timeout", History.DEFAULT_TIMEOUT);
    if (timeout.compareTo(History.MAX_TIMEOUT) > 0) {
      throw section.error("timeout", "expected at most 10m");
    }
    return timeout;
  }

  private static void checkHistory(YamlSection section, String text, @Nullable Live live) {
    Query query = query(section, text);
    if (live == null) {
      return; // the live columns are unknown
    }
    Set<String> known = new TreeSet<>(Set.of("now"));
    QueryParser.parseQuery(live.query()).select().forEach(item -> known.add("live." + item.name()));
    for (String parameter : query.parameters()) {
      if (!known.contains(parameter)) {
        throw section.error(
            "query", "expected parameters out of " + known + ", found :" + parameter);
      }
    }
  }
}

package org.flowmon.jobs.history;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.cache.AskedSegments;
import org.flowmon.jobs.history.cache.GroupCache;
import org.flowmon.jobs.history.cache.ListedGroups;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.parser.SeenCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;

/**
 * What one analysis asks of the archive for a window: its history query, bound to the window, and
 * the addresses of its rows that {@link SeenLookup} looks up; one of them may be missing.
 */
final class HistoryQuery {
  private static final String LIVE = "live.";

  private final Optional<Query> query;
  private final AnalysisConfig.History config;
  private final long delayMicros;
  private final Duration timeout;
  private final long rowLimit;
  private final FlowTopic topic;
  private final long disorderMicros;
  private final Enrichment enrichment;
  private final Optional<RecentAnswers> recent; // empty if each window has an answer of its own
  private final Optional<ListedGroups> listed; // empty if answers of other windows do not help
  private final Optional<GroupCache> groups; // as listed
  private final SeenLookup seen;

  /**
   * Parses a history query; throws {@link QueryException} if invalid. {@code otherwise}: the
   * default delay; {@code cache}: of answers for other windows and of look-ahead answers.
   */
  HistoryQuery(
      AnalysisConfig analysis,
      Duration otherwise,
      FlowTopic topic,
      Duration disorder,
      Optional<RecentAnswers> cache) {
    this(analysis, List.of(), otherwise, topic, disorder, cache, Enrichment.NONE);
  }

  /** Also with the tables of enriched columns: answers with these are not cached. */
  HistoryQuery(
      AnalysisConfig analysis,
      List<SeenCall> calls,
      Duration otherwise,
      FlowTopic topic,
      Duration disorder,
      Optional<RecentAnswers> cache,
      Enrichment enrichment) {
    AnalysisConfig.History history = config(analysis);
    this.query =
        analysis.history() == null
            ? Optional.empty()
            : Optional.of(QueryParser.parseQuery(history.query()));
    this.config = history;
    this.delayMicros = (history.delay() == null ? otherwise : history.delay()).toNanos() / 1000;
    this.timeout = history.timeout();
    this.rowLimit = history.rows();
    this.topic = topic;
    this.disorderMicros = disorder.toNanos() / 1000;
    this.seen = new SeenLookup(calls, analysis.live(), delayMicros);
    for (String parameter : parameters()) {
      if (!parameter.equals("now") && !parameter.startsWith(LIVE)) {
        throw new QueryException(
            "unknown parameter :" + parameter + ", expected :now or :live.COLUMN");
      }
    }
    boolean isOfNowAlone =
        query.isPresent() && parameters().stream().allMatch(name -> name.equals("now"));
    this.enrichment = enrichment;
    // A table may change between two windows.
    boolean isEnriched =
        query.stream()
            .flatMap(of -> of.enriched(enrichment).overFlows().stream())
            .anyMatch(of -> !of.enrichedColumns().isEmpty());
    Optional<RecentAnswers> answers = cache.filter(any -> !isEnriched);
    this.recent = answers.filter(any -> isOfNowAlone);
    this.listed = answers.flatMap(any -> query).flatMap(ListedGroups::of);
    this.groups = answers.map(RecentAnswers::groups);
  }

  static AnalysisConfig.History config(AnalysisConfig analysis) {
    return analysis.history() == null
        ? AnalysisConfig.History.WITHOUT_QUERY
        : analysis.requiredHistory();
  }

  private Set<String> parameters() {
    return query.map(Query::parameters).orElse(Set.of());
  }

  Duration timeout() {
    return timeout;
  }

  /** Later arrivals are not seen; it depends on the window alone. */
  long asOf(long windowEnd) {
    return config.now(windowEnd) - delayMicros;
  }

  /** Whether answers depend on the window's end alone, and are cached. */
  boolean canBeAhead() {
    return recent.isPresent();
  }

  /** {@link #cached} tells whether the cached answer still holds. */
  boolean isCached(long windowEnd) {
    return seen.isEmpty() && recent.isPresent() && recent.get().has(config.now(windowEnd));
  }

  /** Empty if none is cached, a snapshot has another answer, or addresses are looked up, too. */
  Optional<HistoryAnswer> cached(ArchivesSnapshot snapshot, long windowEnd) {
    return seen.isEmpty() ? recentRows(snapshot, windowEnd) : Optional.empty();
  }

  private Optional<HistoryAnswer> recentRows(ArchivesSnapshot snapshot, long windowEnd) {
    return recent.flatMap(answers -> answers.get(config.now(windowEnd), snapshot));
  }

  /** The last arrival that the window's answer depends on. */
  private long readThrough(WindowResult window) {
    long ofRows = query.isEmpty() ? Long.MIN_VALUE : asOf(window.windowEnd());
    return seen.isEmpty() ? ofRows : Math.max(ofRows, seen.asOf(window));
  }

  /**
   * Whether arrivals up to as-of may still come. Not if the end of input gave the result early:
   * waiting is in vain, and would hold back the job's last checkpoint.
   */
  boolean canBeReached(WindowResult window) {
    return readThrough(window) <= window.inputThrough();
  }

  /** Whether all arrivals up to as-of are committed or will never be. */
  boolean isReached(ArchivesSnapshot snapshot, WindowResult window) {
    return isReached(snapshot, sources(snapshot), readThrough(window));
  }

  /** The same of the rows of the history query alone. */
  boolean isReached(ArchivesSnapshot snapshot, long windowEnd) {
    return isReached(snapshot, sources(snapshot), asOf(windowEnd));
  }

  // A partition's producers may lag behind one another: only an arrival later by more than the
  // bound shows that nothing of as-of is on its way.
  private boolean isReached(ArchivesSnapshot snapshot, Set<String> sources, long asOf) {
    if (sources.isEmpty()) {
      return importedThrough(snapshot) + HistoryStretches.QUIET_MICROS >= asOf;
    }
    return snapshot.reach().reaches(sources, asOf + disorderMicros);
  }

  /** The last arrival in imported files: an archive of these alone has what they have. */
  private static long importedThrough(ArchivesSnapshot snapshot) {
    long last = Long.MIN_VALUE;
    for (long through : snapshot.reach().importedArrivals().values()) {
      last = Math.max(last, through);
    }
    return Math.min(last, Long.MAX_VALUE - HistoryStretches.QUIET_MICROS);
  }

  private long through(ArchivesSnapshot snapshot, Set<String> sources) {
    if (sources.isEmpty()) {
      return importedThrough(snapshot);
    }
    long through = snapshot.reach().historyThrough(sources);
    // Only ended sources reach the end of time.
    boolean ended = snapshot.reach().reaches(sources, Long.MAX_VALUE);
    return ended || through < Long.MIN_VALUE + disorderMicros ? through : through - disorderMicros;
  }

  /** Without those of a deleted topic of the same name: nothing more comes from them. */
  private Set<String> sources(ArchivesSnapshot snapshot) {
    return topic.sourceKeys(snapshot.reach().committedEnds().keySet());
  }

  HistoryAnswer run(ArchivesSnapshot snapshot, WindowResult window, Duration limit)
      throws IOException {
    if (seen.isEmpty()) {
      return rows(snapshot, query.orElseThrow(), window, limit);
    }
    Deadline deadline =
        new Deadline(Optional.of(limit), Long.MAX_VALUE, Long.MAX_VALUE, () -> false);
    List<Constraints> asked = List.of(seen.filter(window));
    ResultTable none = new ResultTable.Builder().build();
    HistoryAnswer reach =
        reached(snapshot, seen.asOf(window), asked, none, List.of()).withoutLaterGaps();
    HistoryAnswer answer = reach.withoutRows();
    if (query.isPresent()) {
      Optional<HistoryAnswer> cached = recentRows(snapshot, window.windowEnd());
      answer = cached.isPresent() ? cached.get() : rows(snapshot, query.get(), window, limit);
    }
    return seen.addTo(answer, snapshot, window, reach, deadline::check);
  }

  private HistoryAnswer rows(
      ArchivesSnapshot snapshot, Query query, WindowResult window, Duration limit)
      throws IOException {
    if (listed.isPresent() && hasList(listed.get(), window.rows())) {
      return answerOfList(listed.get(), groups.get(), snapshot, window, limit);
    }
    Query bound = query.bind(parameters(window));
    return cache(snapshot, window.windowEnd(), bound, limit);
  }

  HistoryAnswer lookAhead(ArchivesSnapshot snapshot, long windowEnd) throws IOException {
    return cache(snapshot, windowEnd, query.orElseThrow().bind(now(windowEnd)), timeout);
  }

  private HistoryAnswer cache(
      ArchivesSnapshot snapshot, long windowEnd, Query bound, Duration limit) throws IOException {
    HistoryAnswer answer = answer(snapshot, windowEnd, bound, bound, limit);
    if (recent.isPresent() && answer.status() == HistoryStatus.EXACT) {
      AskedSegments segments = new AskedSegments(bound, snapshot, answer.asOf());
      recent.get().keep(config.now(windowEnd), answer, segments);
    }
    return answer;
  }

  /** {@code asked} tells which gaps matter, beyond arrivals that are still to come. */
  private HistoryAnswer answer(
      ArchivesSnapshot snapshot, long windowEnd, Query bound, Query asked, Duration limit)
      throws IOException {
    QueryOptions options =
        QueryOptions.DEFAULTS
            .withAsOfArrival(asOf(windowEnd))
            .withTimeLimit(limit)
            .withRowLimit(rowLimit)
            .withGroupMemory(LookupPool.groupMemory())
            .withEnrichment(enrichment);
    QueryAnswer answer = ArchiveQuery.run(snapshot.all(), bound, options);
    return reached(
        snapshot, asOf(windowEnd), filters(asked), answer.table(), answer.stats().warnings());
  }

  /** Rows as of an arrival, with how far history reaches. */
  private HistoryAnswer reached(
      ArchivesSnapshot snapshot,
      long asOf,
      List<Constraints> filters,
      ResultTable rows,
      List<String> warnings) {
    Set<String> sources = sources(snapshot);
    HistoryGaps gaps = HistoryGaps.of(snapshot.reach().gaps(), asOf, disorderMicros, filters);
    boolean reached = isReached(snapshot, sources, asOf);
    boolean exact = gaps.asked().isEmpty() && reached;
    HistoryStretches stretches = HistoryStretches.of(snapshot.reach(), sources, disorderMicros);
    long from = stretches.from();
    Optional<String> message =
        gaps.message(topic)
            .or(() -> reached ? Optional.empty() : Optional.of(unreached(snapshot, sources, asOf)))
            .or(() -> warnings.stream().findFirst())
            .or(() -> sources.isEmpty() ? imported(snapshot, stretches) : Optional.empty());
    return new HistoryAnswer(
        exact ? HistoryStatus.EXACT : HistoryStatus.PARTIAL,
        asOf,
        from > asOf ? HistoryAnswer.UNKNOWN : from,
        through(snapshot, sources),
        gaps.arrivals(stretches.missing()),
        Optional.of(rows),
        message.orElse(null));
  }

  private static boolean hasList(ListedGroups listed, ResultTable live) {
    int column = live.column(listed.parameter().substring(LIVE.length()));
    return column >= 0 && live.kind(column) == listed.keyKind();
  }

  private HistoryAnswer answerOfList(
      ListedGroups list,
      GroupCache cache,
      ArchivesSnapshot snapshot,
      WindowResult window,
      Duration limit)
      throws IOException {
    List<Value> values = GroupCache.distinct(values(window.rows(), list.parameter()));
    Parameters now = now(window.windowEnd());
    FlowQuery rest = list.rest(now);
    long asOf = asOf(window.windowEnd());
    Optional<GroupCache.Answers> cached = cache.of(rest, snapshot, asOf);
    List<Value> missing = cached.map(answers -> answers.missing(values)).orElse(values);
    Query bound = list.bind(now, missing);
    HistoryAnswer answer = answer(snapshot, window.windowEnd(), bound, rest, limit);
    ResultTable found = answer.rows().orElseThrow();
    HistoryAnswer all =
        cached.map(answers -> answer.withRows(answers.rows(values, missing, found))).orElse(answer);
    if (answer.status() == HistoryStatus.EXACT) {
      cached.orElseGet(() -> cache.begin(list, rest, snapshot, asOf)).add(missing, found);
    }
    return all;
  }

  private String unreached(ArchivesSnapshot snapshot, Set<String> sources, long asOf) {
    long through = through(snapshot, sources);
    if (through != Long.MIN_VALUE) {
      return "the archive has what arrived before %s, and not yet all up to %s"
          .formatted(FlowTime.instant(through), FlowTime.instant(asOf));
    }
    if (sources.isEmpty()) {
      return "the archive has no flows";
    }
    Set<String> known = snapshot.reach().committedEnds().keySet();
    boolean any = sources.stream().anyMatch(known::contains);
    return "the archive has nothing of %stopic %s yet"
        .formatted(any ? "some partitions of " : "", topic.name());
  }

  /** What files cover; pauses between them are times without history. */
  private static Optional<String> imported(ArchivesSnapshot snapshot, HistoryStretches stretches) {
    int pauses = 0;
    for (int i = 0; i < stretches.missing().count(); i++) {
      pauses += stretches.missing().last(i) < Long.MAX_VALUE ? 1 : 0;
    }
    return Optional.of(
        "history is of imported files, from %s to %s%s"
            .formatted(
                FlowTime.instant(stretches.from()),
                FlowTime.instant(importedThrough(snapshot)),
                pauses == 0 ? "" : pauses == 1 ? " with a pause" : " with " + pauses + " pauses"));
  }

  private static List<Constraints> filters(Query bound) {
    return bound.overFlows().stream().map(of -> Constraints.of(of.where())).toList();
  }

  // Only the columns that the query names: a sum beyond a long cannot be a parameter's value.
  private Parameters parameters(WindowResult window) {
    Parameters parameters = now(window.windowEnd());
    for (String parameter : parameters()) {
      if (parameter.startsWith(LIVE)) {
        parameters = parameters.with(parameter, values(window.rows(), parameter));
      }
    }
    return parameters;
  }

  private Parameters now(long windowEnd) {
    return Parameters.NONE.with("now", Value.ofTimestamp(config.now(windowEnd)));
  }

  /** Each once: many rows may have the same one. */
  private static List<Value> values(ResultTable rows, String parameter) {
    int column = rows.column(parameter.substring(LIVE.length()));
    if (column < 0) {
      throw new QueryException(
          "parameter :" + parameter + ": the live query has the columns " + rows.names());
    }
    Set<Value> values = new LinkedHashSet<>();
    for (int row = 0; row < rows.rowCount(); row++) {
      values.add(rows.value(row, column));
    }
    return List.copyOf(values);
  }
}

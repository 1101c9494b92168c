package org.flowmon.jobs.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.FlowWindows;
import org.flowmon.udaf.NestedQueries;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every construct of the dialect by an example with its answer: the answers of the {@link
 * ExamplePage}s come from every way of running the query, and from DuckDB.
 */
class QueryExamplesTest {
  private static final long WEEK = 7 * 86_400_000_000L;

  @TempDir private Path directory;
  private List<FlowBatch> flows;
  private List<ExamplePage> pages;

  @BeforeEach
  void readThePagesAndTheirFlows() throws IOException {
    pages = ExamplePage.all();
    flows = ExamplePage.flows();
  }

  @Test
  void thePagesSayWhatTheQueriesGive() throws IOException {
    for (ExamplePage page : pages) {
      saysWhatItsQueriesGive(page);
    }
  }

  private void saysWhatItsQueriesGive(ExamplePage page) throws IOException {
    String made = page.with(this::answer);
    Path copy = Path.of("target").resolve(Path.of(page.name()).getFileName());
    Files.createDirectories(copy.getParent());
    Files.writeString(copy, made);
    List<String> expected = made.lines().toList();
    List<String> found = page.text().lines().toList();
    for (int line = 0; line < Math.max(expected.size(), found.size()); line++) {
      String should = line < expected.size() ? expected.get(line) : "the end";
      String is = line < found.size() ? found.get(line) : "the end";
      assertEquals(
          should, is, page.name() + ", line " + (line + 1) + "; " + copy + " is as it should be");
    }
  }

  private List<String> answer(QueryExample example) {
    try {
      Query query = example.query();
      boolean all = query.select().size() == FlowColumn.all().size();
      return ExamplePage.table(query, FlowQueries.run(flows, query), all);
    } catch (QueryException e) {
      return List.of("```", e.getMessage(), "```");
    }
  }

  /** Returns the examples of all pages that are no errors. */
  private List<QueryExample> queries() {
    List<QueryExample> queries = pages.stream().flatMap(page -> queries(page).stream()).toList();
    assertTrue(queries.size() > 60, queries.size() + " examples");
    return queries;
  }

  private static List<QueryExample> queries(ExamplePage page) {
    List<QueryExample> queries = new ArrayList<>();
    for (QueryExample example : page.examples()) {
      try {
        example.query();
        queries.add(example);
      } catch (QueryException e) {
        // an example of an error
      }
    }
    return queries;
  }

  @Test
  void duckDbSaysTheSame() throws SQLException {
    try (ExamplesInDuckDb duck = new ExamplesInDuckDb(flows)) {
      for (QueryExample example : queries()) {
        Query query = example.query();
        ResultTable table = FlowQueries.run(flows, query);
        List<List<String>> ours = cells(query, table);
        String sql = example.inDuckDb();
        if (sql == null) {
          assertTrue(!says(duck, example.sql(), ours), "DuckDB says the same of " + example);
        } else if (query.select().size() < FlowColumn.all().size()) {
          List<List<String>> theirs = duck.rows(sql);
          if (orderBy(query).isEmpty()) {
            ours.sort(Comparator.comparing(List::toString));
            theirs.sort(Comparator.comparing(List::toString));
          }
          assertEquals(rounded(ours, table), rounded(theirs, table), example::toString);
        }
      }
    }
  }

  private static List<OrderItem> orderBy(Query query) {
    return query instanceof TableQuery table
        ? table.clauses().orderBy()
        : ((FlowQuery) query).orderBy();
  }

  private static boolean says(ExamplesInDuckDb duck, String sql, List<List<String>> ours) {
    try {
      return duck.rows(sql).equals(ours);
    } catch (SQLException e) {
      return false;
    }
  }

  private static List<List<String>> cells(Query query, ResultTable table) {
    List<List<String>> rows = new ArrayList<>();
    for (int row = 0; row < table.rowCount(); row++) {
      List<String> cells = new ArrayList<>();
      for (int column = 0; column < table.columnCount(); column++) {
        cells.add(ExamplePage.cell(query, table, row, column));
      }
      rows.add(cells);
    }
    return rows;
  }

  /** Rounds doubles to 12 digits: DuckDB's deviations are not exact. */
  private static List<List<String>> rounded(List<List<String>> rows, ResultTable table) {
    List<List<String>> rounded = new ArrayList<>();
    for (List<String> row : rows) {
      List<String> cells = new ArrayList<>(row);
      for (int c = 0; c < cells.size(); c++) {
        if (table.kind(c) == ValueKind.DOUBLE && !cells.get(c).equals("NULL")) {
          cells.set(c, String.format("%.11e", Double.parseDouble(cells.get(c))));
        }
      }
      rounded.add(cells);
    }
    return rounded;
  }

  @Test
  void anArchiveGivesTheSame() throws IOException {
    try (Archive archive =
        Archive.openOrCreate(ArchiveLocation.of(directory), ArchiveOptions.DEFAULTS)) {
      ImportedFile file = new ImportedFile("0".repeat(64), "flows.csv", 1);
      try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
        for (FlowBatch batch : flows) {
          importer.add(batch);
        }
        importer.commit("test");
      }
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        for (QueryExample example : queries()) {
          Query query = example.query();
          assertEquals(
              FlowQueries.run(flows, query),
              ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table(),
              example::toString);
        }
      }
    }
  }

  @Test
  void bothLevelsOfALiveQueryGiveTheSame() {
    // All flows are of one window.
    WindowSpec window = new WindowSpec(WEEK, WEEK, FlowColumn.ARRIVAL, 0, 0);
    int compared = 0;
    for (QueryExample example : queries()) {
      Query query = example.query();
      boolean isLive =
          query.leaves().stream().allMatch(of -> of.isAggregated() && of.inQueries().isEmpty());
      if (isLive) {
        long[] counted = new long[1];
        ResultTable live = NestedQueries.answer(query, of -> result(of, window, counted), () -> {});
        compared += counted[0] > 0 ? 1 : 0;
        assertEquals(FlowQueries.run(flows, query), live, example::toString);
      }
    }
    assertTrue(compared > 40, compared + " aggregated examples");
  }

  private ResultTable result(FlowQuery query, WindowSpec window, long[] counted) {
    FlowWindows live = FlowWindows.run(flows, query, window, 2, 3);
    assertTrue(live.windows().size() <= 1, "one window");
    assertEquals(live.counts().selected(), live.counts().counted(), "no flow is late");
    counted[0] += live.counts().counted();
    return live.windows().isEmpty()
        ? FlowQueries.run(List.of(), query)
        : live.windows().get(live.windows().firstKey()).result();
  }

  @Test
  void everyConstructHasADocumentedExample() throws IOException {
    Set<String> constructs = new TreeSet<>();
    Set<String> used = new TreeSet<>();
    kindsOf(Expression.class, constructs);
    constructs.add("JOIN");
    constructs.add("LEFT JOIN");
    constructs.add("CROSS JOIN");
    constructs.add("UNION ALL");
    constructs.add("HAVING");
    constructs.add("LIMIT");
    constructs.add("LIMIT … BY");
    constructs.add("OFFSET");
    constructs.add("NULLS FIRST");
    constructs.add("DESC");
    Stream.of(Expression.ComparisonOperator.values()).forEach(o -> constructs.add(o.sql()));
    Stream.of(Expression.ArithmeticOperator.values()).forEach(o -> constructs.add(o.sql()));
    Stream.of(AggregateFunction.values()).forEach(f -> constructs.add(f.name()));
    EnumSet.allOf(ValueKind.class).forEach(kind -> constructs.add("literal of " + kind));
    for (QueryExample example : queries(ExamplePage.documented())) {
      // A bound query has no parameters any more.
      for (FlowQuery query : clauses(QueryParser.parseQuery(example.sql()), used)) {
        query.select().forEach(item -> use(item.what(), used));
        query.groupBy().forEach(key -> use(key, used));
        query.orderBy().forEach(order -> use(order.what(), used));
        if (query.where() != null) {
          use(query.where(), used);
        }
        if (query.having() != null) {
          use(query.having(), used);
          used.add("HAVING");
        }
        if (query.limit() >= 0) {
          used.add("LIMIT");
        }
        if (query.limitBy() != null) {
          used.add("LIMIT … BY");
        }
        query.orderBy().stream().filter(o -> o.nullsFirst()).forEach(o -> used.add("NULLS FIRST"));
        query.orderBy().stream().filter(o -> o.descending()).forEach(o -> used.add("DESC"));
      }
      if (example.query() instanceof FlowQuery bound && bound.where() != null) {
        use(bound.where(), used); // has literals in place of parameters
      }
    }
    constructs.removeAll(used);
    assertEquals(
        Collections.emptySet(), constructs, "without an example in docs/query-examples.md");
  }

  /** Adds the names of a sealed type's records, also of those below sealed types of its own. */
  private static void kindsOf(Class<?> type, Set<String> names) {
    for (Class<?> kind : type.getPermittedSubclasses()) {
      if (kind.isSealed()) {
        kindsOf(kind, names);
      } else {
        names.add(kind.getSimpleName());
      }
    }
  }

  /** Returns the clauses of a query and of all in it. */
  private static List<FlowQuery> clauses(Query query, Set<String> used) {
    List<FlowQuery> all = new ArrayList<>();
    if (query instanceof TableQuery.Union union) {
      union.parts().forEach(part -> all.addAll(clauses(part, used)));
      used.add("UNION ALL");
      return all;
    }
    FlowQuery own = query instanceof TableQuery table ? table.clauses() : (FlowQuery) query;
    all.add(own);
    own.inQueries().forEach(in -> all.addAll(clauses(in.query(), used)));
    if (query instanceof TableQuery table) {
      if (table.offset() > 0) {
        used.add("OFFSET");
      }
      boolean isFirst = true;
      for (TableQuery.Source source : table.from()) {
        all.addAll(clauses(source.query(), used));
        if (!isFirst) {
          String join = source.isLeft() ? "LEFT JOIN" : "JOIN";
          used.add(source.on().isEmpty() ? "CROSS JOIN" : join);
        }
        isFirst = false;
      }
    }
    return all;
  }

  private static void use(Expression expression, Set<String> used) {
    used.add(expression.getClass().getSimpleName());
    if (expression instanceof Expression.Comparison comparison) {
      used.add(comparison.operator().sql());
    } else if (expression instanceof Expression.Arithmetic arithmetic) {
      used.add(arithmetic.operator().sql());
    } else if (expression instanceof AggregateCall call) {
      used.add(call.function().name());
    } else if (expression instanceof Expression.Literal literal && literal.kind() != null) {
      used.add("literal of " + literal.kind());
    }
    ExpressionParts.of(expression).forEach(part -> use(part, used));
  }
}

package org.flowmon.jobs.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.ParallelFlowReader;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.ResultTable;

/**
 * A page of examples: queries in blocks of SQL, each followed by its answer, a table or the text of
 * an error. {@code docs/query-examples.md} has an example of each construct, {@code query-cases.md}
 * of the test resources has further cases. A comment before a block gives DuckDB's query, {@code
 * DuckDB: …}, or the reason for its absence, {@code not in DuckDB: …}; those of the documentation's
 * examples stand in {@code query-duckdb.md} of the test resources, each before its query.
 */
public final class ExamplePage {
  private static final String DUCK_DB = "<!-- DuckDB: ";
  private static final String NOT_IN_DUCK_DB = "<!-- not in DuckDB: ";
  private static final String COMMENT_ENDS = " -->";

  private static final String DOCUMENTED = "docs/query-examples.md";
  private static final String RESOURCES = "flowmon-jobs/src/test/resources/";

  private final String name;
  private final List<String> lines;
  private final List<QueryExample> examples = new ArrayList<>();

  /** Comments by queries; of other queries they stand on the page. */
  private ExamplePage(String name, Map<String, String> comments) throws IOException {
    this.name = name;
    lines = Files.readAllLines(docs().resolveSibling(name));
    for (int at = 0; at < lines.size(); at++) {
      if (lines.get(at).equals("```sql")) {
        String sql = String.join("\n", lines.subList(at + 1, end(at)));
        String comment = comments.getOrDefault(sql, lines.get(at - 1));
        examples.add(
            new QueryExample(
                name, at + 2, sql, inside(comment, DUCK_DB), inside(comment, NOT_IN_DUCK_DB)));
      }
    }
  }

  /** Reads the page of the documentation. */
  static ExamplePage documented() throws IOException {
    Map<String, String> comments = new HashMap<>();
    ExamplePage inDuckDb = new ExamplePage(RESOURCES + "query-duckdb.md", Map.of());
    for (QueryExample example : inDuckDb.examples) {
      comments.put(example.sql(), inDuckDb.lines.get(example.line() - 3));
    }
    ExamplePage page = new ExamplePage(DOCUMENTED, comments);
    page.examples.forEach(example -> comments.remove(example.sql()));
    assertEquals(Map.of(), comments, "queries of no example");
    return page;
  }

  /** Reads all pages, that of the documentation first. */
  public static List<ExamplePage> all() throws IOException {
    return List.of(documented(), new ExamplePage(RESOURCES + "query-cases.md", Map.of()));
  }

  /** Returns the flows of the examples. */
  public static List<FlowBatch> flows() throws IOException {
    List<FlowBatch> flows = new ArrayList<>();
    Path file = docs().resolve("examples/flows.csv");
    ((ParallelFlowReader) FlowFiles.open(file)).read(1, flows::add);
    int rows = flows.stream().mapToInt(FlowBatch::rows).sum();
    assertEquals(Files.readAllLines(file).size() - 1, rows, "each line is a flow");
    return flows;
  }

  /** Returns the project's folder of documentation. */
  public static Path docs() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder != null && !Files.isRegularFile(folder.resolve("mvnw"))) {
      folder = folder.getParent();
    }
    if (folder == null) {
      throw new IllegalStateException("no project above " + Path.of("").toAbsolutePath());
    }
    return folder.resolve("docs");
  }

  /** Returns all examples, errors included, in the order of the page. */
  public List<QueryExample> examples() {
    return List.copyOf(examples);
  }

  /** Returns the page's path in the project. */
  String name() {
    return name;
  }

  String text() {
    return String.join("\n", lines) + "\n";
  }

  /** Returns the page with other answers. */
  String with(Function<QueryExample, List<String>> answers) {
    List<String> page = new ArrayList<>();
    int at = 0;
    for (QueryExample example : examples) {
      int end = end(example.line() - 2);
      page.addAll(lines.subList(at, end + 1));
      page.add("");
      page.addAll(answers.apply(example));
      at = afterAnswer(end);
    }
    page.addAll(lines.subList(at, lines.size()));
    return String.join("\n", page) + "\n";
  }

  /** Formats an answer as on the page. */
  static List<String> table(Query query, ResultTable table, boolean allColumns) {
    List<Integer> columns = new ArrayList<>();
    for (int c = 0; c < table.columnCount(); c++) {
      if (!allColumns || !isAlwaysNull(table, c)) {
        columns.add(c);
      }
    }
    List<String> answer = new ArrayList<>();
    answer.add(row(columns, table::name));
    answer.add(row(columns, c -> "---").replace(" ", ""));
    for (int r = 0; r < table.rowCount(); r++) {
      int at = r;
      answer.add(row(columns, c -> cell(query, table, at, c)));
    }
    return answer;
  }

  private static String row(List<Integer> columns, Function<Integer, String> cell) {
    return "| "
        + String.join(" | ", columns.stream().map(c -> cell.apply(c).replace("|", "\\|")).toList())
        + " |";
  }

  private static boolean isAlwaysNull(ResultTable table, int column) {
    for (int row = 0; row < table.rowCount(); row++) {
      if (!table.isNull(row, column)) {
        return false;
      }
    }
    return true;
  }

  /** Formats a cell; codes of a column by their names. */
  static String cell(Query query, ResultTable table, int row, int column) {
    if (table.isNull(row, column)) {
      return "NULL";
    }
    CodeNames names = query.shown().get(column).codeNames();
    String name = names == null ? null : names.name(table.longValue(row, column));
    return name == null ? table.formatted(row, column) : name;
  }

  /** Returns the end of the block that begins at a line. */
  private int end(int start) {
    int at = start + 1;
    while (!lines.get(at).equals("```")) {
      at++;
    }
    return at;
  }

  /** Returns the first line after the answer to the query whose block ends at a line. */
  private int afterAnswer(int end) {
    int at = end + 1;
    while (at < lines.size() && lines.get(at).isEmpty()) {
      at++;
    }
    if (at < lines.size() && lines.get(at).equals("```")) {
      return end(at) + 1;
    }
    boolean found = false;
    while (at < lines.size() && lines.get(at).startsWith("|")) {
      found = true;
      at++;
    }
    return found ? at : end + 1;
  }

  private static String inside(String line, String opening) {
    return line.startsWith(opening) && line.endsWith(COMMENT_ENDS)
        ? line.substring(opening.length(), line.length() - COMMENT_ENDS.length())
        : null;
  }
}

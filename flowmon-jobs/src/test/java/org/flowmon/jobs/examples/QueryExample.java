package org.flowmon.jobs.examples;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;

/**
 * A query of an {@link ExamplePage}.
 *
 * @param page path of the page in the project
 * @param line of the page on which it begins, 1-based
 * @param sql as on the page, with comments: those of the form {@code -- :name = value} give
 *     parameters their values
 * @param duckDb DuckDB's query if it differs, else null
 * @param notInDuckDb why DuckDB has no such query, null if it has
 */
public record QueryExample(String page, int line, String sql, String duckDb, String notInDuckDb) {

  /**
   * Returns the query with its parameters' values.
   *
   * @throws org.flowmon.udaf.text.QueryException if it is an example of an error
   */
  public Query query() {
    return QueryParser.parseQuery(sql).bind(parameters()).enriched(Enrichment.NONE);
  }

  private Parameters parameters() {
    Map<String, List<Value>> values = new LinkedHashMap<>();
    for (String text : sql.split("\n", -1)) {
      if (text.startsWith("-- :")) {
        String name = text.substring(4, text.indexOf('=')).strip();
        String value = text.substring(text.indexOf('=') + 1).strip();
        List<Value> list = values.computeIfAbsent(name, n -> new ArrayList<>());
        if (!value.isEmpty()) {
          list.add(Value.parse(value));
        }
      }
    }
    Parameters parameters = Parameters.NONE;
    for (Map.Entry<String, List<Value>> entry : values.entrySet()) {
      parameters = parameters.with(entry.getKey(), entry.getValue());
    }
    return parameters;
  }

  /** Returns the query for DuckDB, with the values of parameters; null if there is none. */
  String inDuckDb() {
    if (notInDuckDb != null) {
      return null;
    }
    String text = duckDb == null ? sql : duckDb;
    for (String line : sql.split("\n", -1)) {
      if (duckDb == null && line.startsWith("-- :")) {
        String name = line.substring(3, line.indexOf('=')).strip();
        text = text.replace(name, line.substring(line.indexOf('=') + 1).strip());
      }
    }
    return text;
  }

  @Override
  public String toString() {
    return page + ", line " + line + ":\n" + sql;
  }
}

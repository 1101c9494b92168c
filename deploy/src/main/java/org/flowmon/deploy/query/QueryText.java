package org.flowmon.deploy.query;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.terminal.Excerpt;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;

/** Parses queries and conditions of command lines, with their parameters. */
public final class QueryText {
  private QueryText() {}

  /** Throws {@link UsageException} that shows the place of the error. */
  public static Query parse(String sql) {
    return parse(sql, QueryParser::parseQuery);
  }

  public static FlowQuery overFlows(String sql) {
    return parse(sql, QueryParser::parse);
  }

  public static Expression condition(String sql) {
    return parse(sql, QueryParser::parseCondition);
  }

  private static <T> T parse(String sql, Function<String, T> parser) {
    try {
      return parser.apply(sql);
    } catch (QueryException e) {
      if (e.position() < 0) {
        throw e;
      }
      throw wrong(String.valueOf(e.getMessage()), sql, e.position());
    }
  }

  /** What is wrong with a text, with the place. */
  static UsageException wrong(String message, String sql, int position) {
    return new UsageException(
        message, "docs/query.md describes the language", Excerpt.of(sql, position));
  }

  /**
   * Binds {@code --param NAME=VALUE}s: every parameter needs one, but {@code :now}, which is NOW(),
   * is {@code now} without one.
   *
   * @param now in microseconds
   */
  public static Query bind(Query query, List<String> parameters, long now) {
    Map<String, List<Value>> values = new LinkedHashMap<>();
    for (String parameter : parameters) {
      int equals = parameter.indexOf('=');
      int begin = parameter.startsWith(":") ? 1 : 0;
      if (equals <= begin) {
        throw new UsageException("--param " + parameter + ": expected NAME=VALUE");
      }
      String name = parameter.substring(begin, equals);
      if (!query.parameters().contains(name)) {
        throw new UsageException(
            "--param "
                + name
                + ": the query has no :"
                + name
                + ", its parameters are "
                + query.parameters());
      }
      values
          .computeIfAbsent(name, key -> new ArrayList<>())
          .add(Value.parse(parameter.substring(equals + 1)));
    }
    Parameters bound = Parameters.NONE;
    for (String name : query.parameters()) {
      if (name.equals("now")) {
        values.putIfAbsent(name, List.of(Value.ofTimestamp(now)));
      } else if (!values.containsKey(name)) {
        throw new UsageException(
            "parameter :" + name + " has no value: give one with --param " + name + "=VALUE");
      }
      bound = bound.with(name, values.get(name));
    }
    return query.bind(bound);
  }
}

package org.flowmon.deploy.grafana;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What Grafana makes of a query for PostgreSQL before it asks: variables ({@code $name}, {@code
 * ${name:raw}}), then macros as those of its source
 * (grafana/pkg/tsdb/grafana-postgresql-datasource, macros.go). A value of several is a list of
 * quoted texts.
 */
final class Expansion {
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{([A-Za-z_]\\w*)(?::(\\w+))?(?::\\w+)?}|\\$([A-Za-z]\\w*)");
  private static final Pattern MACRO = Pattern.compile("\\$__(\\w+)\\(([^()]*)\\)");

  private final Instant from;
  private final Instant to;
  private final Duration interval;
  private final Map<String, String> variables = new LinkedHashMap<>();
  private final Map<String, String> raw = new LinkedHashMap<>();

  Expansion(Instant from, Instant to, Duration interval) {
    this.from = from;
    this.to = to;
    this.interval = interval;
  }

  /** A variable of one value. */
  Expansion with(String name, String value) {
    variables.put(name, value.replace("'", "''"));
    raw.put(name, value);
    return this;
  }

  /** A variable that may have several values, with these. */
  Expansion with(String name, List<String> values) {
    variables.put(
        name,
        values.stream()
            .map(value -> "'" + value.replace("'", "''") + "'")
            .collect(Collectors.joining(",")));
    raw.put(name, String.join(",", values));
    return this;
  }

  /** All values of a variable whose All has a value of its own, which stands as it is. */
  Expansion withAll(String name, String all) {
    variables.put(name, all);
    raw.put(name, all);
    return this;
  }

  String sql(String query) {
    String text = VARIABLE.matcher(query).replaceAll(this::variable);
    text =
        text.replace("$__interval_ms", String.valueOf(interval.toMillis()))
            .replace("$__interval", interval.toSeconds() + "s");
    Matcher macro = MACRO.matcher(text);
    return macro.replaceAll(found -> Matcher.quoteReplacement(macro(found)));
  }

  private String variable(MatchResult found) {
    String name = found.group(1) == null ? found.group(3) : found.group(1);
    String text = ("raw".equals(found.group(2)) ? raw : variables).get(name);
    if (text == null) {
      throw new IllegalArgumentException("no variable " + name);
    }
    return Matcher.quoteReplacement(text);
  }

  private String macro(MatchResult found) {
    String[] arguments = found.group(2).split(",", -1);
    String column = arguments[0].strip();
    return switch (found.group(1)) {
      case "timeFilter" -> column + " BETWEEN '" + from + "' AND '" + to + "'";
      case "timeFrom" -> "'" + from + "'";
      case "timeTo" -> "'" + to + "'";
      case "timeGroup" -> {
        long seconds = interval.toSeconds();
        yield "floor(extract(epoch from %s)/%d)*%d".formatted(column, seconds, seconds);
      }
      default -> throw new IllegalArgumentException("no macro " + found.group());
    };
  }
}

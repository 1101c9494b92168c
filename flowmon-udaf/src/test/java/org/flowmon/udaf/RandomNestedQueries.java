package org.flowmon.udaf;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.flowmon.udaf.RandomQueries.Pair;

/**
 * Random queries over the results of others, each in our dialect and in DuckDB's. Rows are in the
 * order of all of their columns.
 */
final class RandomNestedQueries {
  private static final List<String> KEYS =
      List.of("src_addr", "dst_addr", "protocol", "service", "outgoing");
  private static final String[] AGGREGATES = {
    "COUNT(*)",
    "SUM(bytes)",
    "SUM(packets)",
    "MIN(dst_port)",
    "MAX(reverse_bytes)",
    "COUNT(DISTINCT dst_port)",
    "COUNT(service)"
  };

  private final Random random;
  private final RandomQueries conditions;

  RandomNestedQueries(Random random) {
    this.random = random;
    this.conditions = new RandomQueries(random);
  }

  /**
   * The result of a subquery.
   *
   * @param keys columns that may be NULL, of several kinds
   * @param values columns of whole numbers
   */
  private record Table(Pair query, List<String> keys, List<String> values) {}

  Pair next() {
    return ordered(random.nextInt(3) == 0 ? grouped(source(2)) : joined(2));
  }

  private Pair ordered(Table table) {
    List<String> all = new ArrayList<>(table.keys());
    all.addAll(table.values());
    String order = " ORDER BY " + String.join(", ", all) + page();
    return new Pair(table.query().ours() + order, table.query().duck() + order);
  }

  private String page() {
    String limit = random.nextInt(4) == 0 ? " LIMIT " + random.nextInt(40) : "";
    return limit + (random.nextInt(4) == 0 ? " OFFSET " + random.nextInt(12) : "");
  }

  /** Some rows of another query, in the order of all of its columns. */
  private Table paged(Table of) {
    Pair ordered = ordered(of);
    return new Table(
        new Pair(
            "SELECT * FROM (" + ordered.ours() + ") AS p",
            "SELECT * FROM (" + ordered.duck() + ") AS p"),
        of.keys(),
        of.values());
  }

  private Table source(int depth) {
    if (depth == 0 || random.nextInt(3) == 0) {
      return leaf();
    }
    return switch (random.nextInt(6)) {
      case 0, 1 -> grouped(source(depth - 1));
      case 2, 3 -> joined(depth - 1);
      case 4 -> paged(source(depth - 1));
      default -> united(source(depth - 1));
    };
  }

  /** Rows of another query, twice, the second time with the values changed. */
  private Table united(Table of) {
    String keys = String.join(", ", of.keys());
    String nulls = of.keys().stream().map(key -> "NULL").collect(Collectors.joining(", "));
    boolean isTotal = random.nextBoolean();
    String second =
        isTotal ? nulls + ", SUM(v0), COUNT(*)" : keys + ", v1, NULL"; // names are the first's
    String head = "SELECT * FROM (SELECT " + keys + ", v0, v1 FROM (";
    String middle = ") AS x UNION ALL SELECT " + second + " FROM (";
    return new Table(
        new Pair(
            head + of.query().ours() + middle + of.query().ours() + ") AS y) AS z",
            head + of.query().duck() + middle + of.query().duck() + ") AS y) AS z"),
        of.keys(),
        List.of("v0", "v1"));
  }

  /** A query over flows. */
  private Table leaf() {
    List<String> keys = some(KEYS);
    List<String> values = List.of("v0", "v1");
    String ours = "SELECT " + String.join(", ", keys);
    for (String value : values) {
      ours += ", " + AGGREGATES[random.nextInt(AGGREGATES.length)] + " AS " + value;
    }
    String duck = ours + " FROM flows";
    ours += " FROM flows";
    if (random.nextInt(3) == 0) {
      Pair where = random.nextInt(3) == 0 ? member(keys.get(0), 0) : conditions.condition(1);
      ours += " WHERE " + where.ours();
      duck += " WHERE " + where.duck();
    }
    String rest = " GROUP BY " + String.join(", ", keys);
    if (random.nextInt(3) == 0) {
      rest += " HAVING COUNT(*) > " + random.nextInt(5);
    }
    return new Table(new Pair(ours + rest, duck + rest), keys, values);
  }

  /** Whether a key is among those of another query. */
  private Pair member(String key, int depth) {
    String not = random.nextInt(3) == 0 ? " NOT IN (" : " IN (";
    if (depth > 0 && random.nextBoolean()) {
      Table table = source(depth - 1);
      String of = pick(table.keys());
      if (of.equals(key)) { // of the same kind
        return new Pair(
            key + not + "SELECT " + of + " FROM (" + table.query().ours() + ") AS m)",
            key + not + "SELECT " + of + " FROM (" + table.query().duck() + ") AS m)");
      }
    }
    Pair where = conditions.condition(1);
    String select = key + not + "SELECT " + key + " FROM flows WHERE ";
    return new Pair(select + where.ours() + ")", select + where.duck() + ")");
  }

  /** Groups of the rows of another query. */
  private Table grouped(Table of) {
    List<String> keys = some(of.keys());
    List<String> items = new ArrayList<>(keys);
    items.add("SUM(" + pick(of.values()) + ") AS v0");
    items.add(
        switch (random.nextInt(4)) {
          case 0 -> "COUNT(*) AS v1";
          case 1 -> "COUNT(DISTINCT t." + pick(of.keys()) + ") AS v1";
          case 2 -> "COUNT(" + pick(of.values()) + ") AS v1";
          default -> "SUM(CASE WHEN " + pick(of.values()) + " > 3 THEN 1 END) AS v1";
        });
    String head = "SELECT " + String.join(", ", items) + " FROM (";
    Pair where =
        switch (random.nextInt(5)) {
          case 0, 1, 2 -> Pair.same("");
          case 3 -> Pair.same(" WHERE t." + pick(of.values()) + " > " + random.nextInt(1000));
          default -> {
            Pair member = member(pick(of.keys()), 1);
            yield new Pair(" WHERE " + member.ours(), " WHERE " + member.duck());
          }
        };
    String tail = " GROUP BY " + String.join(", ", keys);
    if (random.nextInt(3) == 0) {
      tail += " HAVING SUM(" + pick(of.values()) + ") > 5";
    }
    return new Table(
        new Pair(
            head + of.query().ours() + ") AS t" + where.ours() + tail,
            head + of.query().duck() + ") AS t" + where.duck() + tail),
        keys,
        List.of("v0", "v1"));
  }

  /** Rows of two other queries with equal keys. */
  private Table joined(int depth) {
    Table a = source(depth);
    Table b = source(depth);
    List<String> common = a.keys().stream().filter(b.keys()::contains).toList();
    while (common.isEmpty()) {
      b = source(depth);
      common = a.keys().stream().filter(b.keys()::contains).toList();
    }
    List<String> on = some(common);
    List<String> keys = new ArrayList<>(a.keys());
    List<String> items =
        a.keys().stream().map(key -> "a." + key).collect(Collectors.toCollection(ArrayList::new));
    items.add("a.v0 AS v0");
    items.add(random.nextBoolean() ? "b.v1" : "a.v1 + b.v0 AS v1");
    String join = random.nextInt(3) == 0 ? ") AS a LEFT JOIN (" : ") AS a JOIN (";
    String rest =
        ") AS b ON "
            + on.stream()
                .map(key -> random.nextBoolean() ? "a." + key + " = b." + key : equal(key))
                .collect(Collectors.joining(" AND "));
    rest +=
        switch (random.nextInt(8)) {
          case 0, 1 -> " WHERE a.v1 >= b.v1 OR b.v0 IS NULL";
          case 2 -> " WHERE a.v0 > " + random.nextInt(300);
          case 3 -> " WHERE a.v0 > " + random.nextInt(300) + " AND a.v1 > 5 AND b.v0 > 5";
          case 4 -> " WHERE a.v1 > 5 AND b.v0 IS NULL";
          default -> "";
        };
    String head = "SELECT " + String.join(", ", items) + " FROM (";
    return new Table(
        new Pair(
            head + a.query().ours() + join + b.query().ours() + rest,
            head + a.query().duck() + join + b.query().duck() + rest),
        keys,
        List.of("v0", "v1"));
  }

  private String equal(String key) {
    String operator = random.nextBoolean() ? " = " : " IS NOT DISTINCT FROM ";
    return "b." + key + operator + "a." + key;
  }

  private List<String> some(List<String> all) {
    List<String> some = new ArrayList<>();
    while (some.isEmpty()) {
      for (String one : all) {
        if (some.size() < 2 && random.nextInt(3) == 0) {
          some.add(one);
        }
      }
    }
    return some;
  }

  private String pick(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }
}

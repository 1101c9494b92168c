package org.flowmon.archive.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.RandomQueries;
import org.flowmon.archive.query.Traffic;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;

/** Groups of packed keys against a loop over plain rows. */
class PackedGroupingTest extends PackedGroupingFixture {
  private static final int QUERIES = 120;

  private record Key(String sql, Function<Row, Object> value) {}

  private record Condition(String sql, Predicate<Row> keeps) {}

  private record Aggregate(String sql, Function<List<Row>, Object> value) {}

  private static final List<Key> KEYS =
      List.of(
          new Key("src_addr", Row::src),
          new Key("dst_addr", Row::dst),
          new Key(
              "CASE WHEN outgoing THEN src_addr ELSE dst_addr END",
              row -> isOutgoing(row) ? row.src() : row.dst()),
          new Key(
              "CASE WHEN outgoing THEN dst_addr ELSE src_addr END",
              row -> isOutgoing(row) ? row.dst() : row.src()),
          new Key(
              "CASE WHEN outgoing THEN src_addr END", row -> isOutgoing(row) ? row.src() : null),
          new Key(
              "CASE WHEN dst_port = 443 THEN dst_addr WHEN outgoing THEN NULL ELSE src_addr END",
              row ->
                  row.port() != null && row.port() == 443
                      ? row.dst()
                      : isOutgoing(row) ? null : row.src()),
          // NULL in all rows, and in most segments.
          new Key("next_hop", row -> null),
          new Key("exporter", Row::exporter),
          new Key(
              "CASE WHEN outgoing THEN exporter ELSE next_hop END",
              row -> isOutgoing(row) ? row.exporter() : null),
          new Key("dst_port", Row::port),
          new Key("protocol", Row::protocol),
          new Key("outgoing", row -> row.outgoing() == null ? null : row.outgoing() == 1));

  private static final List<Aggregate> AGGREGATES =
      List.of(
          new Aggregate("COUNT(*)", rows -> (long) rows.size()),
          new Aggregate("COUNT(bytes)", rows -> count(rows, Row::bytes)),
          new Aggregate("SUM(bytes)", rows -> sum(rows, Row::bytes)),
          new Aggregate("SUM(packets)", rows -> sum(rows, Row::packets)),
          new Aggregate("AVG(bytes)", rows -> average(rows, Row::bytes)),
          new Aggregate("MIN(packets)", rows -> extreme(rows, Row::packets, false)),
          new Aggregate("MAX(bytes)", rows -> extreme(rows, Row::bytes, true)),
          new Aggregate("MAX(dst_addr)", rows -> extreme(rows, Row::dst, true)),
          new Aggregate("MIN(src_addr)", rows -> extreme(rows, Row::src, false)),
          new Aggregate(
              "SUM(packets + 1)",
              rows -> sum(rows, row -> row.packets() == null ? null : row.packets() + 1)),
          new Aggregate(
              "MAX(packets / 2)",
              rows ->
                  extreme(rows, row -> row.packets() == null ? null : row.packets() / 2.0, true)),
          new Aggregate("COUNT(DISTINCT dst_addr)", rows -> distinct(rows, Row::dst)),
          new Aggregate("COUNT(DISTINCT bytes)", rows -> distinct(rows, Row::bytes)),
          new Aggregate(
              "COUNT(DISTINCT dst_addr, dst_port)", rows -> distinct(rows, Row::dst, Row::port)),
          new Aggregate(
              "COUNT(DISTINCT protocol, src_addr, protocol)",
              rows -> distinct(rows, Row::protocol, Row::src)));

  @SafeVarargs
  private static Object distinct(List<Row> rows, Function<Row, ?>... values) {
    Set<List<Object>> all = new HashSet<>();
    for (Row row : rows) {
      List<Object> one = new ArrayList<>();
      for (Function<Row, ?> value : values) {
        one.add(value.apply(row));
      }
      if (!one.contains(null)) {
        all.add(one);
      }
    }
    return (long) all.size();
  }

  private static boolean isOutgoing(Row row) {
    return row.outgoing() != null && row.outgoing() == 1;
  }

  private static BigInteger sum(List<Row> rows, Function<Row, Long> value) {
    BigInteger sum = null;
    for (Row row : rows) {
      if (value.apply(row) != null) {
        BigInteger one = BigInteger.valueOf(value.apply(row));
        sum = sum == null ? one : sum.add(one);
      }
    }
    return sum;
  }

  private static Object average(List<Row> rows, Function<Row, Long> value) {
    BigInteger sum = sum(rows, value);
    return sum == null
        ? null
        : new BigDecimal(sum)
            .divide(new BigDecimal(count(rows, value).toString()), MathContext.DECIMAL128)
            .doubleValue();
  }

  // ---- queries -------------------------------------------------------------------------------

  private static <T> List<T> pick(SplittableRandom random, List<T> from, int most) {
    List<T> some = new ArrayList<>();
    for (int n = 1 + random.nextInt(most); n > 0; n--) {
      T one = from.get(random.nextInt(from.size()));
      if (!some.contains(one)) {
        some.add(one);
      }
    }
    return some;
  }

  private static Condition condition(SplittableRandom random) {
    IpAddress host = address(random, true);
    long time = Traffic.BEGIN + random.nextLong(Traffic.DAY);
    return switch (random.nextInt(8)) {
      case 0 ->
          new Condition(
              " WHERE src_addr = '" + host + "' OR dst_addr = '" + host + "'",
              row -> host.equals(row.src()) || host.equals(row.dst()));
      case 1 ->
          new Condition(
              " WHERE end_time >= " + RandomQueries.timestamp(time),
              row -> row.end() != null && row.end() >= time);
      case 2 ->
          new Condition(
              " WHERE src_addr IN ('10.0.0.0/17', '" + host + "') AND dst_port <> 1",
              row ->
                  row.src() != null
                      && (row.src().equals(host) || isIn(row.src(), 0x0A00_0000L, 0xFFFF_8000L))
                      && row.port() != null
                      && row.port() != 1);
      case 5 ->
          // Postings find the rows of the first term, and the second keeps some of them.
          new Condition(
              " WHERE src_addr IN ('10.0.0.0/24', '"
                  + host
                  + "') AND NETWORK(src_addr, 25) <> '10.0.0.0'",
              row ->
                  row.src() != null
                      && (row.src().equals(host) || isIn(row.src(), 0x0A00_0000L, 0xFFFF_FF00L))
                      && !isIn(row.src(), 0x0A00_0000L, 0xFFFF_FF80L));
      case 3 ->
          new Condition(" WHERE NOT outgoing", row -> row.outgoing() != null && !isOutgoing(row));
      case 4 -> new Condition(" WHERE bytes IS NOT NULL", row -> row.bytes() != null);
      default -> new Condition("", row -> true);
    };
  }

  private static boolean isIn(IpAddress address, long network, long mask) {
    return IpAddress.isIpv4(address.hi(), address.lo()) && (address.lo() & mask) == network;
  }

  @SuppressWarnings("unchecked") // keys of one column are of one type
  private static int compare(Object a, Object b, boolean descending, boolean nullsFirst) {
    if (a == null || b == null) {
      int last = Boolean.compare(a == null, b == null);
      return nullsFirst ? -last : last;
    }
    int order = ((Comparable<Object>) a).compareTo(b);
    return descending ? -order : order;
  }

  private record Asked(String sql, List<String> expected) {}

  private record Having(String sql, Predicate<List<Row>> keeps) {}

  /** A condition over groups; it compares with the value of one of them. */
  private static Having having(SplittableRandom random, List<List<Row>> groups) {
    Aggregate of = AGGREGATES.get(random.nextInt(AGGREGATES.size()));
    Object some =
        groups.isEmpty() ? null : of.value.apply(groups.get(random.nextInt(groups.size())));
    boolean isLong = some instanceof Long || (some instanceof BigInteger b && b.bitLength() < 64);
    if (!isLong) {
      return new Having(of.sql + " IS NOT NULL", rows -> of.value.apply(rows) != null);
    }
    BigInteger number = new BigInteger(some.toString());
    boolean above = random.nextBoolean();
    return new Having(
        of.sql + (above ? " > " : " <= ") + number,
        rows -> {
          Object value = of.value.apply(rows);
          return value != null && new BigInteger(value.toString()).compareTo(number) > 0 == above;
        });
  }

  /** A query, and its answer by a loop over all rows. */
  private static Asked ask(SplittableRandom random, List<Row> rows) {
    List<Key> keys = pick(random, KEYS, 3);
    List<Aggregate> aggregates = pick(random, AGGREGATES, 4);
    Condition condition = condition(random);
    Map<List<Object>, List<Row>> groups = new HashMap<>();
    for (Row row : rows) {
      if (condition.keeps.test(row)) {
        List<Object> key = new ArrayList<>();
        keys.forEach(one -> key.add(one.value.apply(row)));
        groups.computeIfAbsent(key, k -> new ArrayList<>()).add(row);
      }
    }
    String having = "";
    if (random.nextInt(3) == 0) {
      Having kept = having(random, List.copyOf(groups.values()));
      groups.values().removeIf(of -> !kept.keeps.test(of));
      having = " HAVING " + kept.sql;
    }
    record Group(List<Object> key, List<Object> values) {}
    List<Group> all = new ArrayList<>();
    groups.forEach(
        (key, of) -> {
          List<Object> values = new ArrayList<>();
          aggregates.forEach(one -> values.add(one.value.apply(of)));
          all.add(new Group(key, values));
        });
    Comparator<Group> byKeys =
        (a, b) -> {
          int order = 0;
          for (int k = 0; k < keys.size() && order == 0; k++) {
            order = compare(a.key.get(k), b.key.get(k), false, false);
          }
          return order;
        };
    String order = "";
    Comparator<Group> comparator = byKeys;
    boolean descending = random.nextBoolean();
    boolean nullsFirst = random.nextInt(3) == 0;
    String direction = (descending ? " DESC" : "") + (nullsFirst ? " NULLS FIRST" : "");
    switch (random.nextInt(4)) {
      case 0 -> {
        int at = random.nextInt(aggregates.size());
        order = " ORDER BY " + aggregates.get(at).sql + direction;
        Comparator<Group> first =
            (a, b) -> compare(a.values.get(at), b.values.get(at), descending, nullsFirst);
        comparator = first.thenComparing(byKeys);
      }
      case 1 -> {
        int at = random.nextInt(keys.size());
        order = " ORDER BY " + keys.get(at).sql + direction;
        Comparator<Group> first =
            (a, b) -> compare(a.key.get(at), b.key.get(at), descending, nullsFirst);
        comparator = first.thenComparing(byKeys);
      }
      default -> {}
    }
    all.sort(comparator);
    int limit = random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(60);
    List<String> lines = new ArrayList<>();
    for (Group group : all.subList(0, Math.min(limit, all.size()))) {
      List<String> cells = new ArrayList<>();
      group.key.forEach(value -> cells.add(text(value)));
      group.values.forEach(value -> cells.add(text(value)));
      lines.add(String.join("\t", cells));
    }
    List<String> items = new ArrayList<>();
    keys.forEach(key -> items.add(key.sql));
    aggregates.forEach(aggregate -> items.add(aggregate.sql));
    String sql =
        "SELECT "
            + String.join(", ", items)
            + " FROM flows"
            + condition.sql
            + " GROUP BY "
            + String.join(", ", items.subList(0, keys.size()))
            + having
            + order
            + (limit == Integer.MAX_VALUE ? "" : " LIMIT " + limit);
    return new Asked(sql, lines);
  }

  @Test
  void groupsOfNumbersAreThoseOfALoopOverPlainRows() throws IOException {
    long seed = 4711;
    SplittableRandom random = new SplittableRandom(seed);
    int packed = 0;
    for (int round = 0; round < 3; round++) {
      List<Row> all = new ArrayList<>();
      try (Archive archive =
          Archive.create(directory.resolve("a" + round), ArchiveOptions.DEFAULTS)) {
        // The last of one row, and the first round without NULLs and IPv6.
        for (int rows : new int[] {9000, 14_000, 2500, 6000, 1}) {
          List<Row> some = rows(random, rows, round * 0.03, round > 0 && rows != 2500);
          commit(archive, some);
          all.addAll(some);
        }
        Collections.shuffle(all, new java.util.Random(seed));
        for (int q = 0; q < QUERIES / 3; q++) {
          Asked asked = ask(random, all);
          FlowQuery query = QueryParser.parse(asked.sql);
          QueryOptions options =
              QueryOptions.DEFAULTS
                  .withThreads(1 + random.nextInt(4))
                  .withPieceRows(1 + random.nextInt(3000))
                  .withRollups(random.nextInt(3) == 0);
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            String table = ArchiveQuery.run(snapshot, query, options).table().toString();
            String[] lines = table.split("\n", -1);
            assertEquals(
                String.join("\n", asked.expected),
                String.join("\n", List.of(lines).subList(1, lines.length)),
                "seed " + seed + ", round " + round + ", query " + q + ": " + asked.sql);
            packed += isPacked(snapshot, query) ? 1 : 0;
          }
        }
      }
    }
    assertTrue(packed > QUERIES / 2, packed + " queries had groups of numbers");
  }
}

package org.flowmon.archive.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.nio.file.Path;
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
import org.flowmon.archive.query.limit.ByteLimitException;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of packed keys against a loop over plain rows. */
class PackedGroupingTest {
  private static final int QUERIES = 120;

  @TempDir Path directory;

  /** A flow; a null is NULL. */
  private record Row(
      IpAddress src,
      IpAddress dst,
      IpAddress exporter,
      Long port,
      Long protocol,
      Long outgoing,
      Long bytes,
      Long packets,
      Long end,
      long arrival) {}

  private record Key(String sql, Function<Row, Object> value) {}

  private record Condition(String sql, Predicate<Row> keeps) {}

  private record Aggregate(String sql, Function<List<Row>, Object> value) {}

  private static final List<Key> KEYS =
      List.of(
          new Key("src_addr", Row::src),
          new Key("dst_addr", Row::dst),
          new Key(
              "CASE WHEN outgoing THEN src_addr ELSE dst_addr END",
              row -> isOutgoing(row) ? row.src : row.dst),
          new Key(
              "CASE WHEN outgoing THEN dst_addr ELSE src_addr END",
              row -> isOutgoing(row) ? row.dst : row.src),
          new Key("CASE WHEN outgoing THEN src_addr END", row -> isOutgoing(row) ? row.src : null),
          new Key(
              "CASE WHEN dst_port = 443 THEN dst_addr WHEN outgoing THEN NULL ELSE src_addr END",
              row ->
                  row.port != null && row.port == 443 ? row.dst : isOutgoing(row) ? null : row.src),
          // NULL in all rows, and in most segments.
          new Key("next_hop", row -> null),
          new Key("exporter", Row::exporter),
          new Key(
              "CASE WHEN outgoing THEN exporter ELSE next_hop END",
              row -> isOutgoing(row) ? row.exporter : null),
          new Key("dst_port", Row::port),
          new Key("protocol", Row::protocol),
          new Key("outgoing", row -> row.outgoing == null ? null : row.outgoing == 1));

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
              rows -> sum(rows, row -> row.packets == null ? null : row.packets + 1)),
          new Aggregate(
              "MAX(packets / 2)",
              rows -> extreme(rows, row -> row.packets == null ? null : row.packets / 2.0, true)),
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
    return row.outgoing != null && row.outgoing == 1;
  }

  private static Object count(List<Row> rows, Function<Row, Long> value) {
    return rows.stream().filter(row -> value.apply(row) != null).count();
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

  private static <T extends Comparable<T>> Object extreme(
      List<Row> rows, Function<Row, T> value, boolean largest) {
    return rows.stream()
        .map(value)
        .filter(one -> one != null)
        .reduce((a, b) -> (a.compareTo(b) < 0) == largest ? b : a)
        .orElse(null);
  }

  // ---- rows ----------------------------------------------------------------------------------

  private static IpAddress address(SplittableRandom random, boolean mixed) {
    int host = (int) Math.min(1500, 1 / Math.pow(random.nextDouble(), 1.2));
    if (mixed && host % 3 == 1) {
      return new IpAddress(host % 2 == 0 ? 0xFE80L << 48 : 0x2001_0db8_0000_0000L, host * 77L);
    }
    // On both sides of 128.0.0.0.
    return IpAddress.ofIpv4(host % 2 == 0 ? 0x0A00_0000 + host * 41 : 0xC000_0200 + host);
  }

  private static List<Row> rows(SplittableRandom random, int count, double unknown, boolean mixed) {
    List<Row> rows = new ArrayList<>();
    boolean hasExporters = unknown > 0.04 && random.nextBoolean();
    boolean noDestinations = unknown > 0 && random.nextInt(4) == 0;
    for (int i = 0; i < count; i++) {
      long arrival = Traffic.BEGIN + random.nextLong(Traffic.DAY) / 1000 * 1000;
      long ahead = random.nextInt(40) == 0 ? random.nextLong(5 * Traffic.HOUR) : -arrival % 7;
      boolean huge = random.nextInt(3) == 0;
      rows.add(
          new Row(
              random.nextDouble() < unknown ? null : address(random, mixed),
              noDestinations || random.nextDouble() < unknown ? null : address(random, mixed),
              hasExporters && random.nextInt(3) > 0 ? IpAddress.ofIpv4(random.nextInt(4)) : null,
              random.nextDouble() < unknown ? null : (long) (random.nextInt(3) * 221 + 1),
              random.nextDouble() < unknown ? null : (long) random.nextInt(256),
              random.nextDouble() < unknown ? null : (long) random.nextInt(2),
              random.nextDouble() < unknown
                  ? null
                  : huge ? Long.MAX_VALUE - random.nextInt(9) : random.nextLong(100_000),
              random.nextDouble() < unknown ? null : random.nextLong(1000),
              random.nextDouble() < unknown ? null : arrival + ahead,
              arrival));
    }
    return rows;
  }

  private static void commit(Archive archive, List<Row> rows) throws IOException {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(700);
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, row.arrival);
      set(builder, FlowColumn.END_TIME, row.end);
      set(builder, FlowColumn.DST_PORT, row.port);
      set(builder, FlowColumn.PROTOCOL, row.protocol);
      set(builder, FlowColumn.OUTGOING, row.outgoing);
      set(builder, FlowColumn.BYTES, row.bytes);
      set(builder, FlowColumn.PACKETS, row.packets);
      if (row.src != null) {
        builder.setAddress(FlowColumn.SRC_ADDR, row.src);
      }
      if (row.dst != null) {
        builder.setAddress(FlowColumn.DST_ADDR, row.dst);
      }
      if (row.exporter != null) {
        builder.setAddress(FlowColumn.EXPORTER, row.exporter);
      }
      builder.endRow();
      if (builder.isFull() || i == rows.size() - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    Traffic.commit(archive, batches);
  }

  private static void set(FlowBatchBuilder builder, FlowColumn column, Long value) {
    if (value != null) {
      builder.set(column, value);
    }
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
              row -> host.equals(row.src) || host.equals(row.dst));
      case 1 ->
          new Condition(
              " WHERE end_time >= " + RandomQueries.timestamp(time),
              row -> row.end != null && row.end >= time);
      case 2 ->
          new Condition(
              " WHERE src_addr IN ('10.0.0.0/17', '" + host + "') AND dst_port <> 1",
              row ->
                  row.src != null
                      && (row.src.equals(host) || isIn(row.src, 0x0A00_0000L, 0xFFFF_8000L))
                      && row.port != null
                      && row.port != 1);
      case 5 ->
          // Postings find the rows of the first term, and the second keeps some of them.
          new Condition(
              " WHERE src_addr IN ('10.0.0.0/24', '"
                  + host
                  + "') AND NETWORK(src_addr, 25) <> '10.0.0.0'",
              row ->
                  row.src != null
                      && (row.src.equals(host) || isIn(row.src, 0x0A00_0000L, 0xFFFF_FF00L))
                      && !isIn(row.src, 0x0A00_0000L, 0xFFFF_FF80L));
      case 3 ->
          new Condition(" WHERE NOT outgoing", row -> row.outgoing != null && !isOutgoing(row));
      case 4 -> new Condition(" WHERE bytes IS NOT NULL", row -> row.bytes != null);
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

  private static String text(Object value) {
    return value == null ? "NULL" : value.toString();
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

  private static boolean isPacked(ArchiveSnapshot snapshot, FlowQuery query) throws IOException {
    return new GroupPlanner(
                new QueriedArchives(List.of(snapshot), true),
                snapshot.segments(),
                Constraints.of(query.where()),
                new Deadline(null, Long.MAX_VALUE, Long.MAX_VALUE, () -> false),
                GroupMemory.unlimited())
            .plan(new Groupings(query).all(), 1, 1)
            .get(0)
        instanceof PackedGrouper;
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

  @Test
  void addressesThatAreAllNullAreOneGroupWhereverAnArgumentIsNull() throws IOException {
    // Keys are cut after the first 16,384 rows; rows are in the order of their times.
    for (int firstNull : new int[] {19_500, 0}) {
      SplittableRandom random = new SplittableRandom(firstNull);
      List<Row> rows = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        long time = Traffic.BEGIN + i * 1000L;
        boolean isNull = i >= firstNull && i < firstNull + 500;
        Long bytes = isNull ? null : (Long) (1000 + random.nextLong(9000));
        IpAddress host = address(random, true);
        rows.add(new Row(host, host, null, 1L, 6L, 1L, bytes, 1L, time, time));
      }
      try (Archive archive =
          Archive.create(directory.resolve("a" + firstNull), ArchiveOptions.DEFAULTS)) {
        commit(archive, rows);
        for (String keys : List.of("next_hop", "exporter", "exporter, next_hop")) {
          String sql =
              "SELECT COUNT(*), COUNT(bytes), MIN(bytes), MAX(bytes) FROM flows GROUP BY " + keys;
          FlowQuery query = QueryParser.parse(sql);
          try (ArchiveSnapshot snapshot = archive.snapshot()) {
            assertTrue(isPacked(snapshot, query), sql);
            String table =
                ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table().toString();
            String expected =
                "20000\t19500\t"
                    + text(extreme(rows, Row::bytes, false))
                    + "\t"
                    + text(extreme(rows, Row::bytes, true));
            String[] lines = table.split("\n", -1);
            assertEquals(
                expected,
                String.join("\n", List.of(lines).subList(1, lines.length)),
                "NULL from row " + firstNull + ": " + sql);
          }
        }
      }
    }
  }

  @Test
  void dictionariesCountAsBytesBeforeTheyAreRead() throws IOException {
    SplittableRandom random = new SplittableRandom(6);
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      for (int s = 0; s < 3; s++) {
        commit(archive, rows(random, 5000, 0, true));
      }
      FlowQuery query =
          QueryParser.parse("SELECT src_addr, MAX(bytes) AS m FROM flows GROUP BY src_addr");
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        QueryOptions options = QueryOptions.DEFAULTS.withThreads(1);
        long all = ArchiveQuery.run(snapshot, query, options).stats().bytesRead();
        ArchiveQuery.run(snapshot, query, options.withByteLimit(all));
        assertThrows(
            ByteLimitException.class,
            () -> ArchiveQuery.run(snapshot, query, options.withByteLimit(all - 1)));
        ByteLimitException early =
            assertThrows(
                ByteLimitException.class,
                () -> ArchiveQuery.run(snapshot, query, options.withByteLimit(100)));
        assertTrue(early.getMessage().endsWith("0 of 3 segments were done"), early.getMessage());
      }
    }
  }

  @Test
  void whatIsNotWorthNumberingIsGroupedAsItIs() throws IOException {
    SplittableRandom random = new SplittableRandom(5);
    try (Archive archive = Archive.create(directory.resolve("a"), ArchiveOptions.DEFAULTS)) {
      commit(archive, rows(random, 20_000, 0, true));
      try (ArchiveSnapshot snapshot = archive.snapshot()) {
        String pairs = "SELECT src_addr, dst_addr, SUM(bytes) FROM flows {} GROUP BY 1, 2";
        pairs = pairs.replace("GROUP BY 1, 2", "GROUP BY src_addr, dst_addr");
        assertTrue(isPacked(snapshot, QueryParser.parse(pairs.replace("{}", ""))));
        // Few rows.
        String few = "WHERE src_addr = '10.0.1.70'";
        assertTrue(!isPacked(snapshot, QueryParser.parse(pairs.replace("{}", few))));
        // Keys that do not fit a long, and keys that are not columns.
        for (String keys :
            List.of("bytes", "src_as, dst_as", "service", "NETWORK(src_addr, 24)", "bytes + 1")) {
          String sql = "SELECT " + keys + ", COUNT(*) FROM flows GROUP BY " + keys;
          assertTrue(!isPacked(snapshot, QueryParser.parse(sql)), sql);
        }
      }
    }
  }
}

package org.flowmon.it.oracle;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.flowmon.flow.IpAddress;

/**
 * Seeded queries, each in flowmon's dialect and in DuckDB's SQL over the views of {@link
 * DuckDbFlows}.
 */
final class OracleQueries {
  /** One condition, key or aggregate, in both. */
  record Both(String ours, String duck) {
    static Both same(String text) {
      return new Both(text, text);
    }
  }

  /**
   * A query.
   *
   * @param ours without order and limit
   * @param end ORDER BY and LIMIT of flowmon, possibly empty
   * @param duck the same rows as {@code ours}
   */
  record Query(String ours, String end, String duck) {
    /** If the order is by the first aggregate: with order and limit, in DuckDB it alone. */
    Optional<Both> page() {
      return end.startsWith(" ORDER BY a0")
          ? Optional.of(
              new Both(
                  ours + end,
                  "SELECT a0 FROM (" + duck + ")" + end.replace("DESC", "DESC NULLS LAST")))
          : Optional.empty();
    }
  }

  private final SplittableRandom random;
  private final Supplier<IpAddress> addresses;
  private final long begin;
  private final int days;

  /**
   * Queries over some days.
   *
   * @param addresses gives addresses that the flows may have
   * @param begin first time of the flows, µs
   */
  OracleQueries(long seed, Supplier<IpAddress> addresses, long begin, int days) {
    this.random = new SplittableRandom(seed);
    this.addresses = addresses;
    this.begin = begin;
    this.days = days;
  }

  Query next() {
    return random.nextInt(3) == 0 ? rows() : grouped();
  }

  private String pick(String... some) {
    return some[random.nextInt(some.length)];
  }

  private long time() {
    long time = begin + (long) (random.nextDouble() * days * MixedTraffic.DAY);
    return random.nextBoolean() ? time / MixedTraffic.HOUR * MixedTraffic.HOUR : time;
  }

  private static String timestamp(long micros) {
    return "TIMESTAMP '" + Instant.EPOCH.plus(micros, ChronoUnit.MICROS) + "'";
  }

  private static Both join(String operator, List<Both> parts) {
    return new Both(
        "(" + String.join(operator, parts.stream().map(Both::ours).toList()) + ")",
        "(" + String.join(operator, parts.stream().map(Both::duck).toList()) + ")");
  }

  private Both condition(int depth) {
    if (depth > 0 && random.nextInt(5) < 3) {
      Both both =
          join(pick(" AND ", " AND ", " OR "), List.of(condition(depth - 1), condition(depth - 1)));
      return random.nextInt(6) > 0 ? both : new Both("NOT " + both.ours, "NOT " + both.duck);
    }
    String side = pick("src_addr", "dst_addr");
    return switch (random.nextInt(14)) {
      case 0 -> Both.same(side + " = '" + addresses.get() + "'");
      case 1 -> either("'" + addresses.get() + "'");
      case 2 -> members(side, 1 + random.nextInt(6));
      case 3 -> prefix(side);
      case 4 -> Both.same("protocol = " + pick("1", "6", "17", "99"));
      case 5 -> Both.same("dst_port " + pick("=", "<", ">=", "<>") + " " + pick("22", "53", "443"));
      case 6 -> Both.same("src_port BETWEEN 1100 AND " + (1100 + random.nextInt(2000)));
      case 7, 8 -> times(pick("end_time", "end_time", "end_time", "arrival", "start_time"));
      case 9 -> sameHour();
      case 10 ->
          Both.same(
              pick("end_time", "bytes", "src_addr", "src_as", "service", "state")
                  + " IS"
                  + pick("", " NOT")
                  + " NULL");
      case 11 -> Both.same("bytes " + pick("<", ">") + " " + random.nextInt(1_000_000));
      case 12 ->
          Both.same(pick("state IN (1, 3)", "src_as IN (64501, 64505)", "service = 'it''s'"));
      default -> Both.same(pick("outgoing", "NOT outgoing", "packets > reverse_bytes"));
    };
  }

  private static Both either(String address) {
    return Both.same("(src_addr = " + address + " OR dst_addr = " + address + ")");
  }

  private Both members(String side, int n) {
    List<Both> parts = new ArrayList<>();
    List<String> ours = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      Both part =
          random.nextInt(4) == 0 ? prefix(side) : Both.same(side + " = '" + addresses.get() + "'");
      parts.add(part);
      ours.add(part.ours.substring(part.ours.indexOf('\'')));
    }
    return new Both(side + " IN (" + String.join(", ", ours) + ")", join(" OR ", parts).duck);
  }

  private Both prefix(String side) {
    IpAddress address = addresses.get();
    boolean ipv4 = !address.toString().contains(":");
    int length = (ipv4 ? 32 : 128) - random.nextInt(ipv4 ? 24 : 100);
    return new Both(
        side + " IN '" + address + "/" + length + "'",
        DuckDbFlows.inPrefix(side, address.toString(), length));
  }

  private Both times(String column) {
    long from = time();
    long to = from + (long) (random.nextDouble() * 3 * MixedTraffic.DAY);
    to = random.nextBoolean() ? to / MixedTraffic.HOUR * MixedTraffic.HOUR : to;
    return switch (random.nextInt(3)) {
      case 0 -> new Both(column + " >= " + timestamp(from), column + " >= " + from);
      case 1 -> new Both(column + " < " + timestamp(to), column + " < " + to);
      default ->
          new Both(
              "("
                  + column
                  + " >= "
                  + timestamp(from)
                  + " AND "
                  + column
                  + " < "
                  + timestamp(to)
                  + ")",
              "(" + column + " >= " + from + " AND " + column + " < " + to + ")");
    };
  }

  private Both sameHour() {
    long now = time() + MixedTraffic.DAY;
    int back = 1 + random.nextInt(days);
    List<String> hours = new ArrayList<>();
    for (int i = 1; i <= back; i++) {
      long from = now - i * MixedTraffic.DAY;
      hours.add("(end_time >= " + from + " AND end_time < " + (from + MixedTraffic.HOUR) + ")");
    }
    return new Both(
        "SAME_HOUR(end_time, " + timestamp(now) + ", " + back + ")",
        "(" + String.join(" OR ", hours) + ")");
  }

  private Both where() {
    return random.nextInt(8) == 0 ? Both.same("TRUE") : condition(2);
  }

  private Both key() {
    return switch (random.nextInt(14)) {
      case 0, 1 -> Both.same("src_addr");
      case 2, 3 -> Both.same("dst_addr");
      case 4 -> Both.same("dst_port");
      case 5 -> Both.same("protocol");
      case 6 -> Both.same("outgoing");
      case 7 -> Both.same("service");
      case 8 ->
          new Both(
              "TIME_BUCKET(end_time, INTERVAL '1' HOUR)",
              "end_time // " + MixedTraffic.HOUR + " * " + MixedTraffic.HOUR);
      case 9 -> {
        String side = pick("src_addr", "dst_addr");
        yield new Both("NETWORK(" + side + ", 24, 64)", DuckDbFlows.network(side));
      }
      case 10 -> Both.same("CASE WHEN outgoing THEN src_addr ELSE dst_addr END");
      // No flow has them.
      case 11 -> Both.same("next_hop");
      case 12 -> Both.same("exporter");
      default -> Both.same("CASE WHEN outgoing THEN dst_addr ELSE src_addr END");
    };
  }

  private Query grouped() {
    List<Both> keys = new ArrayList<>();
    for (int k = random.nextInt(4); k > 0; k--) {
      Both key = key();
      if (!keys.contains(key)) {
        keys.add(key);
      }
    }
    // Sums alone may be had from rollups, others not.
    String[] sums = {
      "COUNT(*) AS a0",
      "SUM(bytes) AS a0",
      "COUNT(*) AS a0, SUM(bytes) AS a1, SUM(reverse_bytes) AS a2, COUNT(packets) AS a3",
      "COUNT(*) AS a0, SUM(bytes) AS a1, MIN(packets) AS a2, MAX(end_time) AS a3",
      "SUM(packets) AS a0, MAX(bytes) AS a1, COUNT(src_addr) AS a2",
    };
    Both aggregates = random.nextInt(4) == 0 ? distinct() : Both.same(pick(sums));
    Both where = where();
    StringBuilder ours = new StringBuilder("SELECT ");
    StringBuilder duck = new StringBuilder("SELECT ");
    for (int k = 0; k < keys.size(); k++) {
      ours.append(keys.get(k).ours).append(" AS k").append(k).append(", ");
      duck.append(keys.get(k).duck).append(" AS k").append(k).append(", ");
    }
    ours.append(aggregates.ours).append(" FROM flows WHERE ").append(where.ours);
    duck.append(aggregates.duck).append(" FROM flows WHERE ").append(where.duck);
    for (int k = 0; k < keys.size(); k++) {
      ours.append(k == 0 ? " GROUP BY " : ", ").append('k').append(k);
      duck.append(k == 0 ? " GROUP BY " : ", ").append('k').append(k);
    }
    if (random.nextInt(3) == 0) {
      String having = " HAVING " + having(keys.size());
      ours.append(having);
      duck.append(having);
    }
    String end =
        pick(
            "",
            " LIMIT 5",
            " LIMIT 5 OFFSET 2",
            " ORDER BY a0 DESC LIMIT 7",
            " ORDER BY a0 DESC LIMIT 7 OFFSET " + random.nextInt(9),
            " ORDER BY a0 NULLS FIRST LIMIT 30",
            " ORDER BY a0 NULLS FIRST OFFSET " + random.nextInt(40));
    return new Query(ours.toString(), end, duck.toString());
  }

  /** A condition over groups of so many keys; the first aggregate is a number. */
  private String having(int keys) {
    return switch (random.nextInt(8)) {
      case 0 -> "a0 > " + random.nextInt(10_000);
      case 1 -> "NOT (a0 BETWEEN 2 AND " + (2 + random.nextInt(50)) + ")";
      case 2 -> "COUNT(*) > " + random.nextInt(20);
      case 3 -> "SUM(bytes) IS NULL OR SUM(packets) * 2 - COUNT(*) < " + random.nextInt(500);
      case 4 -> "MAX(bytes) >= " + random.nextInt(100_000) + " AND a0 <> 3";
      case 5 -> "CASE WHEN COUNT(*) > 2 THEN a0 ELSE MIN(packets) END IN (1, 2, 3, NULL, 8)";
      case 6 -> "COUNT(DISTINCT dst_port) < " + (1 + random.nextInt(6));
      default -> keys == 0 ? "a0 = 0" : "k" + random.nextInt(keys) + " IS NOT NULL AND a0 < 900";
    };
  }

  /** Counts of what is distinct, some with other aggregates beside them. */
  private Both distinct() {
    StringBuilder ours = new StringBuilder();
    StringBuilder duck = new StringBuilder();
    int n = 1 + random.nextInt(3);
    for (int a = 0; a < n; a++) {
      Both first = key();
      String second = pick("", "", "dst_port", "src_addr", "service");
      String end = " AS a" + a + (a < n - 1 ? ", " : "");
      ours.append("COUNT(DISTINCT ").append(first.ours);
      ours.append(second.isEmpty() ? "" : ", " + second).append(')').append(end);
      // DuckDB counts rows that hold a NULL, too.
      String both =
          "CASE WHEN "
              + first.duck
              + " IS NOT NULL AND "
              + second
              + " IS NOT NULL THEN ("
              + first.duck
              + ", "
              + second
              + ") END";
      duck.append("COUNT(DISTINCT ").append(second.isEmpty() ? first.duck : both);
      duck.append(')').append(end);
    }
    String more = pick("", "", ", COUNT(*) AS more", ", SUM(packets) AS more, MAX(bytes) AS most");
    return new Both(ours + more, duck + more);
  }

  private Query rows() {
    String columns =
        pick(
            "src_addr, dst_addr, bytes",
            "end_time, arrival, service, state, outgoing",
            "start_time, src_port, dst_port, protocol, packets, reverse_bytes, src_as, dst_addr");
    Both where = where();
    String select = "SELECT " + columns + " FROM flows WHERE ";
    String end =
        pick(
            " ORDER BY end_time LIMIT 30",
            " ORDER BY end_time LIMIT 30 OFFSET 11",
            " ORDER BY end_time DESC LIMIT 30",
            " ORDER BY end_time DESC OFFSET 5",
            " ORDER BY end_time DESC NULLS FIRST, bytes LIMIT 9",
            " ORDER BY bytes DESC, arrival LIMIT 12",
            " ORDER BY arrival",
            " ORDER BY src_addr DESC LIMIT 100");
    return new Query(select + where.ours, end, select + where.duck);
  }
}

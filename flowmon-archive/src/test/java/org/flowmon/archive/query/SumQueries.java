package org.flowmon.archive.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.flowmon.archive.days.DayTraffic;
import org.flowmon.archive.rollup.DenseTraffic;
import org.flowmon.flow.IpAddress;

/**
 * Seeded queries over traffic; sums of whole hours or of whole days can answer most of them. {@code
 * :now} is theirs to bind.
 */
final class SumQueries {
  /** The value of {@code :now} for {@link #ofHours}. */
  static final long NOW = DenseTraffic.BEGIN + 25 * Traffic.HOUR;

  private final Random random;
  private final Supplier<IpAddress> addresses;
  private final long begin;
  private final long unit;
  private final String[] buckets;

  private SumQueries(
      Random random, Supplier<IpAddress> addresses, long begin, long unit, String... buckets) {
    this.random = random;
    this.addresses = addresses;
    this.begin = begin;
    this.unit = unit;
    this.buckets = buckets;
  }

  /** Over {@link DenseTraffic} of the same seed. */
  static SumQueries ofHours(long seed) {
    DenseTraffic traffic = new DenseTraffic(100 * seed);
    return new SumQueries(
        new Random(seed),
        traffic::address,
        DenseTraffic.BEGIN,
        Traffic.HOUR,
        "'1' HOUR",
        "'3' HOUR",
        "'90' MINUTE");
  }

  /** Over traffic of some days. */
  static SumQueries ofDays(long seed, DayTraffic traffic) {
    return new SumQueries(
        new Random(~seed),
        traffic::address,
        DayTraffic.BEGIN,
        DayTraffic.DAY,
        "'1' DAY",
        "'2' DAY",
        "'6' HOUR");
  }

  private String pick(String... some) {
    return some[random.nextInt(some.length)];
  }

  /** A time about the edges of units, or within one. */
  private String time() {
    long into =
        switch (random.nextInt(6)) {
          case 0 -> random.nextInt(3) - 1L;
          case 1 -> (long) (random.nextDouble() * unit);
          case 2 -> random.nextInt((int) (unit / Traffic.HOUR)) * Traffic.HOUR;
          default -> 0;
        };
    return RandomQueries.timestamp(begin + (random.nextInt(10) - 1L) * unit + into);
  }

  private String bucket() {
    return "TIME_BUCKET(end_time, INTERVAL " + pick(buckets) + ")";
  }

  private String prefix() {
    String address = addresses.get().toString();
    return address
        + "/"
        + (address.contains(":") ? 128 - random.nextInt(70) : 32 - random.nextInt(12));
  }

  private String list(int n) {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      items.add("'" + (random.nextInt(4) == 0 ? prefix() : addresses.get()) + "'");
    }
    return String.join(", ", items);
  }

  private String addressTerm(String side) {
    return switch (random.nextInt(7)) {
      case 0 -> side + " = '" + addresses.get() + "'";
      case 1 -> side + pick(" IN (", " NOT IN (") + list(1 + random.nextInt(6)) + ")";
      case 2 -> side + pick(" < '", " >= '", " <> '") + addresses.get() + "'";
      case 3 -> side + pick(" IS NULL", " IS NOT NULL");
      case 4 ->
          "NETWORK(" + side + ", 26, 60) = NETWORK(ADDRESS '" + addresses.get() + "', 26, 60)";
      case 5 -> "(" + side + " IN (" + list(3) + ") OR " + outgoingTerm() + ")";
      default -> "NOT (" + side + " IN (" + list(2) + ") AND " + outgoingTerm() + ")";
    };
  }

  private String outgoingTerm() {
    return pick(
        "outgoing",
        "NOT outgoing",
        "outgoing IS NULL",
        "outgoing IS NOT TRUE",
        "outgoing IS NOT NULL",
        "outgoing IS FALSE",
        "outgoing = TRUE");
  }

  private String timeTerm() {
    return switch (random.nextInt(11)) {
      case 0, 1, 2 -> "end_time >= " + time() + " AND end_time < " + time();
      case 3 -> "end_time " + pick("<", "<=", ">", ">=", "<>", "=") + " " + time();
      case 4 -> "end_time BETWEEN " + time() + " AND " + time();
      case 5 ->
          "SAME_HOUR(end_time, "
              + pick(":now", time(), ":now - INTERVAL '30' MINUTE")
              + pick(", 3)", ", 3, INTERVAL '5' MINUTE)", ", 2, INTERVAL '2' HOUR)");
      case 6 -> "(end_time < " + time() + " OR end_time >= " + time() + ")";
      case 7 -> "end_time IS" + pick(" NULL", " NOT NULL");
      case 8 ->
          (random.nextInt(4) == 0 ? "TIME_BUCKET(end_time, INTERVAL '7' MINUTE) " : bucket() + " ")
              + pick("<", "<=", ">", ">=", "=", "<>")
              + " "
              + time();
      case 9 -> "(end_time IS NULL OR end_time < " + time() + ")";
      default -> "(end_time >= " + time() + ") IS NOT " + pick("TRUE", "FALSE");
    };
  }

  private String where(String side) {
    List<String> terms = new ArrayList<>();
    if (random.nextInt(3) > 0) {
      terms.add(timeTerm());
    }
    if (random.nextInt(3) == 0) {
      terms.add(addressTerm(side));
    }
    if (random.nextInt(3) == 0) {
      terms.add(outgoingTerm());
    }
    if (random.nextInt(12) == 0) {
      terms.add(
          pick(
              "dst_port = 100",
              "bytes > 1000",
              "(" + addressTerm(side) + " OR " + timeTerm() + ")",
              "arrival < " + time(),
              addressTerm("dst_addr"),
              "TRUE",
              "NULL"));
    }
    return terms.isEmpty() ? "" : " WHERE " + String.join(" AND ", terms);
  }

  String next() {
    String side = pick("src_addr", "dst_addr");
    List<String> keys = new ArrayList<>();
    if (random.nextInt(2) == 0) {
      keys.add(side);
    } else if (random.nextInt(3) == 0) {
      keys.add(
          pick(
              "NETWORK(" + side + ", 28, 64)",
              "CASE WHEN " + side + " < '10.0.2.0' THEN 'low' END"));
    }
    if (random.nextInt(4) == 0) {
      keys.add(pick("outgoing", "CASE WHEN outgoing THEN " + side + " END", "outgoing IS NULL"));
    }
    if (random.nextInt(4) == 0) {
      keys.add(
          pick(bucket(), bucket(), bucket(), "DAYS_BEFORE(end_time, :now)", "end_time IS NULL"));
    }
    String aggregates =
        pick(
            "SUM(bytes) AS total",
            "SUM(bytes) AS total, COUNT(*) AS flows",
            "COUNT(*) AS total",
            "SUM(bytes) AS total, COUNT(bytes), AVG(packets), SUM(packets), COUNT(reverse_bytes),"
                + " SUM(reverse_packets), AVG(reverse_bytes)",
            "AVG(bytes) AS total, COUNT(*)",
            "COUNT(*) AS total, MAX(" + bucket() + "), MIN(" + bucket() + ")",
            "SUM(bytes) AS total, MIN(DAYS_BEFORE(end_time, :now)), MAX(" + bucket() + ")",
            "SUM(estimated_bytes) AS total",
            "SUM(estimated_packets) AS total, SUM(bytes), COUNT(estimated_bytes),"
                + " AVG(estimated_reverse_bytes), SUM(packets), AVG(estimated_packets)",
            random.nextInt(4) == 0 ? "MAX(bytes) AS total" : "COUNT(packets) AS total");
    String order =
        keys.isEmpty()
            ? ""
            : pick("", " ORDER BY total DESC LIMIT 5", " ORDER BY total", " LIMIT 9");
    return "SELECT "
        + String.join(", ", keys)
        + (keys.isEmpty() ? "" : ", ")
        + aggregates
        + " FROM flows"
        + where(side)
        + (keys.isEmpty() ? "" : " GROUP BY " + String.join(", ", keys))
        + (random.nextInt(3) == 0 ? " HAVING " + having(keys) : "")
        + order;
  }

  /** Mostly over sums, so that sums may still answer. */
  private String having(List<String> keys) {
    return switch (random.nextInt(6)) {
      case 0 -> "total > " + random.nextInt(5000);
      case 1 -> "COUNT(*) < " + random.nextInt(40);
      case 2 -> "SUM(bytes) / COUNT(*) > 700 OR SUM(packets) IS NULL";
      case 3 -> "total - 1 BETWEEN 3 AND 30000";
      case 4 -> keys.isEmpty() ? "total = 0" : keys.get(0) + " IS NOT NULL AND total > 1";
      default -> random.nextInt(4) == 0 ? "MAX(bytes) > 500" : "AVG(packets) < 5 IS NOT TRUE";
    };
  }
}

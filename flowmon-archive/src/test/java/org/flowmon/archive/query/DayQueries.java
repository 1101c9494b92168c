package org.flowmon.archive.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.archive.days.DayTraffic;

/** Seeded queries over {@link DayTraffic}, most of them such that sums of days can answer. */
final class DayQueries {
  private final Random random;
  private final DayTraffic traffic;

  DayQueries(long seed, DayTraffic traffic) {
    this.random = new Random(~seed);
    this.traffic = traffic;
  }

  private String pick(String... some) {
    return some[random.nextInt(some.length)];
  }

  private String time() {
    long days = random.nextInt(9) - 1L;
    long into =
        switch (random.nextInt(6)) {
          case 0 -> random.nextInt(3) - 1L;
          case 1 -> (long) (random.nextDouble() * DayTraffic.DAY);
          case 2 -> random.nextInt(24) * Traffic.HOUR;
          default -> 0;
        };
    return RandomQueries.timestamp(DayTraffic.BEGIN + days * DayTraffic.DAY + into);
  }

  private String timeTerm() {
    return switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> "end_time >= " + time() + " AND end_time < " + time();
      case 4 -> "end_time " + pick("<", "<=", ">", ">=", "<>") + " " + time();
      case 5 -> "SAME_HOUR(end_time, :now, 5)";
      case 6 -> "(end_time < " + time() + " OR end_time >= " + time() + ")";
      case 7 -> "end_time IS" + pick(" NULL", " NOT NULL");
      case 8 -> "(end_time IS NULL OR end_time < " + time() + ")";
      default -> "(end_time >= " + time() + ") IS NOT " + pick("TRUE", "FALSE");
    };
  }

  private String addressTerm(String side) {
    return switch (random.nextInt(5)) {
      case 0 -> side + " = '" + traffic.address() + "'";
      case 1 -> side + pick(" IN (", " NOT IN (") + "'10.0.0.0/25', '" + traffic.address() + "')";
      case 2 -> side + pick(" < '", " >= '") + traffic.address() + "'";
      case 3 -> side + pick(" IS NULL", " IS NOT NULL");
      default -> "(" + side + " = '" + traffic.address() + "' OR outgoing)";
    };
  }

  private String where(String side) {
    List<String> terms = new ArrayList<>();
    if (random.nextInt(3) > 0) {
      terms.add(timeTerm());
    }
    if (random.nextInt(4) == 0) {
      terms.add(addressTerm(side));
    }
    if (random.nextInt(4) == 0) {
      terms.add(pick("outgoing", "NOT outgoing", "outgoing IS NULL", "outgoing IS NOT TRUE"));
    }
    if (random.nextInt(12) == 0) {
      terms.add(pick("bytes > 1000", "arrival < " + time(), addressTerm("dst_addr"), "NULL"));
    }
    return terms.isEmpty() ? "" : " WHERE " + String.join(" AND ", terms);
  }

  String next() {
    String side = pick("src_addr", "dst_addr");
    List<String> keys = new ArrayList<>();
    if (random.nextInt(2) == 0) {
      keys.add(side);
    } else if (random.nextInt(4) == 0) {
      keys.add("NETWORK(" + side + ", 28, 64)");
    }
    if (random.nextInt(4) == 0) {
      keys.add(pick("outgoing", "CASE WHEN outgoing THEN " + side + " END"));
    }
    if (random.nextInt(4) == 0) {
      keys.add(
          pick(
              "TIME_BUCKET(end_time, INTERVAL '1' DAY)",
              "TIME_BUCKET(end_time, INTERVAL '2' DAY)",
              "TIME_BUCKET(end_time, INTERVAL '6' HOUR)",
              "DAYS_BEFORE(end_time, :now)",
              "end_time IS NULL"));
    }
    String aggregates =
        pick(
            "SUM(bytes) AS total",
            "COUNT(*) AS total",
            "SUM(bytes) AS total, COUNT(bytes), AVG(packets), SUM(packets), COUNT(reverse_bytes),"
                + " SUM(reverse_packets), AVG(reverse_bytes)",
            "AVG(bytes) AS total, COUNT(*)");
    String order = keys.isEmpty() ? "" : pick("", " ORDER BY total DESC LIMIT 5", " LIMIT 9");
    return "SELECT "
        + String.join(", ", keys)
        + (keys.isEmpty() ? "" : ", ")
        + aggregates
        + " FROM flows"
        + where(side)
        + (keys.isEmpty() ? "" : " GROUP BY " + String.join(", ", keys))
        + order;
  }
}

package org.flowmon.archive.query;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Seeded queries of the dialect over {@link Traffic}, with no parameters but {@code :now}. */
public final class RandomQueries {
  private final Random random;
  private final Traffic traffic;

  RandomQueries(long seed) {
    this.random = new Random(seed);
    this.traffic = new Traffic(seed + 1, true, 0);
  }

  private String pick(String... some) {
    return some[random.nextInt(some.length)];
  }

  public static String timestamp(long micros) {
    return "TIMESTAMP '" + Instant.EPOCH.plus(micros, ChronoUnit.MICROS) + "'";
  }

  private long time() {
    return Traffic.BEGIN + (long) (random.nextDouble() * 10 * Traffic.DAY);
  }

  private String address() {
    return "'" + traffic.address() + "'";
  }

  private String prefix() {
    String address = traffic.address().toString();
    int max = address.contains(":") ? 128 : 32;
    return "'" + address + "/" + (max - random.nextInt(20)) + "'";
  }

  private String list(int n) {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      items.add(random.nextInt(4) == 0 ? prefix() : address());
    }
    return String.join(", ", items);
  }

  String condition(int depth) {
    if (depth > 0 && random.nextInt(2) == 0) {
      String operator = random.nextInt(3) > 0 ? " AND " : " OR ";
      String text = "(" + condition(depth - 1) + operator + condition(depth - 1) + ")";
      return random.nextInt(6) == 0 ? "NOT " + text : text;
    }
    String side = pick("src_addr", "dst_addr");
    String address = address();
    return switch (random.nextInt(16)) {
      case 0 -> side + " = " + address;
      case 1, 2 -> side + " IN (" + list(1 + random.nextInt(5)) + ")";
      case 3 -> "(src_addr = " + address + " OR dst_addr = " + address + ")";
      case 4 -> side + " IN (" + prefix() + ")";
      case 5 -> "protocol = " + pick("1", "6", "17", "99");
      case 6 -> "dst_port " + pick("=", "<", ">=", "<>") + " " + pick("22", "53", "443", "5000");
      case 7 -> "src_port BETWEEN 2000 AND " + (2000 + random.nextInt(9000));
      case 8, 9, 10 -> {
        long from = time();
        yield "end_time >= "
            + timestamp(from)
            + " AND end_time < "
            + timestamp(from + (long) (random.nextDouble() * 2 * Traffic.DAY));
      }
      case 11 -> "SAME_HOUR(end_time, :now, 7)";
      case 12 -> "bytes > " + random.nextInt(100_000);
      case 13 ->
          pick("end_time", "bytes", "src_addr", "src_as") + " IS" + pick("", " NOT") + " NULL";
      case 14 -> "src_as IN (64501, 64505)";
      default ->
          pick("outgoing", "NOT outgoing", "service = 'dns'", "arrival < " + timestamp(time()));
    };
  }

  private String where() {
    return random.nextInt(8) == 0 ? "" : " WHERE " + condition(2);
  }

  String grouped() {
    String keys =
        pick(
            "src_addr",
            "dst_addr, protocol",
            "dst_port",
            "NETWORK(src_addr, 24)",
            "service",
            "DAYS_BEFORE(end_time, :now)",
            "");
    String aggregates =
        "SUM(bytes) AS total, COUNT(*) AS flows, COUNT(reverse_bytes) AS answered, MIN(packets) AS"
            + " low, MAX(end_time) AS newest, AVG(bytes) AS mean";
    String order =
        keys.isEmpty()
            ? ""
            : pick("", " ORDER BY total DESC LIMIT 7", " ORDER BY flows, newest LIMIT 20");
    if (keys.equals("dst_addr, protocol") && random.nextBoolean()) {
      order = pick("", " ORDER BY total DESC") + " LIMIT 1 BY dst_addr" + pick("", " LIMIT 9");
    }
    return "SELECT "
        + (keys.isEmpty() ? "" : keys + ", ")
        + aggregates
        + " FROM flows"
        + where()
        + (keys.isEmpty() ? "" : " GROUP BY " + keys)
        + (random.nextInt(3) == 0 ? " HAVING " + having() : "")
        + order;
  }

  private String having() {
    return switch (random.nextInt(7)) {
      case 0 -> "total > " + random.nextInt(2_000_000);
      case 1 -> "flows BETWEEN 2 AND " + (2 + random.nextInt(200)) + " OR answered = 0";
      case 2 -> "MAX(bytes) < " + random.nextInt(100_000) + " AND newest IS NOT NULL";
      case 3 -> "NOT (SUM(packets) / flows > 20)";
      case 4 -> "low IN (1, 2, 3, NULL)";
      case 5 -> "CASE WHEN flows > 5 THEN total ELSE SUM(reverse_bytes) END >= 5000";
      default -> "COUNT(DISTINCT dst_port) > " + random.nextInt(4);
    };
  }

  String rows() {
    return "SELECT "
        + pick("*", "end_time, src_addr, dst_addr, bytes, service")
        + " FROM flows"
        + where()
        + pick(
            " ORDER BY end_time LIMIT 30",
            " ORDER BY end_time DESC LIMIT 30",
            " ORDER BY bytes DESC, arrival LIMIT 12",
            " ORDER BY end_time DESC NULLS FIRST LIMIT 30",
            " ORDER BY arrival LIMIT 400");
  }
}

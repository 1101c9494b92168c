package org.flowmon.udaf;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;

/** Random queries, each in our dialect and in DuckDB's over the table of {@link DuckDb}. */
final class RandomQueries {
  /** The same query in both dialects. */
  record Pair(String ours, String duck) {
    static Pair same(String sql) {
      return new Pair(sql, sql);
    }
  }

  private static final String[] NUMBERS = {
    "src_port", "dst_port", "protocol", "packets", "tcp_flags", "vlan", "reverse_bytes"
  };
  private static final String[] TIMES = {"start_time", "end_time", "arrival"};
  private static final String[] ADDRESSES = {"src_addr", "dst_addr", "next_hop"};
  private static final String[] OPERATORS = {"=", "<>", "<", "<=", ">", ">="};

  private final Random random;

  RandomQueries(Random random) {
    this.random = random;
  }

  Pair condition(int depth) {
    if (depth > 0 && random.nextInt(3) > 0) {
      Pair a = condition(depth - 1);
      Pair b = condition(depth - 1);
      return switch (random.nextInt(5)) {
        case 0 -> both("NOT (%s)", a);
        case 1, 2 -> both("((%s) AND (%s))", a, b);
        case 3 -> both("((%s) OR (%s))", a, b);
        default -> both("(%s) IS " + not() + pick("TRUE", "FALSE", "NULL"), a);
      };
    }
    return switch (random.nextInt(9)) {
      case 0 -> Pair.same("outgoing");
      case 1 -> both("%s " + pick(OPERATORS) + " %s", number(1), number(1));
      case 2 ->
          both("%s " + not() + "IN (%s, %s, %s)", number(1), literal(), literal(), nullOrLiteral());
      case 3 -> both("%s " + not() + "BETWEEN %s AND %s", number(0), number(0), number(1));
      case 4 -> both("%s IS " + not() + "NULL", any());
      case 5 ->
          both("%s " + pick(OPERATORS) + " %s", address(), pickPair(address(), addressLiteral()));
      case 6 -> prefix();
      case 7 -> both("%s " + pick(OPERATORS) + " %s", time(), time());
      default -> both("%s " + pick(OPERATORS) + " %s", text(), text());
    };
  }

  private Pair prefix() {
    Pair column = address();
    IpPrefix prefix = new IpPrefix(someAddress(), random.nextInt(33));
    boolean ipv4 = prefix.first().isIpv4();
    if (!ipv4) {
      prefix = new IpPrefix(prefix.first(), random.nextInt(129));
    }
    String range = "%s BETWEEN " + blob(prefix.first()) + " AND " + blob(prefix.last());
    // ::/0 holds no IPv4 address, though its range of 16 bytes does.
    IpAddress ipv4First = IpAddress.ofIpv4(0);
    boolean spansIpv4 =
        !ipv4 && prefix.first().compareTo(ipv4First) < 0 && prefix.last().compareTo(ipv4First) > 0;
    String also =
        spansIpv4
            ? " AND NOT (%s BETWEEN " + blob(ipv4First) + " AND " + blob(IpAddress.ofIpv4(-1)) + ")"
            : "";
    return new Pair(
        column.ours + " IN '" + prefix + "'",
        "(" + (range + also).replace("%s", column.duck) + ")");
  }

  Pair number(int depth) {
    if (depth > 0 && random.nextInt(2) == 0) {
      Pair a = number(depth - 1);
      Pair b = number(depth - 1);
      return switch (random.nextInt(6)) {
        case 0 -> both("(%s + %s)", small(a), small(b));
        case 1 -> both("(%s - %s)", small(a), small(b));
        case 2 -> both("(%s * %s)", small(a), Pair.same("-7"));
        case 3 -> both("(%s / %s)", a, b);
        case 4 -> both("CASE WHEN %s THEN %s ELSE %s END", condition(0), a, b);
        default -> both("(%s & %s)", Pair.same("tcp_flags"), Pair.same("18"));
      };
    }
    return random.nextInt(3) == 0 ? literal() : Pair.same(pick(NUMBERS));
  }

  /** Without counts near 2^63: DuckDB refuses their sums, and ours are NULL. */
  private static Pair small(Pair number) {
    return new Pair(
        number.ours.replace("reverse_bytes", "packets"),
        number.duck.replace("reverse_bytes", "packets"));
  }

  private Pair literal() {
    return Pair.same(random.nextInt(6) == 0 ? "2.5e0" : Integer.toString(random.nextInt(70) - 5));
  }

  private Pair nullOrLiteral() {
    return random.nextInt(4) == 0 ? Pair.same("NULL") : literal();
  }

  private Pair any() {
    return switch (random.nextInt(4)) {
      case 0 -> number(1);
      case 1 -> address();
      case 2 -> Pair.same("service");
      default -> time();
    };
  }

  private Pair time() {
    long micros = RandomFlows.START - random.nextInt(240) * RandomFlows.HOUR;
    return switch (random.nextInt(4)) {
      case 0 -> new Pair(new Timestamp(micros).ours(), Long.toString(micros));
      case 1 ->
          new Pair(
              "TIME_BUCKET(end_time, INTERVAL '1' HOUR)", "(end_time - end_time % 3600000000)");
      case 2 -> new Pair("(end_time + INTERVAL '90' SECOND)", "(end_time + 90000000)");
      default -> Pair.same(pick(TIMES));
    };
  }

  private record Timestamp(long micros) {
    String ours() {
      return "TIMESTAMP '" + java.time.Instant.ofEpochSecond(micros / 1_000_000) + "'";
    }
  }

  private Pair address() {
    return Pair.same(pick(ADDRESSES));
  }

  private Pair addressLiteral() {
    IpAddress address = someAddress();
    return new Pair("'" + address + "'", blob(address));
  }

  private IpAddress someAddress() {
    if (random.nextInt(3) > 0) {
      return IpAddress.ofIpv4(0x0A000000 + (random.nextInt(3) << 8) + random.nextInt(6));
    }
    return random.nextInt(4) == 0
        ? new IpAddress(0, 0)
        : new IpAddress(0x20010DB8_00000000L, random.nextInt(5));
  }

  private static String blob(IpAddress address) {
    String hex = HexFormat.of().formatHex(address.toBytes()).replaceAll("(..)", "\\\\x$1");
    return "'" + hex + "'::BLOB";
  }

  private Pair text() {
    return Pair.same(pick("service", "service", "uid", "'dns'", "'a''b'", "'ünï'", "'zz'"));
  }

  /**
   * A grouped query with a total order, so that both sides give the same rows in the same order.
   */
  Pair grouped() {
    String[] candidates = {
      "src_addr",
      "dst_addr",
      "dst_port",
      "protocol",
      "service",
      "outgoing",
      "packets",
      "packets / protocol"
    };
    List<String> keys = new ArrayList<>();
    for (int k = random.nextInt(4); k > 0; k--) {
      String key = pick(candidates);
      if (!keys.contains(key)) {
        keys.add(key);
      }
    }
    List<String> select = new ArrayList<>();
    for (int k = 0; k < keys.size(); k++) {
      select.add(keys.get(k) + " AS k" + k);
    }
    select.add("COUNT(*) AS n");
    select.add("SUM(bytes) AS s");
    select.add("COUNT(reverse_bytes) AS c");
    select.add("AVG(packets) AS a");
    select.add("MIN(" + pick("bytes", "dst_addr", "end_time", "packets / protocol") + ") AS low");
    select.add("MAX(" + pick("bytes", "src_addr", "duration", "packets / protocol") + ") AS high");
    boolean computes = random.nextInt(3) == 0;
    if (computes) {
      select.add(computed() + " AS x");
    }
    String ours = String.join(", ", select);
    Pair where = condition(2);
    String from = " FROM flows WHERE ";
    String group = keys.isEmpty() ? "" : " GROUP BY " + String.join(", ", keys);
    if (random.nextInt(2) == 0) {
      group += " HAVING " + having(keys, 2);
    }
    String first = computes && random.nextBoolean() ? "x" : pick("n", "s", "c", "a", "low", "high");
    String order = first + pick("", " DESC") + pick("", " NULLS FIRST");
    StringBuilder ties = new StringBuilder();
    for (int k = 0; k < keys.size(); k++) {
      ties.append(", k").append(k).append(" NULLS LAST");
    }
    // DuckDB would not break ties by itself.
    String limit = random.nextBoolean() ? " LIMIT " + random.nextInt(12) : "";
    limit += random.nextInt(4) == 0 ? " OFFSET " + random.nextInt(3) : "";
    String inDuckDb = "SELECT " + ours + from + where.duck + group;
    String orderInDuckDb = " ORDER BY " + order(order) + ties;
    String limitBy = "";
    if (!keys.isEmpty() && random.nextInt(3) == 0) {
      int place = random.nextInt(keys.size());
      int rows = 1 + random.nextInt(3);
      String by = keys.get(place);
      String byInDuckDb = "k" + place;
      if (random.nextBoolean()) {
        by = "k" + (keys.size() - 1) + ", " + by;
        byInDuckDb = "k" + (keys.size() - 1) + ", " + byInDuckDb;
      }
      limitBy = " LIMIT " + rows + " BY " + by;
      inDuckDb =
          "SELECT * EXCLUDE (place) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "
              + byInDuckDb
              + orderInDuckDb
              + ") AS place FROM ("
              + inDuckDb
              + ")) WHERE place <= "
              + rows;
    }
    return new Pair(
        "SELECT " + ours + from + where.ours + group + " ORDER BY " + order + limitBy + limit,
        inDuckDb + orderInDuckDb + limit);
  }

  /** A condition over groups; {@link #grouped} has named some of its aggregates. */
  private String having(List<String> keys, int depth) {
    if (depth > 0 && random.nextInt(3) == 0) {
      String a = having(keys, depth - 1);
      String b = having(keys, depth - 1);
      return switch (random.nextInt(4)) {
        case 0 -> "NOT (" + a + ")";
        case 1 -> "(" + a + " AND " + b + ")";
        case 2 -> "(" + a + " OR " + b + ")";
        default -> "(" + a + ") IS " + not() + pick("TRUE", "FALSE", "NULL");
      };
    }
    String number = Integer.toString(random.nextInt(12));
    return switch (random.nextInt(9)) {
      case 0 -> pick("n", "c", "a") + " " + pick(OPERATORS) + " " + number;
      case 1 -> aggregate() + " " + pick(OPERATORS) + " " + pick(number, aggregate());
      case 2 -> sum() + " " + pick(OPERATORS) + " " + pick("500000", "9223372036854775807", sum());
      case 3 -> pick("s", "low", "high", "AVG(packets)") + " IS " + not() + "NULL";
      case 4 -> aggregate() + " " + not() + "BETWEEN " + number + " AND " + aggregate();
      case 5 -> aggregate() + " " + not() + "IN (1, " + number + ", " + pick("NULL", "5") + ")";
      case 6 -> computed() + " " + not() + "IN (" + number + ", 0, 12.5e0)";
      case 7 -> {
        String key = keys.isEmpty() ? "1" : pick(keys.toArray(new String[0]));
        boolean isNumber = key.equals("dst_port") || key.equals("packets");
        yield isNumber
            ? key + " + n " + pick(OPERATORS) + " " + (random.nextInt(70) - 5)
            : key + " IS " + not() + "NULL";
      }
      default -> computed() + " " + pick(OPERATORS) + " " + aggregate();
    };
  }

  private String sum() {
    return pick("s", "SUM(bytes)", "SUM(reverse_bytes)", "MAX(bytes)", "COALESCE(SUM(bytes), 0)");
  }

  private String aggregate() {
    return pick(
        "COUNT(*)",
        "SUM(packets)",
        "MAX(packets)",
        "MIN(dst_port)",
        "AVG(packets)",
        "COUNT(service)",
        "COUNT(DISTINCT dst_port)",
        "STDDEV(packets)");
  }

  /** A number that is computed from aggregates. */
  private String computed() {
    return pick(
        "(SUM(packets) * 3 - COUNT(*))",
        "(SUM(packets) / COUNT(bytes))",
        "(COUNT(*) % 3)",
        "(-MAX(packets))",
        "CASE WHEN COUNT(*) > 3 THEN SUM(bytes) ELSE COUNT(bytes) END",
        "CASE COUNT(*) WHEN 1 THEN 12.5e0 WHEN 2 THEN SUM(packets) END",
        "COALESCE(SUM(bytes), -1)");
  }

  /** Rows, ordered by all of their values if the order leaves ties. */
  Pair lookup() {
    Pair where = condition(3);
    Pair number = number(2);
    String columns = "src_addr, dst_port, service, outgoing, end_time, ";
    String order =
        pick("end_time", "src_addr DESC", "service DESC NULLS FIRST", "packets + dst_port DESC");
    String limit = " LIMIT " + random.nextInt(200);
    limit += random.nextInt(4) == 0 ? " OFFSET " + random.nextInt(20) : "";
    String ties =
        ", src_addr NULLS LAST, dst_port NULLS LAST, service NULLS LAST, outgoing NULLS LAST,"
            + " end_time NULLS LAST, x NULLS LAST";
    return new Pair(
        "SELECT "
            + columns
            + number.ours
            + " AS x FROM flows WHERE "
            + where.ours
            + " ORDER BY "
            + order
            + limit,
        "SELECT "
            + columns
            + number.duck
            + " AS x FROM flows WHERE "
            + where.duck
            + " ORDER BY "
            + order(order)
            + ties
            + limit);
  }

  private static String order(String ours) {
    return ours.contains("NULLS") ? ours : ours + " NULLS LAST";
  }

  private String not() {
    return random.nextBoolean() ? "NOT " : "";
  }

  private Pair pickPair(Pair a, Pair b) {
    return random.nextBoolean() ? a : b;
  }

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private static Pair both(String format, Pair... parts) {
    Object[] ours = new Object[parts.length];
    Object[] duck = new Object[parts.length];
    for (int i = 0; i < parts.length; i++) {
      ours[i] = parts[i].ours;
      duck[i] = parts[i].duck;
    }
    return new Pair(String.format(format, ours), String.format(format, duck));
  }
}

package org.flowmon.bench.archive;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.flowmon.flow.IpAddress;

/**
 * A query for every system.
 *
 * @param name for tables
 * @param flowmon in flowmon's dialect, null for a lookup of {@code address}
 * @param sql over the table {@code flow} of {@link WorkloadColumn#sqlName}s, addresses as numbers
 * @param address of a lookup, or its network's first address; else null
 * @param bits of the network of a lookup, 32 for one address
 * @param columns of the answer
 * @param ordered whether the order of the answer's rows is part of it
 */
public record WorkloadQuery(
    String name,
    String flowmon,
    String sql,
    Long address,
    int bits,
    List<AnswerKind> columns,
    boolean ordered) {
  private static final String SUM = "CAST(SUM(bytes) AS BIGINT)";

  public WorkloadQuery {
    columns = List.copyOf(columns);
  }

  /** All queries of the workload. */
  public static List<WorkloadQuery> of(WorkloadParameters parameters) {
    List<WorkloadQuery> queries = new ArrayList<>();
    queries.add(elephants("elephants", parameters.sources(), parameters.hours()));
    queries.add(mice("mice_1d", parameters.end() - WorkloadParameters.DAY));
    queries.add(mice("mice_7d", parameters.end() - 7L * WorkloadParameters.DAY));
    queries.add(portscans(parameters));
    queries.add(
        grouped(
            "anomaly",
            "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE NOT outgoing GROUP BY src_addr",
            "SELECT src_addr, " + SUM + " FROM flow WHERE NOT outgoing GROUP BY src_addr",
            AnswerKind.ADDRESS,
            AnswerKind.NUMBER));
    queries.add(anomalyPairs());
    queries.add(dispersion(parameters));
    for (String name : WorkloadParameters.LOOKUPS) {
      queries.add(lookup("lookup_" + name, parameters.lookups().get(name), 32));
    }
    return queries;
  }

  /** The history queries of the analyses over the last days of the rows, named analysis/days. */
  public static List<WorkloadQuery> ofDays(WorkloadParameters parameters, int days) {
    long since = parameters.end() - days * (long) WorkloadParameters.DAY;
    String flowmonSince = "end_time >= " + timestamp(since);
    String sqlSince = "ts >= " + since;
    List<Long> hours = parameters.hours();
    List<Long> lastHours = hours.subList(Math.max(0, hours.size() - days), hours.size());
    String sources = "src_addr IN (" + addresses(parameters.sources()) + ")";
    String sqlSources = "src_addr IN (" + numbers(parameters.sources()) + ")";
    String suffix = "/" + days;
    return List.of(
        elephants("elephants" + suffix, parameters.sources(), lastHours),
        mice("mice" + suffix, since),
        grouped(
            "portscans" + suffix,
            pairs("COUNT(*) AS flows FROM flows", sources + " AND " + flowmonSince),
            pairs("COUNT(*) FROM flow", sqlSources + " AND " + sqlSince),
            AnswerKind.ADDRESS,
            AnswerKind.ADDRESS,
            AnswerKind.NUMBER),
        grouped(
            "anomaly" + suffix,
            "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE NOT outgoing AND "
                + flowmonSince
                + " GROUP BY src_addr",
            "SELECT src_addr, "
                + SUM
                + " FROM flow WHERE NOT outgoing AND "
                + sqlSince
                + " GROUP BY src_addr",
            AnswerKind.ADDRESS,
            AnswerKind.NUMBER),
        grouped(
            "dispersion" + suffix,
            pairs(
                "SUM(bytes) AS bytes FROM flows",
                flowmonNetworks(parameters) + " AND " + flowmonSince),
            pairs(SUM + " FROM flow", "(" + sqlNetworks(parameters) + ") AND " + sqlSince),
            AnswerKind.ADDRESS,
            AnswerKind.ADDRESS,
            AnswerKind.NUMBER));
  }

  /**
   * Statistics of three expressions (count, mean, standard deviation, smallest, largest) by each of
   * three columns: nine statistics in three queries.
   */
  public static List<WorkloadQuery> statistics() {
    List<WorkloadQuery> queries = new ArrayList<>();
    for (String by : new String[] {"protocol", "state", "dst_port"}) {
      List<String> ours = new ArrayList<>(List.of(by, "COUNT(*)"));
      List<String> sql = new ArrayList<>(ours);
      List<AnswerKind> kinds = new ArrayList<>();
      kinds.add(by.equals("state") ? AnswerKind.STATE : AnswerKind.NUMBER);
      kinds.add(AnswerKind.NUMBER);
      for (String x : new String[] {"bytes", "bytes + reverse_bytes", "bytes - reverse_bytes"}) {
        ours.addAll(
            List.of("AVG(" + x + ")", "STDDEV(" + x + ")", "MIN(" + x + ")", "MAX(" + x + ")"));
        sql.add("CAST(AVG(" + x + ") AS DOUBLE PRECISION)");
        sql.add(deviation("(" + x + ")"));
        sql.addAll(List.of("MIN(" + x + ")", "MAX(" + x + ")"));
        kinds.addAll(
            List.of(AnswerKind.REAL, AnswerKind.REAL, AnswerKind.NUMBER, AnswerKind.NUMBER));
      }
      queries.add(
          grouped(
              "by_" + by,
              "SELECT " + String.join(", ", ours) + " FROM flows GROUP BY " + by,
              "SELECT " + String.join(", ", sql) + " FROM flow GROUP BY " + by,
              kinds.toArray(new AnswerKind[0])));
    }
    return queries;
  }

  /** The standard deviation of a sample in SQL common to all systems, by sums of doubles. */
  private static String deviation(String x) {
    String squares = "SUM(1.0 * " + x + " * " + x + ")";
    String sum = "SUM(" + x + ")";
    return "CAST(SQRT(ABS("
        + squares
        + " - 1.0 * "
        + sum
        + " * "
        + sum
        + " / COUNT(*)) / NULLIF(COUNT(*) - 1, 0)) AS DOUBLE PRECISION)";
  }

  private static String pairs(String aggregateFrom, String where) {
    return "SELECT src_addr, dst_addr, "
        + aggregateFrom
        + " WHERE "
        + where
        + " GROUP BY src_addr, dst_addr";
  }

  private static WorkloadQuery grouped(
      String name, String flowmon, String sql, AnswerKind... columns) {
    return new WorkloadQuery(name, flowmon, sql, null, 0, List.of(columns), false);
  }

  /** The same hour of each day, of busy sources. */
  private static WorkloadQuery elephants(String name, List<Long> sources, List<Long> hours) {
    long now = hours.get(hours.size() - 1) + WorkloadParameters.DAY;
    return grouped(
        name,
        "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE src_addr IN ("
            + addresses(sources)
            + ") AND SAME_HOUR(end_time, "
            + timestamp(now)
            + ", "
            + hours.size()
            + ") GROUP BY src_addr",
        "SELECT src_addr, "
            + SUM
            + " FROM flow WHERE src_addr IN ("
            + numbers(sources)
            + ") AND ("
            + hours.stream()
                .map(
                    hour ->
                        "(ts >= " + hour + " AND ts < " + (hour + WorkloadParameters.HOUR) + ")")
                .collect(Collectors.joining(" OR "))
            + ") GROUP BY src_addr",
        AnswerKind.ADDRESS,
        AnswerKind.NUMBER);
  }

  private static WorkloadQuery mice(String name, long since) {
    return new WorkloadQuery(
        name,
        "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE end_time >= "
            + timestamp(since)
            + " GROUP BY src_addr ORDER BY bytes DESC, src_addr LIMIT 100",
        "SELECT src_addr, "
            + SUM
            + " AS s FROM flow WHERE ts >= "
            + since
            + " GROUP BY src_addr ORDER BY s DESC, src_addr LIMIT 100",
        null,
        0,
        List.of(AnswerKind.ADDRESS, AnswerKind.NUMBER),
        true);
  }

  private static WorkloadQuery portscans(WorkloadParameters parameters) {
    return grouped(
        "portscans",
        pairs(
            "COUNT(*) AS flows FROM flows",
            "src_addr IN (" + addresses(parameters.sources()) + ")"),
        pairs("COUNT(*) FROM flow", "src_addr IN (" + numbers(parameters.sources()) + ")"),
        AnswerKind.ADDRESS,
        AnswerKind.ADDRESS,
        AnswerKind.NUMBER);
  }

  /** Both directions of a pair of hosts are one group. */
  private static WorkloadQuery anomalyPairs() {
    String pair =
        "SELECT CASE WHEN outgoing THEN src_addr ELSE dst_addr END AS inside,"
            + " CASE WHEN outgoing THEN dst_addr ELSE src_addr END AS outside, ";
    return grouped(
        "anomaly_pairs",
        pair + "SUM(bytes) AS bytes, COUNT(*) AS flows FROM flows GROUP BY inside, outside",
        pair + SUM + ", COUNT(*) FROM flow GROUP BY inside, outside",
        AnswerKind.ADDRESS,
        AnswerKind.ADDRESS,
        AnswerKind.NUMBER,
        AnswerKind.NUMBER);
  }

  private static WorkloadQuery dispersion(WorkloadParameters parameters) {
    return grouped(
        "dispersion",
        pairs("SUM(bytes) AS bytes FROM flows", flowmonNetworks(parameters)),
        pairs(SUM + " FROM flow", sqlNetworks(parameters)),
        AnswerKind.ADDRESS,
        AnswerKind.ADDRESS,
        AnswerKind.NUMBER);
  }

  private static String flowmonNetworks(WorkloadParameters parameters) {
    return parameters.networks().stream()
        .map(network -> "'" + IpAddress.ofIpv4(network.intValue()) + "/16'")
        .collect(Collectors.joining(", ", "src_addr IN (", ")"));
  }

  private static String sqlNetworks(WorkloadParameters parameters) {
    return parameters.networks().stream()
        .map(first -> side("src_addr", first, 16))
        .collect(Collectors.joining(" OR "));
  }

  /**
   * Looks up all flows of a host or network on either side, with every column.
   *
   * @param bits of the network whose first address is given, 32 for a host
   */
  public static WorkloadQuery lookup(String name, long address, int bits) {
    Map<WorkloadColumn, AnswerKind> kinds =
        Map.of(
            WorkloadColumn.TS, AnswerKind.SECONDS,
            WorkloadColumn.SRC_ADDR, AnswerKind.ADDRESS,
            WorkloadColumn.DST_ADDR, AnswerKind.ADDRESS,
            WorkloadColumn.OUTGOING, AnswerKind.FLAG,
            WorkloadColumn.STATE, AnswerKind.STATE,
            WorkloadColumn.DURATION, AnswerKind.MILLIS);
    List<WorkloadColumn> all = WorkloadColumn.all();
    return new WorkloadQuery(
        name,
        null,
        "SELECT "
            + all.stream().map(WorkloadColumn::sqlName).collect(Collectors.joining(", "))
            + " FROM flow WHERE "
            + side("src_addr", address, bits)
            + " OR "
            + side("dst_addr", address, bits),
        address,
        bits,
        all.stream().map(column -> kinds.getOrDefault(column, AnswerKind.NUMBER)).toList(),
        false);
  }

  private static String side(String column, long address, int bits) {
    return bits == 32
        ? column + " = " + address
        : column + " BETWEEN " + address + " AND " + (address + (1L << (32 - bits)) - 1);
  }

  private static String numbers(List<Long> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private static String addresses(List<Long> values) {
    return values.stream()
        .map(value -> "'" + IpAddress.ofIpv4(value.intValue()) + "'")
        .collect(Collectors.joining(", "));
  }

  private static String timestamp(long seconds) {
    return "TIMESTAMP '" + java.time.Instant.ofEpochSecond(seconds) + "'";
  }
}

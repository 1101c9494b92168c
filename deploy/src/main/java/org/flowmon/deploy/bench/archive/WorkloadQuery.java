package org.flowmon.deploy.bench.archive;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.flowmon.flow.IpAddress;

/**
 * One question to every system.
 *
 * @param name for tables
 * @param flowmon in flowmon's dialect, null for a lookup of {@code address}
 * @param sql over the table {@code flow} of {@link WorkloadColumn#sqlName}s, addresses as numbers
 * @param address of a lookup, else null
 * @param columns of the answer
 * @param ordered whether the order of the answer's rows is part of it
 */
public record WorkloadQuery(
    String name,
    String flowmon,
    String sql,
    Long address,
    List<AnswerKind> columns,
    boolean ordered) {
  private static final String SUM = "CAST(SUM(bytes) AS BIGINT)";

  public WorkloadQuery {
    columns = List.copyOf(columns);
  }

  /** All queries of the workload. */
  public static List<WorkloadQuery> of(WorkloadParameters parameters) {
    List<WorkloadQuery> queries = new ArrayList<>();
    queries.add(elephants(parameters));
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
      queries.add(lookup("lookup_" + name, parameters.lookups().get(name)));
    }
    return queries;
  }

  private static WorkloadQuery grouped(
      String name, String flowmon, String sql, AnswerKind... columns) {
    return new WorkloadQuery(name, flowmon, sql, null, List.of(columns), false);
  }

  /** The same hour of each day, of busy sources. */
  private static WorkloadQuery elephants(WorkloadParameters parameters) {
    List<Long> hours = parameters.hours();
    long now = hours.get(hours.size() - 1) + WorkloadParameters.DAY;
    return grouped(
        "elephants",
        "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE src_addr IN ("
            + addresses(parameters.sources())
            + ") AND SAME_HOUR(end_time, "
            + timestamp(now)
            + ", "
            + hours.size()
            + ") GROUP BY src_addr",
        "SELECT src_addr, "
            + SUM
            + " FROM flow WHERE src_addr IN ("
            + numbers(parameters.sources())
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
        List.of(AnswerKind.ADDRESS, AnswerKind.NUMBER),
        true);
  }

  private static WorkloadQuery portscans(WorkloadParameters parameters) {
    return grouped(
        "portscans",
        "SELECT src_addr, dst_addr, COUNT(*) AS flows FROM flows WHERE src_addr IN ("
            + addresses(parameters.sources())
            + ") GROUP BY src_addr, dst_addr",
        "SELECT src_addr, dst_addr, COUNT(*) FROM flow WHERE src_addr IN ("
            + numbers(parameters.sources())
            + ") GROUP BY src_addr, dst_addr",
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
        "SELECT src_addr, dst_addr, SUM(bytes) AS bytes FROM flows WHERE src_addr IN ("
            + parameters.networks().stream()
                .map(network -> "'" + IpAddress.ofIpv4(network.intValue()) + "/16'")
                .collect(Collectors.joining(", "))
            + ") GROUP BY src_addr, dst_addr",
        "SELECT src_addr, dst_addr, "
            + SUM
            + " FROM flow WHERE "
            + parameters.networks().stream()
                .map(
                    first ->
                        "src_addr BETWEEN "
                            + first
                            + " AND "
                            + (first + WorkloadParameters.NETWORK_SIZE - 1))
                .collect(Collectors.joining(" OR "))
            + " GROUP BY src_addr, dst_addr",
        AnswerKind.ADDRESS,
        AnswerKind.ADDRESS,
        AnswerKind.NUMBER);
  }

  /** All flows of a host on either side, every column. */
  private static WorkloadQuery lookup(String name, long address) {
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
            + " FROM flow WHERE src_addr = "
            + address
            + " OR dst_addr = "
            + address,
        address,
        all.stream().map(column -> kinds.getOrDefault(column, AnswerKind.NUMBER)).toList(),
        false);
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

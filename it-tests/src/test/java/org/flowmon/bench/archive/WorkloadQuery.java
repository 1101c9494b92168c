package org.flowmon.bench.archive;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.flowmon.bench.harness.Yaml;
import org.flowmon.flow.IpAddress;

/**
 * A query for every system. The texts are in {@code workload.yaml}.
 *
 * @param name for tables
 * @param flowmon in flowmon's dialect; empty for a lookup
 * @param sql over the table {@code flow} of {@link WorkloadColumn#sqlName}s, addresses as numbers
 * @param address of a lookup, or its network's first address; else 0
 * @param bits of the network of a lookup, 32 for one address; 0 if it is no lookup
 * @param columns of the answer
 * @param ordered whether the order of the answer's rows is part of it
 */
public record WorkloadQuery(
    String name,
    String flowmon,
    String sql,
    long address,
    int bits,
    List<AnswerKind> columns,
    boolean ordered) {
  private static final Texts TEXTS = Yaml.read("/org/flowmon/bench/workload.yaml", Texts.class);
  private static final int ALL_DAYS = 0;
  private static final Map<WorkloadColumn, AnswerKind> KINDS =
      Map.of(
          WorkloadColumn.TS, AnswerKind.SECONDS,
          WorkloadColumn.SRC_ADDR, AnswerKind.ADDRESS,
          WorkloadColumn.DST_ADDR, AnswerKind.ADDRESS,
          WorkloadColumn.OUTGOING, AnswerKind.FLAG,
          WorkloadColumn.STATE, AnswerKind.STATE,
          WorkloadColumn.DURATION, AnswerKind.MILLIS);

  /** The file of texts. */
  private record Texts(Map<String, Text> queries, StatisticsText statistics) {}

  /** A query whose {@code {…}} stand for constants of the workload. */
  private record Text(String flowmon, String sql, List<AnswerKind> columns, boolean ordered) {}

  /** Statistics of each expression by each column. */
  private record StatisticsText(
      Map<String, AnswerKind> by,
      List<String> of,
      String flowmon,
      String sql,
      List<AnswerKind> columns) {}

  public WorkloadQuery {
    columns = List.copyOf(columns);
  }

  /** Whether this is a lookup of all flows of a host or network. */
  public boolean isLookup() {
    return bits > 0;
  }

  /** All queries of the workload. */
  public static List<WorkloadQuery> of(WorkloadParameters parameters) {
    List<WorkloadQuery> queries = new ArrayList<>();
    queries.add(query("elephants", "elephants", parameters, ALL_DAYS));
    queries.add(query("mice_1d", "mice", parameters, 1));
    queries.add(query("mice_7d", "mice", parameters, 7));
    for (String name : List.of("portscans", "anomaly", "anomaly_pairs", "dispersion")) {
      queries.add(query(name, name, parameters, ALL_DAYS));
    }
    for (String name : WorkloadParameters.LOOKUPS) {
      queries.add(lookup("lookup_" + name, parameters.lookups().get(name), 32));
    }
    return queries;
  }

  /** The history queries of the analyses over the last days of the rows, named analysis/days. */
  public static List<WorkloadQuery> ofDays(WorkloadParameters parameters, int days) {
    return List.of("elephants", "mice", "portscans", "anomaly", "dispersion").stream()
        .map(name -> query(name + "/" + days, name, parameters, days))
        .toList();
  }

  private static WorkloadQuery query(
      String name, String text, WorkloadParameters parameters, int days) {
    Text found = TEXTS.queries().get(text);
    return new WorkloadQuery(
        name,
        replaced(found.flowmon(), flowmonConstants(parameters, days)),
        replaced(found.sql(), sqlConstants(parameters, days)),
        0,
        0,
        found.columns(),
        found.ordered());
  }

  private static String replaced(String text, Map<String, String> constants) {
    String replaced = text;
    for (Map.Entry<String, String> constant : constants.entrySet()) {
      replaced = replaced.replace("{" + constant.getKey() + "}", constant.getValue());
    }
    return replaced;
  }

  private static Map<String, String> flowmonConstants(WorkloadParameters parameters, int days) {
    List<Long> hours = hours(parameters, days);
    String since = days == ALL_DAYS ? "" : "end_time >= " + timestamp(since(parameters, days));
    return Map.of(
        "sources", joined(parameters.sources(), ", ", one -> "'" + address(one) + "'"),
        "networks", joined(parameters.networks(), ", ", one -> "'" + address(one) + "/16'"),
        "now", timestamp(hours.get(hours.size() - 1) + WorkloadParameters.DAY),
        "days", String.valueOf(hours.size()),
        "since", since,
        "and_since", since.isEmpty() ? "" : " AND " + since);
  }

  private static Map<String, String> sqlConstants(WorkloadParameters parameters, int days) {
    String since = days == ALL_DAYS ? "" : "ts >= " + since(parameters, days);
    return Map.of(
        "sum",
        "CAST(SUM(bytes) AS BIGINT)",
        "sources",
        joined(parameters.sources(), ", ", String::valueOf),
        "networks",
        joined(parameters.networks(), " OR ", one -> side("src_addr", one, 16)),
        "hours",
        joined(
            hours(parameters, days),
            " OR ",
            hour -> "(ts >= " + hour + " AND ts < " + (hour + WorkloadParameters.HOUR) + ")"),
        "since",
        since,
        "and_since",
        since.isEmpty() ? "" : " AND " + since);
  }

  private static List<Long> hours(WorkloadParameters parameters, int days) {
    List<Long> all = parameters.hours();
    return days == ALL_DAYS ? all : all.subList(Math.max(0, all.size() - days), all.size());
  }

  private static long since(WorkloadParameters parameters, int days) {
    return parameters.end() - days * (long) WorkloadParameters.DAY;
  }

  /**
   * Statistics of three expressions (count, mean, standard deviation, smallest, largest) by each of
   * three columns: nine statistics in three queries.
   */
  public static List<WorkloadQuery> statistics() {
    StatisticsText texts = TEXTS.statistics();
    List<WorkloadQuery> queries = new ArrayList<>();
    texts
        .by()
        .forEach(
            (by, kind) -> {
              List<AnswerKind> kinds = new ArrayList<>(List.of(kind, AnswerKind.NUMBER));
              texts.of().forEach(expression -> kinds.addAll(texts.columns()));
              String begin = "SELECT " + by + ", COUNT(*), ";
              String end = " GROUP BY " + by;
              queries.add(
                  new WorkloadQuery(
                      "by_" + by,
                      begin + expressions(texts.flowmon(), texts) + " FROM flows" + end,
                      begin + expressions(texts.sql(), texts) + " FROM flow" + end,
                      0,
                      0,
                      kinds,
                      false));
            });
    return queries;
  }

  private static String expressions(String text, StatisticsText texts) {
    return texts.of().stream().map(x -> text.replace("{x}", x)).collect(Collectors.joining(", "));
  }

  /**
   * Looks up all flows of a host or network on either side, with every column.
   *
   * @param bits of the network whose first address is given, 32 for a host
   */
  public static WorkloadQuery lookup(String name, long address, int bits) {
    List<WorkloadColumn> all = WorkloadColumn.all();
    String columns = all.stream().map(WorkloadColumn::sqlName).collect(Collectors.joining(", "));
    return new WorkloadQuery(
        name,
        "",
        String.format(
            "SELECT %s FROM flow WHERE %s OR %s",
            columns, side("src_addr", address, bits), side("dst_addr", address, bits)),
        address,
        bits,
        all.stream().map(column -> KINDS.getOrDefault(column, AnswerKind.NUMBER)).toList(),
        false);
  }

  private static String side(String column, long address, int bits) {
    return bits == 32
        ? column + " = " + address
        : column + " BETWEEN " + address + " AND " + (address + (1L << (32 - bits)) - 1);
  }

  private static String joined(List<Long> values, String between, Function<Long, String> text) {
    return values.stream().map(text).collect(Collectors.joining(between));
  }

  private static IpAddress address(Long value) {
    return IpAddress.ofIpv4(value.intValue());
  }

  private static String timestamp(long seconds) {
    return "TIMESTAMP '" + Instant.ofEpochSecond(seconds) + "'";
  }
}

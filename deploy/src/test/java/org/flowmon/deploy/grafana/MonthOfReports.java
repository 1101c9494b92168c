package org.flowmon.deploy.grafana;

import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flowmon.jobs.analysis.AnalysisConfig;

/** Statements that fill the tables of reports with a row for each five minutes and key. */
final class MonthOfReports {
  private MonthOfReports() {}

  /**
   * Keys of a table of traffic as SQL of the number of a row, which is {@code i}, and their rows.
   */
  private static String keys(String analysis) {
    return switch (analysis) {
      case "series_by_protocol" ->
          "protocol, protocol_name # 11 # i, (ARRAY['icmp', 'igmp', 'tcp', 'udp'])[i]";
      case "series_by_port" ->
          "protocol, protocol_name, port, port_name # 21 # 6, 'tcp', (i * 7 + m) % 60, 'name' || (i"
              + " * 7 + m) % 60";
      case "series_by_as" ->
          "asn, as_name # 21 # 64512 + (i * 7 + m) % 60, 'AS of ' || (i * 7 + m) % 60";
      case "series_by_country" -> "country # 21 # chr(65 + i) || chr((65 + (i + m) % 5)::int)";
      case "series_by_interface" ->
          "exporter, exporter_name, input_if, in_if_name # 21 # '192.0.2.1'::inet + i, NULL, i,"
              + " 'eth' || i";
      case "series_by_exporter" ->
          "exporter, exporter_name # 21 # '192.0.2.1'::inet + i, 'router' || i";
      case "series_by_direction" -> "outgoing # 3 # i = 1";
      case "series_by_source" -> "src_addr # 51 # '10.0.0.0'::inet + (i * 3 + m) % 200";
      case "series_by_pair" ->
          "src_addr, dst_addr # 51 # '10.0.0.0'::inet + (i * 3 + m) % 200, '198.51.100.0'::inet +"
              + " i";
      default -> throw new IllegalArgumentException("no rows for " + analysis);
    };
  }

  static String series(String analysis, Instant from, Instant to) {
    String[] keys = keys(analysis).split(" # ", -1);
    String nulls =
        Stream.of(keys[0].split(", ", -1)).map(name -> "NULL").collect(Collectors.joining(", "));
    return """
    INSERT INTO report_%1$s (window_start, window_end, revision, row_key, row_number, part, rank, %2$s,
      estimated_bytes, estimated_packets, bytes, packets, flows)
    SELECT t - interval '5 minutes', t, 3, i::text, i, 'top', i, %4$s, 1000000 * i + m %% 977, 1000 * i, 1000000, 1000, 10 * i
    FROM (SELECT t, (extract(epoch FROM t) / 300)::bigint AS m
          FROM generate_series('%6$s'::timestamptz + interval '5 minutes', '%7$s', '5 minutes') AS t) AS minutes,
      generate_series(1, %3$s - 1) AS i
    UNION ALL
    SELECT t - interval '5 minutes', t, 3, 'other', %3$s, 'other', NULL, %5$s, 5000, 50, 5000, 50, 5
    FROM generate_series('%6$s'::timestamptz + interval '5 minutes', '%7$s', '5 minutes') AS t
    """
        .formatted(analysis, keys[0], keys[1], keys[2], nulls, from, to);
  }

  /** A report in each minute, or less often, of each analysis. */
  static String windows(List<AnalysisConfig> analyses, Instant from, Instant to) {
    String names =
        analyses.stream()
            .map(
                a ->
                    "('"
                        + a.name()
                        + "', "
                        + Math.max(60, a.live().slideMicros() / 1_000_000)
                        + ")")
            .collect(Collectors.joining(", "));
    return """
    INSERT INTO flowmon_windows (analysis, window_start, window_end, revision, row_count, history, flows, late_flows,
      ahead_flows, lost_flows, sampling_rate, written_at)
    SELECT name, t - slide * interval '1 s', t, 3, 20, 'exact', 1000, 1, 0, 2, 100, t
    FROM (VALUES %s) AS analyses (name, slide),
      LATERAL generate_series('%s'::timestamptz + slide * interval '1 s', '%s', slide * interval '1 s') AS t
    """
        .formatted(names, from, to);
  }

  /** Ten hosts that scan, reported each hour; a hundred that are usual; some flooded. */
  static String findings(Instant from, Instant to) {
    return """
    INSERT INTO report_scans (window_start, window_end, revision, row_key, row_number, src_addr, targets, verdict)
    SELECT t - interval '1 hour', t, 3, '10.0.0.' || i, i, '10.0.0.0'::inet + i, 100 + i,
      CASE WHEN i <= 10 THEN 'scan' ELSE 'usual' END
    FROM generate_series('%1$s'::timestamptz + interval '1 hour', '%2$s', '1 hour') AS t, generate_series(1, 110) AS i;
    INSERT INTO report_ddos (window_start, window_end, revision, row_key, row_number, dst_addr, bits_per_second, verdict)
    SELECT t - interval '1 minute', t, 3, '10.0.0.' || i, i, '10.0.0.0'::inet + i, 1e9, 'flood'
    FROM generate_series('%1$s'::timestamptz + interval '1 minute', '%2$s', '1 minute') AS t, generate_series(1, 10) AS i
    """
        .formatted(from, to);
  }

  /** An alert in each minute, of which the last hundred still fire. */
  static String alerts(Instant from, Instant to) {
    return """
    INSERT INTO flowmon_alerts
    SELECT lpad(to_hex(extract(epoch FROM t)::bigint), 32, '0'), 2,
      CASE WHEN t > '%2$s'::timestamptz - interval '100 minutes' THEN 'firing' ELSE 'resolved' END, 'condition', 'warning',
      'scans', 'scan', '10.0.0.' || extract(minute FROM t), t, t, t + interval '1 minute', t, 3, 1, '{"targets":100}', t
    FROM generate_series('%1$s'::timestamptz + interval '1 minute', '%2$s', '1 minute') AS t
    """
        .formatted(from, to);
  }
}

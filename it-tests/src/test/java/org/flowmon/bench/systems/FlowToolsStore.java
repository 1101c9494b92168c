package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * flow-tools: flow-capture stores, flow-nfilter and flow-report answer B. No report counts flows by
 * their start: for A flow-export prints each flow's. Written after the manual pages and the source
 * of 0.68, and not tried: Debian 11 and 12 no longer have it. By the source {@code +octets} has the
 * most octets first, although the manual page calls that ascending.
 */
final class FlowToolsStore extends CollectorStore {
  private static final String FILTER =
      """
      filter-primitive from
        type time-date
        permit ge %s
        default deny
      filter-primitive to
        type time-date
        permit le %s
        default deny
      filter-definition bench
        match start-time from
        match end-time to
      """;
  private static final String REPORT =
      """
      stat-report totals
        type ip-source/destination-address/ip-protocol/ip-tos/ip-source/destination-port
        output
          sort +octets
      stat-definition bench
        report totals
      """;

  /** Columns of the report, in the order of B. */
  private static final List<String> COLUMNS =
      List.of(
          "ip-source-address",
          "ip-destination-address",
          "ip-source-port",
          "ip-destination-port",
          "ip-protocol",
          "ip-tos",
          "flows",
          "octets",
          "packets");

  /** UNIX_SECS, UNIX_NSECS, SYSUPTIME and FIRST of flow-export(1). */
  private static final String START_FIELDS = "0x87";

  private static final String HEADER = "# recn: ";
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("MMMM d, uuuu HH:mm:ss", Locale.ENGLISH).withZone(ZoneOffset.UTC);

  private final Path filter;
  private final Path report;

  FlowToolsStore(Path parent) throws IOException {
    super(parent);
    String filters = FILTER.formatted(date(StudyQuery.FROM), date(StudyQuery.TO));
    filter = Files.writeString(parent.resolve("filter"), filters);
    report = Files.writeString(parent.resolve("report"), REPORT);
  }

  private static String date(long seconds) {
    return DATE.format(Instant.ofEpochSecond(seconds));
  }

  @Override
  List<String> collector(Path folder, int port) {
    // In the foreground, one file a day, all in one folder, not compressed.
    String options = "flow-capture -D -V5 -n0 -N0 -z0 -w";
    return words(options, folder.toString(), "127.0.0.1/0/" + port);
  }

  @Override
  public List<long[]> answer(StudyQuery query) throws Exception {
    ProcessBuilder flows = Programs.of(List.of("flow-cat", folder().toString()));
    if (query == StudyQuery.A) {
      List<String> export = List.of("flow-export", "-f2", "-m", START_FIELDS);
      return StudyQuery.slots(
          Programs.lines(flows, Programs.of(export)).stream()
              .filter(line -> !line.startsWith("#"))
              .mapToLong(line -> startSeconds(numbers(cells(line)))));
    }
    List<String> lines =
        Programs.lines(
            flows,
            Programs.of(List.of("flow-nfilter", "-f", filter.toString(), "-F", "bench")),
            Programs.of(List.of("flow-report", "-s", report.toString(), "-S", "bench")));
    List<String> header =
        lines.stream()
            .filter(line -> line.startsWith(HEADER))
            .flatMap(line -> Stream.of(line.substring(HEADER.length()).split("[*,]+", -1)))
            .toList();
    return lines.stream()
        .filter(line -> !line.startsWith("#") && !line.isBlank())
        .map(FlowToolsStore::cells)
        .map(row -> numbers(COLUMNS.stream().map(c -> row.get(header.indexOf(c))).toList()))
        .toList();
  }

  private static List<String> cells(String line) {
    return List.of(line.strip().split(" *, *", -1));
  }

  /** Of {@link #START_FIELDS}: the header's time, less the uptime that has passed since. */
  private static long startSeconds(long[] fields) {
    return (1000 * fields[0] + fields[1] / 1_000_000 - (fields[2] - fields[3])) / 1000;
  }

  @Override
  public String settings() {
    return "not compressed";
  }
}

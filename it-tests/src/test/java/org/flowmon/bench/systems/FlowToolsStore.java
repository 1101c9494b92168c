package org.flowmon.bench.systems;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.flowmon.bench.archive.Answer;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessWrites;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * flow-tools 0.68: flow-import takes rows as text, flow-nfilter and flow-report answer B. No report
 * counts flows by their start, so that for A flow-export prints each flow's.
 */
final class FlowToolsStore implements FlowStore {
  /** UNIX_SECS, UNIX_NSECS, SYSUPTIME and FIRST of flow-export(1). */
  private static final String START_FIELDS = "0x87";

  private static final String REPORT =
      "ip-source/destination-address/ip-protocol/ip-tos/ip-source/destination-port";
  private static final List<String> REPORT_COLUMNS =
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
  private static final String REPORT_HEADER = "# recn: ";
  private static final long UPTIME_MILLIS = 86_400_000;
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("MMMM d, yyyy HH:mm:ss", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  private final Path folder;
  private final Path file;
  private @Nullable Process importing;
  private @Nullable BufferedWriter rows;

  private FlowToolsStore(Path folder) {
    this.folder = folder;
    this.file = folder.resolve("flows");
  }

  static FlowToolsStore open(Path folder, boolean sync) throws IOException {
    Files.writeString(
        folder.resolve("filter"),
        "filter-primitive from\n  type time-date\n  permit ge "
            + DATE.format(Instant.ofEpochSecond(StudyQuery.FROM))
            + "\n  default deny\nfilter-primitive to\n  type time-date\n  permit le "
            + DATE.format(Instant.ofEpochSecond(StudyQuery.TO))
            + "\n  default deny\nfilter-definition bench\n  match start-time from\n"
            + "  match end-time to\n");
    Files.writeString(
        folder.resolve("report"),
        "stat-report totals\n  type "
            + REPORT
            + "\n  output\n    sort +octets\nstat-definition bench\n  report totals\n");
    return new FlowToolsStore(folder);
  }

  private static ProcessBuilder importer() {
    return Programs.of("flow-import", "-f", "2", "-V", "5", "-z", "0");
  }

  @Override
  public void create(Layout layout) throws IOException {
    close();
    importing = importer().redirectOutput(file.toFile()).start();
    rows = importing.outputWriter();
  }

  @Override
  public void load(FlowData data, int from, int to) throws IOException {
    if (rows == null) {
      throw new IllegalStateException("no import runs");
    }
    for (int row = from; row < to; row++) {
      long exported = data.get(FlowField.SECS_EXPORT, row);
      rows.write(
          exported
              + ",0,"
              + UPTIME_MILLIS
              + ','
              + address(data, row, FlowField.SRC_EXPORTER)
              + ','
              + data.get(FlowField.NUM_PACKETS, row)
              + ','
              + data.get(FlowField.NUM_BYTES, row)
              + ','
              + uptime(exported, data.get(FlowField.SECS_FLOWSTART, row))
              + ','
              + uptime(exported, data.get(FlowField.SECS_FLOWEND, row))
              + ",0,0,"
              + address(data, row, FlowField.SRC_ADDR)
              + ','
              + address(data, row, FlowField.DST_ADDR)
              + ','
              + address(data, row, FlowField.NEXT_HOP));
      for (FlowField field :
          List.of(
              FlowField.INPUT_IF,
              FlowField.OUTPUT_IF,
              FlowField.SRC_PORT,
              FlowField.DST_PORT,
              FlowField.IP_PROT,
              FlowField.IP_TOS,
              FlowField.TCP_FLAGS,
              FlowField.SRC_MASK,
              FlowField.DST_MASK,
              FlowField.SRC_AS,
              FlowField.DST_AS)) {
        rows.write(",");
        rows.write(Long.toString(data.get(field, row)));
      }
      rows.write("\n");
    }
  }

  private static String address(FlowData data, int row, FlowField field) {
    return IpAddress.ofIpv4((int) data.get(field, row)).toString();
  }

  /** A time as milliseconds since the router was started, a day before each export. */
  private static long uptime(long exported, long seconds) {
    return UPTIME_MILLIS - 1000 * (exported - seconds);
  }

  @Override
  public void finish() throws IOException {
    if (importing != null && rows != null) {
      rows.close();
      Programs.end(importing, importer());
      importing = null;
      rows = null;
    }
  }

  @Override
  public Answer answer(StudyQuery query) throws IOException {
    return query == StudyQuery.A ? slots() : totals();
  }

  private Answer slots() throws IOException {
    Map<Long, long[]> counts = new TreeMap<>();
    ProcessBuilder export = Programs.of("flow-export", "-f", "2", "-m", START_FIELDS);
    Programs.pipe(
        List.of(export.redirectInput(file.toFile())),
        line -> {
          if (!line.startsWith("#")) {
            String[] cells = line.split(",", -1);
            long exportMillis =
                1000 * Long.parseLong(cells[0].strip()) + Long.parseLong(cells[1].strip()) / 1_000_000;
            long age = Long.parseLong(cells[2].strip()) - Long.parseLong(cells[3].strip());
            StudyQuery.count(counts, (exportMillis - age) / 1000);
          }
        });
    return StudyQuery.slots(counts);
  }

  private Answer totals() throws IOException {
    ProcessBuilder filter =
        Programs.of("flow-nfilter", "-f", folder.resolve("filter").toString(), "-F", "bench");
    ProcessBuilder report =
        Programs.of("flow-report", "-s", folder.resolve("report").toString(), "-S", "bench");
    AnswerRows answer = new AnswerRows(StudyQuery.B);
    List<Integer> places = new ArrayList<>();
    Programs.pipe(
        List.of(filter.redirectInput(file.toFile()), report),
        line -> {
          if (line.startsWith(REPORT_HEADER)) {
            places.addAll(places(line.substring(REPORT_HEADER.length())));
          } else if (!line.startsWith("#") && !line.isBlank()) {
            String[] cells = line.split(",", -1);
            answer.add(places.stream().mapToLong(place -> number(cells[place].strip())).toArray());
          }
        });
    return answer.answer();
  }

  /** Where a report has the columns of B; {@code *} marks its keys. */
  private static List<Integer> places(String header) {
    List<String> names = List.of(header.replace("*", "").split(",", -1));
    return REPORT_COLUMNS.stream().map(names::indexOf).toList();
  }

  private static long number(String cell) {
    return cell.indexOf('.') < 0
        ? Long.parseLong(cell)
        : IpAddress.parse(cell).lo() & 0xFFFF_FFFFL;
  }

  @Override
  public Optional<String> forget() throws IOException {
    return PageCache.drop(file);
  }

  @Override
  public long bytesOnDisk() throws IOException {
    return Files.size(file);
  }

  /** This process writes nothing but what its children write. */
  @Override
  public OptionalLong bytesWritten() {
    return ProcessWrites.of(ProcessHandle.current());
  }

  @Override
  public String settings() {
    return "flow-tools, rows as text, one file, not compressed";
  }

  @Override
  public void close() throws IOException {
    if (importing != null) {
      importing.destroy();
      importing = null;
    }
  }
}

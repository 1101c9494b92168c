package org.flowmon.deploy.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import javax.tools.ToolProvider;
import org.flowmon.deploy.GoProgram;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.alert.Alert;
import org.flowmon.jobs.alert.AlertJson;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.report.Confidence;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.json.ReportJson;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.jobs.report.json.ReportWindows;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The programs of docs/topics.md read what flowmon writes into its topics, each in its language.
 */
class TopicExamplesTest {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  private static final Path EXAMPLES = examples();
  private static final String[] TEXTS = {"", "a \"b\" \\ <&>", "é𝄞\n\u0001", "plain", "\u2028"};
  private static final String[] ADDRESSES = {
    "::",
    "::1",
    "1::",
    "2001:db8::1:0:0:1",
    "2001:0:0:1::2",
    "::192.0.2.1",
    "1:0:2::",
    "fe80::1:2:3:0"
  };

  private static final List<String> REPORT =
      List.of("analysis", "window_start", "window_end", "revision", "row_number", "columns");
  private static final List<String> ALERT =
      List.of("id", "number", "state", "severity", "analysis", "rule", "key", "columns");
  private static final Map<String, List<String>> COMMANDS = new HashMap<>();

  @TempDir static Path programs;
  @TempDir Path folder;

  private static Path examples() {
    Path here = Path.of("").toAbsolutePath();
    while (!Files.exists(here.resolve("docs/examples/topics"))) {
      here = here.getParent();
    }
    return here.resolve("docs/examples/topics");
  }

  /** The command of a program by name in a language; built once. */
  private static List<String> command(String language, String name) throws Exception {
    List<String> known = COMMANDS.get(language + name);
    if (known == null) {
      Path built = Files.createDirectory(programs.resolve(language + name));
      known =
          switch (language) {
            case "go" -> GoProgram.build(built, EXAMPLES.resolve(name + ".go")).command();
            case "python" ->
                List.of(python(), "-X", "utf8", EXAMPLES.resolve(name + ".py").toString());
            default -> java(built, Character.toUpperCase(name.charAt(0)) + name.substring(1));
          };
      COMMANDS.put(language + name, known);
    }
    return known;
  }

  private static String python() throws Exception {
    String named = System.getenv("FLOWMON_PYTHON");
    String python = named == null ? "python3" : named;
    try {
      assertEquals(0, new ProcessBuilder(python, "-V").start().waitFor());
    } catch (IOException e) {
      assumeTrue(named != null, "no python3; FLOWMON_PYTHON may name another interpreter");
      throw e;
    }
    return python;
  }

  private static List<String> java(Path built, String name) {
    String path = System.getProperty("java.class.path");
    String source = EXAMPLES.resolve(name + ".java").toString();
    String[] options = {"-proc:none", "-cp", path, "-d", built.toString(), source};
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, options));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return List.of(java, "-cp", built + File.pathSeparator + path, name);
  }

  private GoProgram.Run run(String language, String name, byte[] input, List<String> arguments)
      throws Exception {
    List<String> command = new ArrayList<>(command(language, name));
    command.addAll(arguments);
    return GoProgram.run(folder, command, input);
  }

  private static List<JsonNode> lines(GoProgram.Run run) throws Exception {
    assertEquals(0, run.code(), run.err());
    List<JsonNode> lines = new ArrayList<>();
    for (String line : run.out().lines().toList()) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  private static void setRandom(Random random, FlowBatchBuilder builder, FlowColumn column) {
    switch (column.type()) {
      case TEXT ->
          builder.setText(
              column,
              random.nextBoolean()
                  ? TEXTS[random.nextInt(TEXTS.length)]
                  : Long.toString(random.nextLong(), 36));
      case ADDRESS -> {
        switch (random.nextInt(3)) {
          case 0 -> builder.setAddress(column, random.nextLong(), random.nextLong());
          case 1 -> builder.setIpv4(column, random.nextInt());
          default ->
              builder.setAddress(
                  column, IpAddress.parse(ADDRESSES[random.nextInt(ADDRESSES.length)]));
        }
      }
      case TIMESTAMP, DURATION, NUMBER -> builder.set(column, random.nextLong());
      case COUNT -> builder.set(column, random.nextLong() >>> (1 + random.nextInt(62)));
      default -> builder.set(column, random.nextLong() & column.type().maxValue());
    }
  }

  /** Each column absent, constant, dense, IPv4 alone, or with NULLs. */
  private static FlowBatch batch(Random random, int rows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(Math.max(1, rows));
    long[] seeds = random.longs(FlowColumn.count()).toArray();
    int[] styles = random.ints(FlowColumn.count(), 0, 5).toArray();
    for (int row = 0; row < rows; row++) {
      builder.beginRow();
      for (FlowColumn column : FlowColumn.all()) {
        int c = column.ordinal();
        if (column == FlowColumn.ARRIVAL
            || styles[c] == 2
            || (styles[c] > 2 && random.nextBoolean())) {
          if (styles[c] == 4 && column.type() == ColumnType.ADDRESS) {
            builder.setIpv4(column, random.nextInt());
          } else {
            setRandom(random, builder, column);
          }
        } else if (styles[c] == 1) {
          setRandom(new Random(seeds[c]), builder, column);
        }
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(random.nextLong(), 1, rows, 0));
  }

  private static ObjectNode row(FlowBatch batch, int row) {
    ObjectNode expected = JSON.createObjectNode();
    for (FlowColumn column : FlowColumn.all()) {
      if (!batch.isNull(column, row)) {
        switch (column.type()) {
          case ADDRESS ->
              expected.put(column.sqlName(), String.valueOf(batch.getAddress(column, row)));
          case TEXT -> expected.put(column.sqlName(), batch.text(column, row));
          case BOOLEAN -> expected.put(column.sqlName(), batch.getLong(column, row) == 1);
          default -> expected.put(column.sqlName(), batch.getLong(column, row));
        }
      }
    }
    return expected;
  }

  @ParameterizedTest
  @ValueSource(strings = {"java", "python", "go"})
  void everyValueOfRandomBatchesIsThatOfTheDecoder(String language) throws Exception {
    Random random = new Random(23);
    List<String> arguments = new ArrayList<>(List.of(EXAMPLES.resolve("columns.csv").toString()));
    List<JsonNode> expected = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      FlowBatch batch = batch(random, i % 7 == 0 ? 1 : random.nextInt(1, 150));
      Files.write(folder.resolve("value-" + i), batch.bytes());
      arguments.add(folder.resolve("value-" + i).toString());
      for (int row = 0; row < batch.rows(); row++) {
        expected.add(row(batch, row));
      }
    }
    List<JsonNode> found = lines(run(language, "flows", new byte[0], arguments));
    assertEquals(expected.size(), found.size());
    for (int i = 0; i < expected.size(); i++) {
      assertEquals(JSON.readTree(expected.get(i).toString()), found.get(i), "row " + i);
    }
    byte[] input = Files.readAllBytes(folder.resolve("value-39"));
    List<JsonNode> ofInput = lines(run(language, "flows", input, arguments.subList(0, 1)));
    assertEquals(found.subList(found.size() - ofInput.size(), found.size()), ofInput);
    assertFalse(ofInput.isEmpty());
  }

  /** Batches that lie about a length or a place: what, and where a number is written. */
  private static Map<String, byte[]> damaged() {
    byte[] good = batch(new Random(7), 100).bytes();
    ByteBuffer value = ByteBuffer.wrap(good).order(ByteOrder.LITTLE_ENDIAN);
    int text = 88;
    while (value.get(text + 1) != ColumnType.TEXT.code() || value.get(text + 2) != 2) {
      text += 12;
    }
    TreeMap<String, byte[]> all = new TreeMap<>();
    all.put("cut", Arrays.copyOf(good, good.length - 1));
    all.put("header alone", Arrays.copyOf(good, 87));
    all.put("nothing", new byte[0]);
    all.put("magic", changed(good, 0, 0));
    all.put("version", changed(good, 4, 2));
    all.put("rows", changed(good, 8, -1));
    all.put("more rows", changed(good, 8, 1 << 16));
    all.put("columns", changed(good, 12, 0xFFFF));
    all.put("offset", changed(good, 92, -8));
    all.put("offset in the directory", changed(good, 92, 88));
    all.put("length", changed(good, 96, -1));
    all.put("offset and length beyond 32 bits", changed(changed(good, 92, -8), 96, 16));
    int at = value.getInt(text + 4);
    all.put("first text", changed(good, at, 1));
    all.put("text end", changed(good, at + 4 * 50, -1));
    all.put("last text end", changed(good, at + 4 * 100, 1 << 30));
    int texts = value.getInt(at + 4 * 100);
    all.put("a byte less than its texts", changed(good, text + 8, 4 * 101 + texts - 1));
    all.put("UTF-8", changed(good, at + 4 * 101, -1));
    return all;
  }

  private static byte[] changed(byte[] bytes, int at, int number) {
    byte[] changed = bytes.clone();
    ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putInt(at, number);
    return changed;
  }

  @ParameterizedTest
  @ValueSource(strings = {"java", "python", "go"})
  void aDamagedBatchIsRefusedInALine(String language) throws Exception {
    List<String> columns = List.of(EXAMPLES.resolve("columns.csv").toString());
    for (var one : damaged().entrySet()) {
      GoProgram.Run run = run(language, "flows", one.getValue(), columns);
      assertEquals(1, run.code(), one.getKey() + run);
      assertEquals(1, run.err().lines().count(), one.getKey() + run.err());
    }
  }

  @Test
  void theListOfColumnsIsTheDecoders() throws Exception {
    List<String> expected = new ArrayList<>(List.of("id,column"));
    FlowColumn.all().stream()
        .filter(column -> column.id() < 192)
        .forEach(column -> expected.add(column.id() + "," + column.sqlName()));
    assertEquals(expected, Files.readAllLines(EXAMPLES.resolve("columns.csv")));
  }

  private static Report report(Random random, int window, int revision) {
    ResultTable.Builder rows =
        new ResultTable.Builder()
            .column("src_addr", ValueKind.ADDRESS)
            .column("bytes", ValueKind.LONG)
            .column("share", ValueKind.DOUBLE)
            .column("verdict", ValueKind.TEXT);
    for (int i = random.nextInt(4); i > 0; i--) {
      rows.row().set(0, 0x20010db8_00000000L, i);
      if (random.nextBoolean()) {
        rows.set(1, random.nextInt(3), random.nextLong()); // beyond 64 bits
        rows.set(2, Double.doubleToLongBits(random.nextDouble()));
      }
      rows.set(3, TEXTS[random.nextInt(TEXTS.length)]);
    }
    long end = 1_795_255_200_000_000L + window * 10_000_000L;
    return new Report(
        "elephants",
        null,
        end - 10_000_000,
        end,
        revision,
        List.of(
            ReportColumn.key("src_addr", ValueKind.ADDRESS),
            ReportColumn.sum("bytes"),
            ReportColumn.of("share", ValueKind.DOUBLE),
            ReportColumn.of("verdict", ValueKind.TEXT)),
        rows.build(),
        new Confidence(
            HistoryStatus.EXACT, end, 0, end, end, end, 0, 5, new ArrivalCounts(9, 3, 2, 1), null),
        List.of());
  }

  private static Alert alert(int of, long number) {
    return new Alert(
        String.format("%032x", of),
        number,
        number % 2 == 0 ? Alert.State.RESOLVED : Alert.State.FIRING,
        Alert.Cause.CONDITION,
        "elephants",
        "new_elephant",
        AlertConfig.Severity.WARNING,
        TEXTS[of % TEXTS.length],
        1,
        2,
        3,
        4,
        3,
        1,
        of % 2 == 0 ? null : "{\"bytes\":18446744073709551621}",
        List.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"java", "python", "go"})
  void ofReportsAndAlertsTheLastCount(String language) throws Exception {
    Random random = new Random(29);
    List<String> messages = new ArrayList<>();
    List<JsonNode> expected = new ArrayList<>();
    for (int window = 0; window < 30; window++) {
      for (int revision = 1; revision < random.nextInt(2, 6); revision++) {
        ReportJson.lines(report(random, window, revision), messages::add);
      }
    }
    TreeMap<String, String> alerts = new TreeMap<>();
    for (int of = 0; of < 20; of++) {
      for (int number = 1; number < random.nextInt(2, 15); number++) {
        String json = new String(AlertJson.of(alert(of, number)), StandardCharsets.UTF_8);
        messages.add(json);
        alerts.put(String.format("%032x", of), json);
      }
    }
    Collections.shuffle(messages, random);
    messages.addAll(messages.subList(0, 50)); // once more
    ReportWindows windows = new ReportWindows(0);
    for (String message : messages) {
      if (!message.contains("\"id\":")) {
        byte[] utf8 = message.getBytes(StandardCharsets.UTF_8);
        windows.add(ReportRow.parse(utf8), utf8);
      }
    }
    TreeMap<Long, ReportWindows.Window> byEnd = new TreeMap<>();
    windows.waiting().forEach(window -> byEnd.put(window.end(), window));
    for (ReportWindows.Window window : byEnd.values()) {
      assertTrue(window.isComplete());
      for (byte[] row : window.rows() == 0 ? List.<byte[]>of() : window.messages()) {
        expected.add(((ObjectNode) JSON.readTree(row)).retain(REPORT));
      }
    }
    for (String alert : alerts.values()) {
      expected.add(((ObjectNode) JSON.readTree(alert)).retain(ALERT));
    }
    byte[] input = String.join("\n", messages).getBytes(StandardCharsets.UTF_8);
    assertEquals(expected, lines(run(language, "messages", input, List.of())));
    byte[] newer = "{\"version\":4,\"id\":\"\",\"rows\":0}\n".getBytes(StandardCharsets.UTF_8);
    assertEquals(1, run(language, "messages", newer, List.of()).code());
  }
}

package org.flowmon.bench.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * One run of an experiment: the values of its options and axes, and what it gives: rows, points,
 * checks. Whatever it opens is closed in reverse order at its end.
 */
public final class Run implements AutoCloseable {
  private static final Pattern WORD = Pattern.compile("\\{([\\w-]+)}");
  private static final Pattern NUMBER = Pattern.compile("-?\\d.*");

  private final String name;
  private final Declaration declaration;
  private final Map<String, Declaration.Option> options;
  private final CommandSpec spec;
  private final boolean quick;
  private final Map<String, String> words = new LinkedHashMap<>();
  private final List<List<Row>> rows = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<BenchResult> more = new ArrayList<>();
  private final Map<String, SvgPlot> plots = new LinkedHashMap<>();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private boolean refuted;

  Run(
      String name,
      Declaration declaration,
      Map<String, Declaration.Option> options,
      CommandSpec spec) {
    this.name = name;
    this.declaration = declaration;
    this.options = options;
    this.spec = spec;
    this.quick = isQuick(spec) || (spec.parent() != null && isQuick(spec.parent()));
    declaration.tables().forEach(table -> rows.add(new ArrayList<>()));
    options.keySet().forEach(this::checkBounds);
  }

  private static boolean isQuick(CommandSpec command) {
    OptionSpec option = command.optionsMap().get("--quick");
    return option != null && Boolean.TRUE.equals(option.getValue());
  }

  private void checkBounds(String option) {
    Declaration.Option declared = options.get(option);
    if (!has(option) || (declared.least() == null && declared.most() == null)) {
      return;
    }
    Object found = value(option);
    for (Object one : found instanceof List<?> list ? list : List.of(found)) {
      double number =
          one instanceof Duration of ? of.toNanos() / 1e9 : ((Number) one).doubleValue();
      boolean holds =
          (declared.least() == null || number >= declared.least())
              && (declared.most() == null || number <= declared.most());
      if (!holds) { // or it is NaN
        String allowed =
            declared.most() == null
                ? String.format("at least %s", plain(declared.least()))
                : String.format("%s … %s", plain(declared.least()), plain(declared.most()));
        String unit = one instanceof Duration ? " s" : "";
        throw new UsageException("--" + option + " is " + allowed + unit + ", found " + one);
      }
    }
  }

  private static String plain(double number) {
    return number == Math.rint(number)
        ? String.format("%,d", (long) number)
        : Double.toString(number);
  }

  /** Whether {@code --quick} is said, before or after the experiment. */
  public boolean quick() {
    return quick;
  }

  /** Whether an option was said or has a default. */
  public boolean has(String option) {
    return value(option) != null;
  }

  private Object value(String option) {
    Declaration.Option declared = options.get(option);
    if (declared == null) {
      throw new IllegalArgumentException(name + " declares no option " + option);
    }
    boolean said = spec.commandLine().getParseResult().hasMatchedOption("--" + option);
    return quick && !said && !declared.quick().isNull()
        ? object(declared.quick())
        : spec.optionsMap().get("--" + option).getValue();
  }

  private static Object object(JsonNode node) {
    if (node.isArray()) {
      List<Object> all = new ArrayList<>();
      node.forEach(one -> all.add(object(one)));
      return all;
    }
    if (node.isIntegralNumber()) {
      return node.longValue();
    }
    return node.isNumber() ? (Object) node.doubleValue() : node.asText();
  }

  public long number(String option) {
    return ((Number) value(option)).longValue();
  }

  public int integer(String option) {
    return integer(option, number(option));
  }

  private static int integer(String option, long number) {
    if (number != (int) number) {
      throw new UsageException("--" + option + " is a number of 32 bits, found " + number);
    }
    return (int) number;
  }

  /** The value of an option such as {@code --threads}; as many as cores if it was not said. */
  public int cores(String option) {
    return has(option) ? integer(option) : Runtime.getRuntime().availableProcessors();
  }

  public double decimal(String option) {
    return ((Number) value(option)).doubleValue();
  }

  public boolean flag(String option) {
    return Boolean.TRUE.equals(value(option));
  }

  public String text(String option) {
    return String.valueOf(value(option));
  }

  public Duration duration(String option) {
    return (Duration) value(option);
  }

  public Optional<Path> path(String option) {
    return Optional.ofNullable((Path) value(option));
  }

  /** The values of an axis, or of an option that is a list. */
  private List<?> values(String axis) {
    return options.containsKey(axis) ? (List<?>) value(axis) : values(axis, Map.of());
  }

  /** The values of an axis, which may depend on the value of another. */
  private List<?> values(String axis, Map<String, Object> others) {
    JsonNode declared = declaration.axes().get(axis);
    if (declared == null) {
      throw new IllegalArgumentException(name + " declares no axis " + axis);
    }
    JsonNode values = declared.has("values") ? declared.get("values") : declared;
    if (quick && declared.has("quick")) {
      values = declared.get("quick");
    }
    if (declared.has("of")) {
      values = values.get(others.get(declared.get("of").asText()).toString());
    }
    return (List<?>) object(values);
  }

  /** The whole numbers of an axis, or of an option that is a list. */
  public List<Integer> integers(String axis) {
    return values(axis).stream().map(value -> integer(axis, (Long) value)).toList();
  }

  /** The texts of an axis, or of an option that is a list. */
  public List<String> texts(String axis) {
    return values(axis).stream().map(String::valueOf).toList();
  }

  /** The durations of an option that is a list. */
  public List<Duration> durations(String option) {
    return values(option).stream().map(Duration.class::cast).toList();
  }

  /** Whether the experiment has an option at all. */
  public boolean declares(String option) {
    return options.containsKey(option);
  }

  /** A parameter that is a list of records. */
  public <T> List<T> parameters(String parameter, Class<T> type) {
    List<T> all = new ArrayList<>();
    parameter(parameter).forEach(node -> all.add(Yaml.convert(node, type)));
    return all;
  }

  /** A parameter of the declaration, such as a map of queries. */
  public JsonNode parameter(String parameter) {
    return declaration.parameters().get(parameter);
  }

  /** The texts of a parameter by their names. */
  public Map<String, String> textsOf(String parameter) {
    Map<String, String> texts = new LinkedHashMap<>();
    parameter(parameter)
        .properties()
        .forEach(one -> texts.put(one.getKey(), one.getValue().asText()));
    return texts;
  }

  /** All combinations of the axes, the last of which changes first. */
  public List<Point> points() {
    List<Map<String, Object>> all = new ArrayList<>(List.of(Map.of()));
    for (String axis : declaration.axes().keySet()) {
      List<Map<String, Object>> longer = new ArrayList<>();
      for (Map<String, Object> one : all) {
        for (Object value : values(axis, one)) {
          Map<String, Object> with = new LinkedHashMap<>(one);
          with.put(axis, value);
          longer.add(with);
        }
      }
      all = longer;
    }
    return all.stream().map(axes -> new Point(axes, declaration.parameters())).toList();
  }

  /** Says how far it is. */
  public void progress(String format, Object... values) {
    System.err.printf(format + "%n", values);
  }

  /** Says what {@code {word}} in titles stands for. */
  public void word(String word, String text) {
    words.put(word, text);
  }

  /** Adds a row to the first table, and says it as progress. */
  public void add(Row row) {
    add(0, row);
  }

  /** Adds a row to a table, and says it as progress. */
  public void add(int table, Row row) {
    rows.get(table).add(row);
    Declaration.Table declared = declaration.tables().get(table);
    if (!declared.quiet() && !declared.jsonOnly()) {
      progress("%s", BenchResult.sentence(row.values()));
    }
  }

  /** Adds a line under the tables, which JSON does not have. */
  public void note(String line) {
    notes.add(line);
  }

  /** Adds a table that the declaration does not know. */
  public void add(BenchResult table) {
    more.add(table);
  }

  /** Adds a point to the first plot. */
  public void point(String line, double x, double y) {
    point(0, line, x, y);
  }

  /** Adds a point to a line of a plot. */
  public void point(int plot, String line, double x, double y) {
    point(declaration.plots().get(plot), Map.of(), line, x, y);
  }

  private void point(
      Declaration.Plot plot, Map<String, Object> row, String line, double x, double y) {
    plots
        .computeIfAbsent(
            resolve(plot.title(), row),
            title ->
                new SvgPlot(
                    title,
                    plot.xLabel(),
                    plot.log().contains("x"),
                    plot.yLabel(),
                    plot.log().contains("y")))
        .point(line, x, y);
  }

  /** Ends the command with exit code 1, later, if something does not hold; says what. */
  public void expect(boolean holds, String format, Object... values) {
    if (!holds) {
      progress(format, values);
      refuted = true;
    }
  }

  /** Ends the command at once if something does not hold. */
  public static void require(boolean holds, String format, Object... values) {
    if (!holds) {
      throw new CommandException(text(format, values));
    }
  }

  private static String text(String format, Object[] values) {
    return String.format(format, values);
  }

  /** Returns a resource that is closed at the end. */
  public <R extends AutoCloseable> R open(R resource) {
    opened.push(resource);
    return resource;
  }

  /** A new folder that is deleted at the end. */
  public Path folder() throws IOException {
    return open(BenchFolder.of(name.replace(' ', '-'))).path();
  }

  /** Shows tables and plots, and returns the exit code. */
  int show() throws IOException {
    boolean isJson = Boolean.TRUE.equals(spec.optionsMap().get("--json").getValue());
    List<BenchResult> tables = new ArrayList<>();
    for (int t = 0; t < rows.size(); t++) {
      Declaration.Table declared = declaration.tables().get(t);
      if (declared.jsonOnly() && !isJson) {
        continue;
      }
      BenchResult table = new BenchResult(resolve(declared.title(), Map.of()));
      rows.get(t).forEach(row -> table.row(row.values()));
      declared.columns().forEach(table::explain);
      tables.add(table);
    }
    tables.addAll(more);
    tables.removeIf(table -> table.rows().isEmpty());
    if (isJson) {
      BenchResult.merged(name, tables).print(true);
    } else {
      for (BenchResult table : tables) {
        table.print(false);
      }
      notes.forEach(System.out::println);
    }
    declaration.plots().stream().filter(plot -> plot.y() != null).forEach(this::drawRows);
    if (!plots.isEmpty()) {
      Path file = spec.optionsMap().get("--plot").getValue();
      SvgPlot.write(file, List.copyOf(plots.values()));
      progress("plot: %s", file);
    }
    if (quick) {
      progress("--quick: figures say nothing");
    }
    return refuted ? ExitCodes.NO : ExitCodes.DONE;
  }

  private void drawRows(Declaration.Plot plot) {
    List<Row> all = rows.get(plot.table());
    for (int r = 0; r < all.size(); r++) {
      Map<String, Object> row = all.get(r).values();
      Object x = plot.x().equals("#") ? (Object) (r + 1L) : row.get(plot.x());
      for (Map.Entry<String, String> line : plot.y().entrySet()) {
        if (NUMBER.matcher(String.valueOf(x)).matches()
            && row.get(line.getValue()) instanceof Number value) {
          double at = Double.parseDouble(String.valueOf(x));
          point(plot, row, resolve(line.getKey(), row), at, value.doubleValue());
        }
      }
    }
  }

  /** Replaces {@code {…}} by a column of the row, a word or an option. */
  private String resolve(String text, Map<String, Object> row) {
    Matcher matcher = WORD.matcher(text);
    StringBuilder resolved = new StringBuilder();
    while (matcher.find()) {
      String word = matcher.group(1);
      Object value =
          row.containsKey(word)
              ? row.get(word)
              : words.containsKey(word) ? words.get(word) : value(word);
      matcher.appendReplacement(
          resolved,
          Matcher.quoteReplacement(
              value instanceof Long number ? String.format("%,d", number) : String.valueOf(value)));
    }
    return matcher.appendTail(resolved).toString();
  }

  @Override
  public void close() throws Exception {
    if (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } finally {
        close();
      }
    }
  }
}

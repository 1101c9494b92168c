package org.flowmon.jobs.analysis;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.ErrorHandler;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.config.RowCondition;
import org.flowmon.jobs.config.YamlDocument;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * One analysis: a live query, the history that its results are compared with, the report's logic,
 * and the sinks of reports. A file {@code NAME.yaml} in the folder of analyses:
 *
 * <pre>
 * name: elephants
 * extends: other.yaml     # absent: nothing; else a file beside it, or a bundled analysis by its name
 * variables: {top: 100}   # ${top} in a value is replaced by 100
 * live:
 *   query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr ORDER BY bytes DESC LIMIT 100
 *   window: 10s
 *   slide: 10s            # absent: the window
 *   time: end_time        # or arrival
 *   lateness: 0s          # a flow is late if its arrival is after its window's end + lateness
 *   revisions: true       # with lateness: results at windows' ends, then revised; else only the last
 *   spread: false         # true: bytes and packets of a flow are divided by the time it took
 *   slots: 16384          # of the low-level table
 *   groups: 1000000       # of an open window; above that, some are kept
 *   memory: 268435456     # bytes of function states in an open window; above that, some groups are kept
 * history:                # absent: reports without history
 *   query: SELECT … WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 7) GROUP BY src_addr
 *   delay: 20s            # absent: two checkpoint intervals
 *   refresh: 1h           # absent: :now is the window's end; else the last multiple of this before it
 *   concurrency: 4
 *   timeout: 5s
 *   rows: 1000000         # a lookup that would read more is refused
 * report:
 *   query: SELECT … FROM live LEFT JOIN history ON …     # or logic: beacons
 *   parameters: {share: 0.01, factor: 3}
 *   condition: verdict = 'new'      # absent: all rows
 * sinks: [kafka, postgres]
 * alerts: []              # {@link AlertConfig}
 * </pre>
 *
 * @param places where its keys stand, for errors
 */
public record AnalysisConfig(
    String name,
    Live live,
    @Nullable History history,
    Report report,
    List<String> sinks,
    List<AlertConfig> alerts,
    Places places)
    implements Serializable {
  /** The most slides in a window: each window's end merges as many group tables. */
  public static final int MAX_PANES = 120;

  /** The most queries over flows in one live query: each has a table of its own. */
  public static final int MAX_LEAVES = 8;

  public static final String STATES = "states";

  /** The logic of {@code report.query}. */
  public static final String QUERY = "query";

  /** The most slides that one flow may be divided among. */
  public static final int MAX_SHARES = 10_000;

  /** The bundled analyses, named after their resources in {@code /analyses}. */
  private static final List<String> BUNDLED = List.of("elephants");

  /** The offered analyses, by resource: they are to be copied and do not run by default. */
  private static final List<String> OFFERED =
      List.of(
          "anomaly",
          "beacons",
          "brute_force",
          "dark_space",
          "ddos",
          "dispersion",
          "dns_tunnels",
          "exfiltration",
          "exporters",
          "fan_out",
          "first_contact",
          "icmp_tunnels",
          "long_connections",
          "mice",
          "new_services",
          "new_talkers",
          "new_targets",
          "portscans",
          "scan_networks",
          "scans",
          "scans_fast",
          "traffic_by_as",
          "traffic_by_exporter",
          "traffic_by_interface",
          "traffic_by_port",
          "traffic_by_protocol");

  public AnalysisConfig {
    sinks = List.copyOf(sinks);
    alerts = List.copyOf(alerts);
  }

  /** An error of a key as {@code report.parameters.share}, found after the file was read. */
  public ConfigException error(String key, String message) {
    return error(key, message, null);
  }

  public ConfigException error(String key, RuntimeException cause) {
    return error(key, String.valueOf(cause.getMessage()), cause);
  }

  public ConfigException error(String key, String message, @Nullable Throwable cause) {
    String place = places.of(key);
    return new ConfigException(
        (place == null ? "analysis " + name : place) + ": " + key + ": " + message, cause);
  }

  /**
   * The live query; the limits and switches are told above. Above {@code groups} or {@code memory}
   * all groups still count in the totals; {@code slots} is a power of two.
   */
  public record Live(
      String query,
      Duration window,
      Duration slide,
      WindowTime time,
      Duration lateness,
      boolean revisions,
      boolean spread,
      int slots,
      int groups,
      long memory)
      implements Serializable {
    public static final int DEFAULT_GROUPS = 1_000_000;

    /** Some 2,700 bytes for each of 100,000 groups. */
    public static final long DEFAULT_MEMORY = 256L << 20;

    private Live once() {
      return new Live(query, window, slide, time, lateness, false, spread, slots, groups, memory);
    }

    public GroupLimit limit() {
      return new GroupLimit(groups, memory);
    }

    /** Binds {@code :now} to a window's end. Only queries over results may use it. */
    public static Query at(Query whole, long windowEnd) {
      return whole.parameters().isEmpty()
          ? whole
          : whole.bind(Parameters.NONE.with("now", Value.ofTimestamp(windowEnd)));
    }

    public long windowMicros() {
      return micros(window);
    }

    public long slideMicros() {
      return micros(slide);
    }

    public long latenessMicros() {
      return micros(lateness);
    }

    private static long micros(Duration duration) {
      return duration.toNanos() / 1000;
    }
  }

  /**
   * The history query, run for each window's result, with {@code :now} and {@code :live.src_addr}.
   *
   * @param delay how long the as-of time lies before {@link #now}; null: two checkpoint intervals
   * @param refresh null: each window has a history of its own
   * @param concurrency lookups of this analysis that run at once in one task
   */
  public record History(
      String query,
      @Nullable Duration delay,
      @Nullable Duration refresh,
      int concurrency,
      Duration timeout,
      long rows)
      implements Serializable {
    public static final Duration MAX_TIMEOUT = Duration.ofMinutes(10);

    static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    static final int DEFAULT_CONCURRENCY = 4;

    static final int MAX_ROWS = 100_000_000;

    /** Of an analysis that only asks whether addresses were seen. */
    public static final History WITHOUT_QUERY =
        new History("", null, null, DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT, MAX_ROWS);

    /**
     * {@code :now} in microseconds: the window's end or, with refresh, the largest multiple of that
     * interval since 1970 not after it.
     */
    public long now(long windowEnd) {
      if (refresh == null) {
        return windowEnd;
      }
      long micros = refresh.toNanos() / 1000;
      return Math.floorDiv(windowEnd, micros) * micros;
    }
  }

  /**
   * The logic, its unchecked parameters in file order, and the rows to report; null: all.
   *
   * @param query over the live result and its history, if {@link #QUERY} is the logic, else null
   */
  public record Report(
      String logic,
      Map<String, String> parameters,
      @Nullable RowCondition condition,
      @Nullable String query)
      implements Serializable {
    public Report {
      parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    }

    public Report(String logic, Map<String, String> parameters, @Nullable RowCondition condition) {
      this(logic, parameters, condition, null);
    }

    /** What makes the rows, for errors. */
    public String title() {
      return query == null ? "logic " + logic : "report.query";
    }

    public Report(String logic, Map<String, String> parameters) {
      this(logic, parameters, null);
    }
  }

  /** The history of an analysis that needs one; throws {@link ConfigException} without. */
  public History requiredHistory() {
    if (history == null) {
      throw error("history", "is missing");
    }
    return history;
  }

  /** Whether it publishes its groups' states for other jobs instead of reports. */
  public boolean publishesStates() {
    return report.logic().equals(STATES);
  }

  public AnalysisConfig withoutCondition(List<AlertConfig> others) {
    Report all = new Report(report.logic(), report.parameters(), null, report.query());
    return new AnalysisConfig(name, live, history, all, sinks, others, places);
  }

  public AnalysisConfig withoutRevisions() {
    return new AnalysisConfig(name, live.once(), history, report, sinks, alerts, places);
  }

  /** Reads one file; {@link ConfigException} names file, line, key and the expected value. */
  public static AnalysisConfig read(Path file) {
    return read(file, EnrichmentConfig.NONE);
  }

  /** As {@link #read(Path)}, for a job of that configuration. */
  public static AnalysisConfig read(Path file, EnrichmentConfig enrichment) {
    return of(ExtendedFile.read(file, enrichment));
  }

  private static AnalysisConfig of(YamlDocument whole) {
    return AnalysisFile.of(ExtendedFile.section(whole));
  }

  /**
   * The readable part of a file with errors, without wrong sinks and alerts; other wrong values are
   * defaults. {@code hasWindows} is false if its windows are.
   */
  public record Draft(AnalysisConfig analysis, boolean hasWindows) {}

  /** Reports all errors. Empty if name, a query, the report's logic or its parameters are wrong. */
  public static Optional<Draft> read(Path file, EnrichmentConfig enrichment, ErrorHandler errors) {
    YamlSection root = errors.of(() -> ExtendedFile.section(ExtendedFile.read(file, enrichment)));
    return root == null ? Optional.empty() : AnalysisFile.of(root, errors);
  }

  /** Reads text, which may extend a bundled analysis; {@code file} is its name in errors. */
  public static AnalysisConfig parse(String file, String text) {
    return of(ExtendedFile.parse(file, text));
  }

  /** The same as {@link #read(Path, EnrichmentConfig, ErrorHandler)} of text. */
  public static Optional<Draft> parse(
      String file, String text, EnrichmentConfig enrichment, ErrorHandler errors) {
    YamlSection root =
        errors.of(() -> ExtendedFile.section(ExtendedFile.parse(file, text, enrichment)));
    return root == null ? Optional.empty() : AnalysisFile.of(root, errors);
  }

  /** Reads every {@code *.yaml} of a folder, in the order of their file names. */
  public static List<AnalysisConfig> readFolder(Path folder) {
    return readFolder(folder, EnrichmentConfig.NONE);
  }

  /** As {@link #readFolder(Path)}, for a job of that configuration. */
  public static List<AnalysisConfig> readFolder(Path folder, EnrichmentConfig enrichment) {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, "*.{yaml,yml}")) {
      stream.forEach(files::add);
    } catch (IOException e) {
      throw new ConfigException(folder + ": the folder of analyses cannot be read (" + e + ")", e);
    }
    Collections.sort(files);
    List<AnalysisConfig> analyses = new ArrayList<>();
    Map<String, Path> seen = new HashMap<>();
    for (Path file : files) {
      AnalysisConfig analysis = read(file, enrichment);
      Path other = seen.put(analysis.name(), file);
      if (other != null) {
        throw new ConfigException(
            file + ": name: '" + analysis.name() + "' is already defined in " + other);
      }
      analyses.add(analysis);
    }
    return List.copyOf(analyses);
  }

  public static List<AnalysisConfig> bundled() {
    return resources(BUNDLED);
  }

  /** The offered analyses, run if copied: they cost more or need thresholds for the network. */
  public static List<AnalysisConfig> offered() {
    return resources(OFFERED);
  }

  /** The names of {@link #bundled} and {@link #offered} analyses. */
  public static List<String> names() {
    return Stream.concat(BUNDLED.stream(), OFFERED.stream()).toList();
  }

  /** The file of a {@link #bundled} or {@link #offered} analysis, to be copied and changed. */
  public static String textOf(String name) {
    if (!names().contains(name)) {
      throw new ConfigException("no built-in analysis '" + name + "', expected one of " + names());
    }
    return YamlFile.resourceText("/analyses/" + name + ".yaml");
  }

  /** As {@link #textOf(String)}, merged with what it extends. */
  public static String wholeTextOf(String name) {
    String text = textOf(name);
    return wholeText(ExtendedFile.parse(ExtendedFile.label(name), text), text);
  }

  /** The text of a file, merged with what it extends: it means the same everywhere. */
  public static String wholeTextOf(Path file) {
    return wholeTextOf(file, EnrichmentConfig.NONE);
  }

  /** As {@link #wholeTextOf(Path)}, with the networks of one's own, if they are configured. */
  public static String wholeTextOf(Path file, EnrichmentConfig enrichment) {
    return wholeText(ExtendedFile.read(file, enrichment), YamlFile.text(file));
  }

  /**
   * A text; if networks of one's own are configured, as {@link #wholeTextOf(Path,
   * EnrichmentConfig)} has it of a file.
   */
  public static String textFor(String file, String text, EnrichmentConfig enrichment) {
    return enrichment.inside().isEmpty()
        ? text
        : wholeText(ExtendedFile.parse(file, text, enrichment), text);
  }

  private static String wholeText(YamlDocument whole, String text) {
    return whole.isMerged() ? whole.withoutUnread(ExtendedFile.VARIABLES).toText() : text;
  }

  private static List<AnalysisConfig> resources(List<String> names) {
    return names.stream().map(name -> parse(ExtendedFile.label(name), textOf(name))).toList();
  }
}

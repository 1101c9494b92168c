package org.flowmon.jobs.config.job;

import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.analysis.AnalysesBudget;
import org.flowmon.jobs.config.ColumnsSection;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a job, from a YAML file:
 *
 * <pre>
 * kafka:
 *   bootstrap: localhost:9092        # required
 *   topic: flows
 *   group: flowmon
 *   analyses_topic: flowmon.analyses # starts, changes and stops analyses; none: no topic
 *   starting_offsets: earliest       # latest, committed: only if there is no checkpoint
 *   properties: {}                   # further properties of Kafka's clients
 * archive:
 *   directory: /var/lib/flowmon/archive      # or a URL: s3://bucket/prefix
 *   store: {}                        # settings of the store that the URL names
 *   compact_rows: 1000000            # 0: the job merges no segments
 *   retention:                       # absent: the archive's own
 *     rows: 1000000000               # the most recent flows; absent or 0: no limit
 *     slack: 100000000               # the most rows beyond them; absent: a tenth
 *     age: 90d                       # absent: no limit
 *     bytes: 500000000000            # absent or 0: no limit
 *   segments: lookup                 # or compact, with options; absent: the archive's own
 * postgres:                          # absent: no results in PostgreSQL
 *   url: jdbc:postgresql://localhost/flowmon
 *   user: flowmon
 *   password_file: /etc/flowmon/postgres.password
 *   retention: 90d                   # absent: reports and alerts stay
 * analyses: /etc/flowmon/analyses    # folder, one file each
 * columns: []                      # users' own: {@link ColumnsSection}; defined in this process
 * enrichment: {}                     # files that are joined: {@link EnrichmentConfig}
 * site: {}                           # publishes states: {@link SiteConfig}
 * merge: {}                          # merges states of sites: {@link MergeConfig}
 * webhooks: {}                       # for alerts: {@link WebhookConfig}
 * job:
 *   role: all                        # archive, analyses
 *   parallelism: 2                   # absent: the cluster's default
 *   max_parallelism: 128
 *   checkpoint_interval: 10s
 *   checkpoint_directory: file:///var/lib/flowmon/checkpoints   # absent: the cluster's
 *   disorder_bound: 1s
 *   arrival_ahead: 1h                # a message whose arrivals lie further in the future is refused
 *   bounded: false                   # true: end with Kafka's present contents
 *   groups: 64000000                 # of all analyses together: {@link AnalysesBudget}
 *   memory: 2147483648               # of all analyses together, in bytes
 *   slots: 4194304
 * </pre>
 *
 * @param archive null if none is configured
 * @param retention limits of the archive; null: its own
 * @param segments as {@link org.flowmon.archive.segment.SegmentOptions#parse} reads it; null: the
 *     archive's own
 * @param postgres null if results do not go to PostgreSQL
 * @param analyses folder; null if none is configured
 * @param site null if no states are published
 * @param merge null if the job reads flows
 * @param enrichment files that queries join
 */
public record JobConfig(
    Kafka kafka,
    @Nullable ArchiveLocation archive,
    int compactRows,
    @Nullable RetentionConfig retention,
    @Nullable String segments,
    @Nullable Postgres postgres,
    @Nullable String analyses,
    List<WebhookConfig> webhooks,
    Settings job,
    @Nullable SiteConfig site,
    @Nullable MergeConfig merge,
    EnrichmentConfig enrichment)
    implements Serializable {
  public static final int DEFAULT_COMPACT_ROWS = 1_000_000;

  private static final int MIN_COMPACT_ROWS = 1000;
  // The limit on groups or slots: more than any machine holds.
  private static final long MOST = 1L << 50;
  private static final Duration LEAST_RETENTION = Duration.ofHours(1);

  public JobConfig {
    webhooks = List.copyOf(webhooks);
  }

  public JobConfig(
      Kafka kafka,
      @Nullable ArchiveLocation archive,
      int compactRows,
      @Nullable RetentionConfig retention,
      @Nullable String segments,
      @Nullable Postgres postgres,
      @Nullable String analyses,
      List<WebhookConfig> webhooks,
      Settings job) {
    this(
        kafka,
        archive,
        compactRows,
        retention,
        segments,
        postgres,
        analyses,
        webhooks,
        job,
        null,
        null,
        EnrichmentConfig.NONE);
  }

  /** The Kafka cluster and the topic of flows; {@code analysesTopic} is null if there is none. */
  public record Kafka(
      String bootstrap,
      String topic,
      String group,
      StartingOffsets startingOffsets,
      @Nullable String analysesTopic,
      Map<String, String> properties)
      implements Serializable {
    public static final String ANALYSES_TOPIC = "flowmon.analyses";

    public Kafka {
      properties = Map.copyOf(properties);
    }

    /** Properties of all Kafka clients, with bootstrap servers; the caller may add to them. */
    public Map<String, Object> clientProperties() {
      Map<String, Object> all = new HashMap<>(properties);
      all.put("bootstrap.servers", bootstrap);
      return all;
    }

    /** Omits the properties' values, which may be secrets. */
    @Override
    public String toString() {
      return "topic %s at %s, group %s, properties %s"
          .formatted(topic, bootstrap, group, new TreeSet<>(properties.keySet()));
    }
  }

  /**
   * The database of reports and alerts.
   *
   * @param passwordFile the password is its first line; null if none is needed
   * @param retention a report or alert stays until its window ended this long before the newest one
   *     of its analysis; null: it stays
   */
  public record Postgres(
      String url, String user, @Nullable String passwordFile, @Nullable Duration retention)
      implements Serializable {
    /** Reports stay. */
    public Postgres(String url, String user, @Nullable String passwordFile) {
      this(url, user, passwordFile, null);
    }

    /** Returns the URL without possible secrets: parameters, and the part before an @. */
    public String place() {
      return url.replaceFirst("[?].*", "").replaceFirst("//.*@", "//");
    }

    /** Omits possible secrets. */
    @Override
    public String toString() {
      return "PostgreSQL at " + place();
    }
  }

  /**
   * The settings of the running job.
   *
   * @param parallelism 0: the cluster's default
   * @param maxParallelism number of key groups; fixed for the life of a job's state
   * @param checkpointDirectory URI; null: the cluster's
   * @param disorderBound how far an arrival may lie behind the largest in its Kafka partition
   * @param arrivalAhead how far an arrival may lie after Kafka's time of its message
   * @param reportTasks that ask history and report; 1: the windows' own, without a copy of results
   */
  public record Settings(
      Role role,
      int parallelism,
      int maxParallelism,
      Duration checkpointInterval,
      @Nullable String checkpointDirectory,
      Duration disorderBound,
      Duration arrivalAhead,
      boolean bounded,
      int reportTasks,
      AnalysesBudget budget)
      implements Serializable {
    public static final Duration ARRIVAL_AHEAD = Duration.ofHours(1);

    public Settings(
        Role role,
        int parallelism,
        int maxParallelism,
        Duration checkpointInterval,
        @Nullable String checkpointDirectory,
        Duration disorderBound,
        boolean bounded) {
      this(
          role,
          parallelism,
          maxParallelism,
          checkpointInterval,
          checkpointDirectory,
          disorderBound,
          ARRIVAL_AHEAD,
          bounded,
          1,
          AnalysesBudget.DEFAULT);
    }

    /** The default delay: two checkpoint intervals, as the archive is one behind. */
    public Duration historyDelay() {
      return checkpointInterval.multipliedBy(2);
    }
  }

  /** Reads a file; {@link ConfigException} names file, line, key and the expected value. */
  public static JobConfig read(Path file) {
    return of(YamlFile.read(file));
  }

  /** Reads text; {@code file} is its name in errors. */
  public static JobConfig parse(String file, String text) {
    return of(YamlFile.parse(file, text));
  }

  private static JobConfig of(YamlSection root) {
    ColumnsSection.define(root); // the rest may name them
    Kafka kafka = kafka(root.section("kafka"));
    ArchiveLocation location = null;
    int compactRows = 0;
    RetentionConfig retention = null;
    String segments = null;
    YamlSection archive = root.sectionOrNull("archive");
    if (archive != null) {
      location = location(archive);
      compactRows = archive.integer("compact_rows", 0, 8_000_000, DEFAULT_COMPACT_ROWS);
      if (compactRows > 0 && compactRows < MIN_COMPACT_ROWS) {
        throw archive.error(
            "compact_rows",
            "expected 0 or at least " + MIN_COMPACT_ROWS + ", found " + compactRows);
      }
      YamlSection kept = archive.sectionOrNull("retention");
      retention = kept == null ? null : RetentionConfig.of(kept, compactRows);
      segments = segments(archive);
      archive.end();
    }
    Postgres postgres = null;
    YamlSection database = root.sectionOrNull("postgres");
    if (database != null) {
      postgres = postgres(database);
    }
    String analyses = root.textOrNull("analyses", "a folder");
    List<WebhookConfig> webhooks = WebhookConfig.listOf(root);
    YamlSection site = root.sectionOrNull("site");
    SiteConfig published = site == null ? null : SiteConfig.of(site, kafka);
    YamlSection merge = root.sectionOrNull("merge");
    MergeConfig merged = merge == null ? null : MergeConfig.of(merge);
    YamlSection files = root.sectionOrNull("enrichment");
    YamlSection job = root.sectionOrNull("job");
    Settings settings = settings(job == null ? YamlFile.parse("job", "{}") : job);
    EnrichmentConfig enrichment =
        files == null ? EnrichmentConfig.NONE : EnrichmentConfig.of(files);
    root.end();
    JobConfig config =
        new JobConfig(
            kafka,
            location,
            compactRows,
            retention,
            segments,
            postgres,
            analyses,
            webhooks,
            settings,
            published,
            merged,
            enrichment);
    config.check(root);
    return config;
  }

  private void check(YamlSection root) {
    if (merge != null && job.role() != Role.ANALYSES) {
      throw root.error(
          "merge",
          "states are no flows that could be archived: expected job.role: analyses, found "
              + job.role().name().toLowerCase(java.util.Locale.ROOT));
    }
    if (merge != null
        && site != null
        && merge.topic().equals(site.topic())
        && kafka.bootstrap().equals(site.bootstrap())
        && merge.sites().contains(site.name())) {
      throw root.error("site", "is one of merge.sites: expected another name or topic");
    }
    if (site != null && !job.role().analyses()) {
      throw root.error(
          "site",
          "a job whose role is archive has no states to publish: expected job.role all or"
              + " analyses");
    }
    if (job.role().archives() && archive == null) {
      throw root.error(
          "archive",
          "is missing, but the job's role is " + job.role() + "; expected archive.directory");
    }
  }

  private static @Nullable String segments(YamlSection archive) {
    String text = archive.textOrNull("segments", "lookup or compact, with options");
    try {
      return text == null ? null : SegmentOptions.parse(text).toString();
    } catch (IllegalArgumentException e) {
      throw archive.error("segments", String.valueOf(e.getMessage()));
    }
  }

  private static ArchiveLocation location(YamlSection section) {
    String address = section.text("directory", "the archive's directory or URL");
    try {
      return ArchiveLocation.parse(address, section.map("store"));
    } catch (IllegalArgumentException e) {
      throw section.error("directory", String.valueOf(e.getMessage()));
    }
  }

  private static Kafka kafka(YamlSection section) {
    String analysesTopic = section.text("analyses_topic", "a topic, or none", Kafka.ANALYSES_TOPIC);
    Kafka kafka =
        new Kafka(
            section.text("bootstrap", "host:port of a broker"),
            section.text("topic", "a topic", "flows"),
            section.text("group", "a consumer group", "flowmon"),
            section.choice("starting_offsets", StartingOffsets.class, StartingOffsets.EARLIEST),
            analysesTopic.equals("none") ? null : analysesTopic,
            section.map("properties"));
    section.end();
    return kafka;
  }

  private static Postgres postgres(YamlSection section) {
    String url = section.text("url", "a JDBC URL");
    if (!url.startsWith("jdbc:postgresql:")) {
      throw section.error("url", "expected jdbc:postgresql:…, found '" + url + "'");
    }
    Postgres postgres =
        new Postgres(
            url,
            section.text("user", "a role of the database"),
            section.textOrNull("password_file", "a file"),
            section.durationOrNull("retention"));
    if (postgres.retention() != null && postgres.retention().compareTo(LEAST_RETENTION) < 0) {
      throw section.error("retention", "expected at least 1h");
    }
    section.end();
    return postgres;
  }

  private static Settings settings(YamlSection section) {
    Settings settings =
        new Settings(
            section.choice("role", Role.class, Role.ALL),
            section.integer("parallelism", 1, 1 << 15, 0),
            section.integer("max_parallelism", 1, 1 << 15, 128),
            section.duration("checkpoint_interval", Duration.ofSeconds(10)),
            section.textOrNull(
                "checkpoint_directory", "a URI such as file:///var/lib/flowmon/checkpoints"),
            section.duration("disorder_bound", Duration.ofSeconds(1)),
            section.duration("arrival_ahead", Settings.ARRIVAL_AHEAD),
            section.bool("bounded", false),
            section.integer("report_tasks", 1, 1 << 15, 1),
            new AnalysesBudget(
                section.number("groups", 1000, MOST, AnalysesBudget.DEFAULT.groups()),
                section.number("memory", 1 << 20, MOST, AnalysesBudget.DEFAULT.memory()),
                section.number("slots", 16, MOST, AnalysesBudget.DEFAULT.slots())));
    if (settings.parallelism() > settings.maxParallelism()) {
      throw section.error("parallelism", "is above max_parallelism, " + settings.maxParallelism());
    }
    if (settings.checkpointInterval().toMillis() < 10) {
      throw section.error("checkpoint_interval", "expected at least 10ms");
    }
    section.end();
    return settings;
  }
}

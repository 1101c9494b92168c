package org.flowmon.jobs.enrich;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.enrich.EnrichmentConfig.Source;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.query.Query;
import org.jspecify.annotations.Nullable;

/**
 * The tables of configured files. A file that changes is read again ({@link #refresh}); if that
 * fails its last version stays, and a line says so once. A lookup of this gives the newest version
 * at each evaluation, a {@link #pinned} one always the same.
 */
public final class EnrichmentFiles implements Enrichment {
  private static final int HASH_DIGITS = 12;

  /** Versions of one file that are remembered: of older ones nobody asks. */
  private static final int MAX_VERSIONS = 64;

  private final EnrichmentConfig config;
  private final Consumer<String> log;
  private final TableAssembly assembly = new TableAssembly();
  private final Map<Source, Loaded> loaded = new EnumMap<>(Source.class);
  private final Map<Table, Supplier<Lookup>> newest = new EnumMap<>(Table.class);
  private volatile Tables tables = new Tables(Map.of(), Map.of());

  private static final Seen UNREADABLE = new Seen(-1, Instant.EPOCH, null);

  /** What a file's attributes say: equal ones mean an unchanged file. */
  private record Seen(long size, Instant modified, @Nullable Object file) {}

  /** A version that was read, from a time of this process on. */
  private record Version(String text, Instant since) {}

  /** The state of one file. */
  private static final class Loaded {
    @Nullable Seen seen;
    @Nullable Object content; // of the last version that could be read
    boolean isRefusedWithOthers; // the last version: with others it may be usable
    boolean isToldOfMemory;
    volatile List<Version> versions = List.of(); // replaced as a whole: reports read it
  }

  /** One version of all tables. */
  private record Tables(Map<Table, Lookup> lookups, Map<Table, String> versions)
      implements Enrichment {
    @Override
    public Supplier<Lookup> lookup(Table table) {
      Lookup lookup = lookups.get(table);
      return lookup == null ? Enrichment.NONE.lookup(table) : lookup;
    }

    @Override
    public boolean completes(Table table) {
      return lookups.containsKey(table);
    }

    @Override
    public Optional<String> version(Table table) {
      return Optional.ofNullable(versions.get(table));
    }
  }

  /** Reads all files; {@code log} takes a line for each file that cannot be used or has changed. */
  public EnrichmentFiles(EnrichmentConfig config, Consumer<String> log) {
    this.config = config;
    this.log = log;
    for (Source source : config.files().keySet()) {
      loaded.put(source, new Loaded());
    }
    for (Table table : Table.values()) {
      Lookup otherwise = table.isOfStored() ? Lookup.STORED : Lookup.NONE;
      newest.put(
          table,
          () -> {
            Lookup lookup = tables.lookup(table).get();
            return lookup == Lookup.NONE ? otherwise : lookup;
          });
    }
    Optional<OutOfMemoryError> shortOf = refreshAll();
    if (shortOf.isPresent()) {
      throw shortOf.get();
    }
  }

  @Override
  public Supplier<Lookup> lookup(Table table) {
    return Objects.requireNonNull(newest.get(table));
  }

  @Override
  public boolean completes(Table table) {
    return config.files().containsKey(TableSources.main(table));
  }

  @Override
  public Optional<String> version(Table table) {
    return tables.version(table);
  }

  @Override
  public Enrichment pinned() {
    return tables;
  }

  /**
   * The versions of the files of some columns that were joined at some time since: more than one of
   * a file that has changed meanwhile.
   */
  public List<String> versionsSince(Instant time, Collection<EnrichedColumn> columns) {
    Set<String> all = new LinkedHashSet<>();
    for (Source source : Source.values()) {
      Loaded of = loaded.get(source);
      if (of == null
          || columns.stream().noneMatch(column -> TableSources.uses(column.table(), source))) {
        continue;
      }
      List<Version> versions = of.versions;
      for (int i = 0; i < versions.size(); i++) {
        boolean isLater = i + 1 < versions.size() && !versions.get(i + 1).since.isAfter(time);
        if (!isLater) {
          all.add(versions.get(i).text);
        }
      }
    }
    return List.copyOf(all);
  }

  /** The files that a query needs alone. */
  public static EnrichmentFiles of(Query query, EnrichmentConfig config, Consumer<String> log) {
    Set<EnrichedColumn> columns = columns(query, config);
    Map<Source, String> needed = new EnumMap<>(Source.class);
    config
        .files()
        .forEach(
            (source, file) -> {
              if (columns.stream().anyMatch(column -> TableSources.uses(column.table(), source))) {
                needed.put(source, file);
              }
            });
    return new EnrichmentFiles(new EnrichmentConfig(config.inside(), needed, config.reload()), log);
  }

  /** The enriched columns of a query, those that these files complete included. */
  public Set<EnrichedColumn> columns(Query query) {
    return columns(query, config);
  }

  private static Set<EnrichedColumn> columns(Query query, EnrichmentConfig config) {
    Set<EnrichedColumn> columns = new TreeSet<>();
    query
        .enriched(planned(config))
        .overFlows()
        .forEach(flows -> columns.addAll(flows.enrichedColumns()));
    return columns;
  }

  /** Says which files are configured, and reads none: for looking at queries. */
  public static Enrichment planned(EnrichmentConfig config) {
    return new Enrichment() {
      @Override
      public Supplier<Lookup> lookup(Table table) {
        return Lookup.NONE;
      }

      @Override
      public Optional<String> version(Table table) {
        return Optional.ofNullable(config.files().get(TableSources.main(table)));
      }
    };
  }

  /** The columns of a query that are NULL in all flows, as no file is configured for them. */
  public static Set<EnrichedColumn> missing(Query query, EnrichmentConfig config) {
    Set<EnrichedColumn> missing = columns(query, config);
    missing.removeIf(
        column -> {
          Source main = TableSources.main(column.table());
          boolean isKnown = main == Source.PORTS; // some names need no file
          boolean hasRules =
              !TableSources.isClass(column.table()) || config.files().containsKey(Source.CLASSES);
          return isKnown || (config.files().containsKey(main) && hasRules);
        });
    return missing;
  }

  /** The key of the file that a table is made of: of classes their rules, which names need. */
  public static String key(Table table) {
    return TableSources.isClass(table)
        ? Source.CLASSES.key() + " and enrichment." + TableSources.main(table).key()
        : TableSources.main(table).key();
  }

  /**
   * Reads the files that have changed, and those again that could not be used with the others as
   * these were, or for want of memory.
   */
  public synchronized void refresh() {
    var unused = refreshAll();
  }

  /** A file for which there is no memory is tried again at the next time. */
  private Optional<OutOfMemoryError> refreshAll() {
    Optional<OutOfMemoryError> shortOf = Optional.empty();
    boolean isAgain = true;
    while (isAgain) {
      isAgain = false;
      for (Map.Entry<Source, Loaded> one : loaded.entrySet()) {
        try {
          isAgain |= refresh(one.getKey(), one.getValue()) && askAgain(one.getKey());
        } catch (OutOfMemoryError e) {
          shortOf = Optional.of(e);
        }
      }
    }
    return shortOf;
  }

  /** Forgets that files were refused with another version of a file; whether there are any. */
  private boolean askAgain(Source changed) {
    if (!TableSources.isOfRules(changed)) {
      return false;
    }
    boolean isAny = false;
    for (Loaded of : loaded.values()) {
      if (of.isRefusedWithOthers) {
        of.isRefusedWithOthers = false;
        of.seen = null;
        isAny = true;
      }
    }
    return isAny;
  }

  /** Whether another version is used now. */
  private boolean refresh(Source source, Loaded of) {
    Path file = Path.of(config.files().getOrDefault(source, ""));
    boolean wasUnreadable = UNREADABLE.equals(of.seen);
    try {
      Seen now = seen(file);
      if (now.equals(of.seen)) {
        return false;
      }
      of.seen = now;
      of.isRefusedWithOthers = false;
      boolean isFirst = of.versions.isEmpty();
      String version = take(source, of, file, now);
      of.isToldOfMemory = false;
      if (!isFirst) {
        log.accept("enrichment: " + version + " is read again");
      }
      return true;
    } catch (IOException e) {
      if (!wasUnreadable) {
        log.accept(problem(source, file, of, e));
      }
      of.seen = UNREADABLE;
    } catch (EnrichmentException | ConfigException e) {
      log.accept(problem(source, file, of, e)); // once, as the file has been seen
    } catch (OutOfMemoryError e) {
      of.seen = null;
      if (!of.isToldOfMemory) {
        of.isToldOfMemory = true;
        log.accept(
            problem(source, file, of, new EnrichmentException("needs more memory than there is")));
      }
      throw e;
    }
    return false;
  }

  /** Uses a file's contents if the tables can be made with them. */
  private String take(Source source, Loaded of, Path file, Seen seen) throws IOException {
    byte[] bytes = bytes(file, source);
    Object read = content(source, file, bytes);
    Object before = of.content;
    Version version =
        new Version(version(source, file, time(seen, read), hash(bytes)), Instant.now());
    of.content = read instanceof Mmdb mmdb ? mmdb.table() : read;
    List<Version> older = of.versions;
    List<Version> all = new ArrayList<>(older);
    all.add(version);
    of.versions = List.copyOf(all.subList(Math.max(0, all.size() - MAX_VERSIONS), all.size()));
    try {
      tables = assembled();
    } catch (RuntimeException | OutOfMemoryError e) {
      of.content = before;
      of.versions = older;
      of.isRefusedWithOthers = e instanceof EnrichmentException;
      throw e;
    }
    return version.text;
  }

  private static String problem(Source source, Path file, Loaded of, Exception e) {
    String why =
        e instanceof NoSuchFileException
            ? file + ": there is no such file"
            : e instanceof IOException
                ? file + ": cannot be read (" + e + ")"
                : e instanceof ConfigException
                    ? String.valueOf(e.getMessage())
                    : file + ":" + (startsWithLine(e) ? "" : " ") + e.getMessage();
    return "enrichment."
        + source.key()
        + ": "
        + why
        + (of.versions.isEmpty()
            ? "; what it would give is NULL"
            : "; its version before is still used");
  }

  private static boolean startsWithLine(Exception e) {
    return String.valueOf(e.getMessage()).matches("(?s)[0-9]+: .*");
  }

  private static Seen seen(Path file) throws IOException {
    BasicFileAttributes of = Files.readAttributes(file, BasicFileAttributes.class);
    return new Seen(of.size(), of.lastModifiedTime().toInstant(), of.fileKey());
  }

  private static byte[] bytes(Path file, Source source) throws IOException {
    int most =
        switch (source) {
          case COUNTRY, CITY, AS -> MmdbFile.MAX_BYTES;
          case NETWORKS, EXPORTERS, INTERFACES, PORTS -> CsvFile.MAX_BYTES;
          case CLASSES, TRAFFIC -> 1 << 20;
        };
    long size = Files.size(file);
    if (!Files.isRegularFile(file)) {
      throw new EnrichmentException("is no regular file");
    } else if (size > most) {
      throw new EnrichmentException("has %,d bytes; expected at most %,d".formatted(size, most));
    }
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(most); // what is read while it grows does not parse, or is old
    }
  }

  /** A table with what the version says of it. */
  private record Mmdb(Object table, MmdbFile file) {}

  private Object content(Source source, Path file, byte[] bytes) {
    return switch (source) {
      case COUNTRY -> mmdb(bytes, MmdbTables::countries);
      case CITY -> mmdb(bytes, MmdbTables::cities);
      case AS -> mmdb(bytes, MmdbTables::systems);
      case NETWORKS -> NameTables.networks(bytes);
      case EXPORTERS -> NameTables.exporters(bytes);
      case INTERFACES -> NameTables.interfaces(bytes);
      case PORTS -> NameTables.ports(bytes);
      case CLASSES -> ClassRules.parse(file.toString(), new String(bytes, StandardCharsets.UTF_8));
      case TRAFFIC -> traffic(file, new String(bytes, StandardCharsets.UTF_8));
    };
  }

  private TrafficRules traffic(Path file, String text) {
    TrafficRules rules = TrafficRules.parse(file.toString(), text, config.inside());
    if (rules.needsClasses()
        && !config.files().keySet().containsAll(Set.of(Source.CLASSES, Source.INTERFACES))) {
      throw new EnrichmentException(
          "asks for classes of interfaces; expected enrichment.classes and enrichment.interfaces,"
              + " too");
    }
    return rules;
  }

  private static Mmdb mmdb(byte[] bytes, Function<MmdbFile, Object> table) {
    MmdbFile file = new MmdbFile(bytes);
    return new Mmdb(table.apply(file), file);
  }

  private static Instant time(Seen seen, Object content) {
    return content instanceof Mmdb read ? read.file().built() : seen.modified();
  }

  /** {@code city /var/lib/City.mmdb of 2026-11-20T00:00:00Z (sha256 0a1b2c3d4e5f)}. */
  private static String version(Source source, Path file, Instant time, String hash) {
    return "%s %s of %s (sha256 %s)"
        .formatted(source.key(), file, time.truncatedTo(ChronoUnit.SECONDS), hash);
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(hash).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  private Tables assembled() {
    Map<Source, Object> contents = new EnumMap<>(Source.class);
    loaded.forEach(
        (source, of) -> {
          if (of.content != null) {
            contents.put(source, of.content);
          }
        });
    Map<Table, Lookup> lookups = assembly.lookups(contents);
    Map<Table, String> versions = new EnumMap<>(Table.class);
    for (Table table : Table.values()) {
      List<String> all = new ArrayList<>();
      loaded.forEach(
          (source, of) -> {
            if (TableSources.uses(table, source) && !of.versions.isEmpty()) {
              all.add(of.versions.get(of.versions.size() - 1).text);
            }
          });
      if (!all.isEmpty()) {
        versions.put(table, String.join(", ", all));
      }
    }
    return new Tables(lookups, Map.copyOf(versions));
  }
}

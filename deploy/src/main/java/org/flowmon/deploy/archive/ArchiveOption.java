package org.flowmon.deploy.archive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Option;

/** {@code --archive DIR|URL} and its settings, shared by all commands on archives. */
public final class ArchiveOption {
  @Option(
      names = "--archive",
      required = true,
      paramLabel = "DIR",
      description = {
        "The archive's directory, or its URL: s3://BUCKET/PREFIX. Commands that answer from an"
            + " archive (query, report, host, seen, stats, exact, replay, serve) take several, as"
            + " if they were one."
      })
  private List<String> addresses;

  @Option(
      names = "--store",
      paramLabel = "KEY=VALUE",
      description =
          "A setting of the store that the URL names; docs/archive.md lists them. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  private boolean isNew;
  // What was in the directory of a new archive; empty if there was none.
  private Optional<Set<Path>> before = Optional.empty();

  ArchiveLocation location() {
    if (addresses.size() > 1) {
      throw new UsageException(
          "--archive is given " + addresses.size() + " times; this command takes one archive");
    }
    return locations().get(0);
  }

  public List<ArchiveLocation> locations() {
    boolean anyRemote = addresses.stream().anyMatch(a -> !parse(a, Map.of()).isLocal());
    return addresses.stream()
        // Beside remote archives a directory takes no settings; alone it may not be given any.
        .map(a -> parse(a, anyRemote && parse(a, Map.of()).isLocal() ? Map.of() : settings))
        .toList();
  }

  /** Another option's place, for which the store's settings are, too; a directory takes none. */
  public ArchiveLocation place(String option, String address) {
    ArchiveLocation plain = parse(option, address, Map.of());
    return plain.isLocal() ? plain : parse(option, address, settings);
  }

  private static ArchiveLocation parse(String address, Map<String, String> settings) {
    return parse("--archive", address, settings);
  }

  private static ArchiveLocation parse(
      String option, String address, Map<String, String> settings) {
    try {
      return ArchiveLocation.parse(address, settings);
    } catch (IllegalArgumentException e) {
      throw new UsageException(option + ": " + e.getMessage());
    }
  }

  /** The newest states of the archives, which must exist and are read as one. */
  public ArchiveSnapshots snapshots() throws IOException {
    return new ArchiveSnapshots(locations());
  }

  /** Opens the archive, which must exist. */
  public Archive open() throws IOException {
    return open(location());
  }

  public static Archive open(ArchiveLocation location) throws IOException {
    requireArchive(location);
    return Archive.open(location, ArchiveOptions.DEFAULTS);
  }

  /** The location of an existing archive, without opening it: it may be damaged. */
  public ArchiveLocation existing() throws IOException {
    ArchiveLocation location = location();
    requireArchive(location);
    return location;
  }

  /** The locations of existing archives, for reading them as one. */
  public List<ArchiveLocation> existingAll() throws IOException {
    List<ArchiveLocation> locations = locations();
    requireArchives(locations);
    return locations;
  }

  static void requireArchives(List<ArchiveLocation> locations) throws IOException {
    for (ArchiveLocation location : locations) {
      requireArchive(location);
    }
  }

  private static void requireArchive(ArchiveLocation location) throws IOException {
    if (!Archive.exists(location)) {
      throw new CommandException(
          "there is no archive at " + location + "; flowmon import or the job makes one");
    }
  }

  /** Opens the archive or creates it, which is reported: a mistyped name creates one, too. */
  Archive openOrCreate() throws IOException {
    ArchiveLocation location = location();
    isNew = !Archive.exists(location);
    if (location.isLocal() && Files.isDirectory(location.directory())) {
      before = Optional.of(parts(location.directory()));
    }
    Archive archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS);
    if (isNew) {
      System.out.println("there was no archive at " + location + ": a new one is made there");
    }
    return archive;
  }

  /** Whether {@link #openOrCreate} created it. */
  boolean isNew() {
    return isNew;
  }

  /**
   * Removes what {@link #openOrCreate} created and nothing was added to: an import that failed
   * leaves no archive that looks as if there had been no flows. A closed one in a directory; what
   * was there before stays.
   *
   * @return whether there is no archive any more
   */
  boolean removeUnused() throws IOException {
    if (!isNew || !location().isLocal()) {
      return false;
    }
    Path directory = location().directory();
    try (Stream<Path> segments = Files.list(directory.resolve(Archive.SEGMENTS))) {
      if (segments.findAny().isPresent()) {
        return false; // another process has begun to write
      }
    }
    for (Path part : parts(directory)) {
      if (!before.orElse(Set.of()).contains(part)) {
        remove(part);
      }
    }
    if (before.isEmpty()) {
      Files.delete(directory);
    }
    return true;
  }

  private static Set<Path> parts(Path directory) throws IOException {
    try (Stream<Path> parts = Files.list(directory)) {
      return parts.collect(Collectors.toSet());
    }
  }

  private static void remove(Path part) throws IOException {
    try (Stream<Path> below = Files.walk(part)) {
      for (Path file : below.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}

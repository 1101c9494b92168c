package org.flowmon.jobs.analysis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.Names;
import org.flowmon.jobs.config.YamlDocument;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.udaf.text.TimeLiterals;

/**
 * An analysis's file merged with what it extends: a bundled analysis by its name, or a file beside
 * it. The name of an analysis is its own; all else is merged as {@link YamlDocument#over} says.
 */
final class ExtendedFile {
  static final String EXTENDS = "extends";
  static final String VARIABLES = "variables";

  private static final int MAX_FILES = 10;

  /** For a window that is wrong, which is reported later. */
  private static final Duration ANY_WINDOW = Duration.ofSeconds(10);

  private ExtendedFile() {}

  /** Also with the networks of one's own, if they are configured. */
  static YamlDocument read(Path file, EnrichmentConfig enrichment) {
    YamlDocument document = YamlFile.readDocument(file);
    return own(merged(document, Optional.of(file), new ArrayList<>()), enrichment);
  }

  /** Reads a text without a folder: it may extend bundled analyses alone. */
  static YamlDocument parse(String file, String text, EnrichmentConfig enrichment) {
    YamlDocument document = YamlFile.parseDocument(file, text);
    return own(merged(document, Optional.empty(), new ArrayList<>()), enrichment);
  }

  static YamlDocument parse(String file, String text) {
    return parse(file, text, EnrichmentConfig.NONE);
  }

  private static YamlDocument own(YamlDocument merged, EnrichmentConfig enrichment) {
    return enrichment.inside().isEmpty() ? merged : merged.over(OwnNetworks.of(enrichment));
  }

  /** Returns the keys of a merged file, with its variables' values. */
  static YamlSection section(YamlDocument file) {
    YamlDocument merged = file.over(OwnNetworks.of(EnrichmentConfig.NONE));
    YamlDocument windows = merged.interpolated(VARIABLES, "live", Set.of("window", "slide"));
    Map<String, String> given =
        Map.of("window", interval(windows, "window"), "slide", interval(windows, "slide"));
    return merged.interpolated(VARIABLES, given).section();
  }

  private static YamlDocument merged(
      YamlDocument document, Optional<Path> file, List<String> chain) {
    Optional<String> base = document.text(EXTENDS, "the analysis that this one extends");
    chain.add(document.file());
    if (base.isEmpty()) {
      return document.without(Set.of(EXTENDS));
    }
    YamlDocument own = document.without(Set.of(EXTENDS));
    boolean isFile = base.get().endsWith(".yaml") || base.get().endsWith(".yml");
    Optional<Path> path =
        isFile ? Optional.of(beside(document, file, base.get())) : Optional.empty();
    if (!isFile) {
      requireBuiltIn(document, base.get());
    }
    String name = path.map(Path::toString).orElseGet(() -> label(base.get()));
    if (chain.contains(name)) {
      throw error(
          document, "expected no circle, found " + String.join(" → ", chain) + " → " + name);
    }
    if (chain.size() >= MAX_FILES) {
      throw error(
          document, "expected at most " + MAX_FILES + " files, each of which extends the next");
    }
    YamlDocument below =
        path.map(YamlFile::readDocument)
            .orElseGet(() -> YamlFile.parseDocument(name, AnalysisConfig.textOf(base.get())));
    return own.over(merged(below, path, chain).without(Set.of("name")));
  }

  private static Path beside(YamlDocument document, Optional<Path> file, String base) {
    if (file.isEmpty()) {
      throw error(
          document,
          "expected an analysis that comes with flowmon, as this text is in no folder; found '"
              + base
              + "'");
    }
    Path path = file.get().resolveSibling(base).normalize();
    if (!Files.exists(path)) {
      throw error(document, "expected a file, found none at " + path);
    }
    return path;
  }

  /** The name in errors of a file that comes with flowmon. */
  static String label(String name) {
    return "bundled " + name + ".yaml";
  }

  private static void requireBuiltIn(YamlDocument document, String name) {
    List<String> known = AnalysisConfig.names();
    if (!known.contains(name)) {
      throw error(
          document,
          "expected a file such as other.yaml or one of the analyses that come with flowmon, %s; found '%s'%s"
              .formatted(known, name, Names.didYouMean(name, known)));
    }
  }

  private static ConfigException error(YamlDocument document, String message) {
    return document.section().error(EXTENDS, message);
  }

  private static String interval(YamlDocument windows, String key) {
    Duration length;
    try {
      YamlSection live = windows.section().section("live");
      Duration window = live.duration("window");
      length = key.equals("window") ? window : live.duration(key, window);
    } catch (ConfigException e) {
      length = ANY_WINDOW;
    }
    return TimeLiterals.interval(length.toNanos() / 1000);
  }
}

package org.flowmon.deploy.kafka;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.decode.exporter.ExporterRules;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;
import picocli.CommandLine.Option;

/**
 * Which exporters may send, and the sampling rates of some: options, and a file that may change.
 */
final class RulesOption {
  @Option(
      names = "--exporters",
      paramLabel = "NETWORK",
      split = ",",
      description =
          "An address or network whose exports are taken; others are counted and dropped. May be"
              + " repeated; without it all are taken.")
  private List<String> exporters = List.of();

  @Option(
      names = "--sampling",
      paramLabel = "EXPORTER[@INTERFACE]=RATE",
      split = ",",
      description =
          "One packet of so many is sampled there, whatever the exports say: of the exporter, or of"
              + " flows that came in through an interface (its index). May be repeated.")
  private List<String> sampling = List.of();

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "Further exporters and sampling rates in YAML (exporters: [NETWORK], sampling:"
              + " [EXPORTER=RATE]), read again when it changes.")
  private Optional<Path> file = Optional.empty();

  /** Rules with their texts. */
  record Rules(ExporterRules rules, Set<String> exporters, Set<String> sampling) {
    /** What is new and what is gone. */
    String changesSince(Rules before) {
      List<String> changes = new ArrayList<>();
      add(changes, "exporters", before.exporters, exporters);
      add(changes, "sampling", before.sampling, sampling);
      return changes.isEmpty() ? "nothing has changed" : String.join("; ", changes);
    }

    private static void add(
        List<String> changes, String what, Set<String> before, Set<String> now) {
      Set<String> added = new TreeSet<>(now);
      added.removeAll(before);
      Set<String> gone = new TreeSet<>(before);
      gone.removeAll(now);
      if (!added.isEmpty()) {
        changes.add(what + " added: " + String.join(", ", added));
      }
      if (!gone.isEmpty()) {
        changes.add(what + " removed: " + String.join(", ", gone));
      }
    }
  }

  Optional<Path> file() {
    return file;
  }

  /**
   * Throws {@link UsageException} if an option is wrong, {@link CommandException} if the file is.
   */
  Rules read() {
    try {
      ExporterRules.parse(exporters, sampling);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--exporters, --sampling: " + e.getMessage());
    }
    List<String> allExporters = new ArrayList<>(exporters);
    List<String> allSampling = new ArrayList<>(sampling);
    try {
      if (file.isPresent()) {
        YamlSection more = YamlFile.read(file.get());
        List<String> allowed = more.words("exporters");
        if (allowed.isEmpty() && more.keys().contains("exporters")) {
          throw more.error("exporters", "is empty; leave it out to take exports of everyone");
        }
        allExporters.addAll(allowed);
        allSampling.addAll(more.words("sampling"));
        more.end();
      }
      return new Rules(
          ExporterRules.parse(allExporters, allSampling),
          new TreeSet<>(allExporters),
          new TreeSet<>(allSampling));
    } catch (ConfigException e) {
      throw new CommandException("--rules: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "--rules " + file.map(Path::toString).orElse("") + ": " + e.getMessage());
    }
  }
}

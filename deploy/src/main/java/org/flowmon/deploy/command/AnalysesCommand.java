package org.flowmon.deploy.command;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.config.AnalysisChange;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.JobConfig;
import org.flowmon.jobs.control.ControlTopic;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code flowmon analyses}: the files that say what is analysed. */
@Command(
    name = "analyses",
    mixinStandardHelpOptions = true,
    description = {
      "Lists analyses, shows the files that come along, checks files; adds analyses to a running"
          + " job, changes and removes them."
    },
    subcommands = {
      AnalysesCommand.ListThem.class,
      AnalysesCommand.Show.class,
      AnalysesCommand.Check.class,
      AnalysesChangeCommands.Add.class,
      AnalysesChangeCommands.Remove.class
    })
public final class AnalysesCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() {
    throw new UsageException("analyses: expected one of " + spec.subcommands().keySet());
  }

  /** {@code flowmon analyses list}. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description =
          "Lists the analyses of a folder or, without one, those that come along: which of them run"
              + " where no folder is named, windows, history, logic and sinks. With --config or"
              + " --kafka those of a job: of its folder, and as the topic of analyses says since.")
  static final class ListThem implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "FOLDER", description = "Files NAME.yaml.")
    private Path folder;

    @CommandLine.Mixin private AnalysesTopicOptions job;

    @Override
    public Integer call() {
      if (job.isGiven()) {
        return ofJob();
      }
      heading();
      if (folder != null) {
        try {
          AnalysisConfig.readFolder(folder).forEach(one -> line(one, "yes"));
        } catch (ConfigException e) {
          throw new CommandException(e.getMessage());
        }
        return ExitCodes.DONE;
      }
      AnalysisConfig.bundled().forEach(one -> line(one, "by default"));
      AnalysisConfig.offered().forEach(one -> line(one, "if copied"));
      return ExitCodes.DONE;
    }

    private Integer ofJob() {
      if (folder != null) {
        throw new UsageException("analyses list: a folder or a job, not both");
      }
      JobConfig.Kafka kafka = job.kafka();
      AnalysisSet set = new AnalysisSet(job.started());
      ControlTopic topic = new ControlTopic(kafka);
      topic.createIfMissing();
      for (AnalysisChange change : topic.read().changes()) {
        try {
          FlowmonJob.check(change.config() == null ? List.of() : List.of(change.config()));
          set.apply(change);
        } catch (ConfigException e) {
          System.err.println("refused by every job: " + e.getMessage());
        }
      }
      heading();
      set.running().forEach(one -> line(one, set.change(one.name()) == null ? "yes" : "added"));
      return ExitCodes.DONE;
    }

    private static void heading() {
      System.out.printf(
          "%-20s %-8s %-8s %-8s %-10s %-14s %s%n",
          "analysis", "window", "slide", "history", "runs", "logic", "sinks");
    }

    private static void line(AnalysisConfig one, String runs) {
      System.out.printf(
          "%-20s %-8s %-8s %-8s %-10s %-14s %s%n",
          one.name(),
          text(one.live().window()),
          text(one.live().slide()),
          one.history() == null ? "no" : "yes",
          runs,
          one.report().logic(),
          String.join(", ", one.sinks()));
    }

    /** As files write it. */
    private static String text(Duration duration) {
      long millis = duration.toMillis();
      return millis % 3_600_000 == 0
          ? millis / 3_600_000 + "h"
          : millis % 60_000 == 0
              ? millis / 60_000 + "m"
              : millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }
  }

  /** {@code flowmon analyses show}. */
  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = "Prints the file of an analysis that comes along, to be copied and changed.",
      footer = {"", "Example:", "  flowmon analyses show mice > analyses/mice.yaml"})
  static final class Show implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "As flowmon analyses list names it.")
    private String name;

    @Override
    public Integer call() {
      try {
        System.out.print(AnalysisConfig.textOf(name));
      } catch (ConfigException e) {
        throw new UsageException(e.getMessage());
      }
      return ExitCodes.DONE;
    }
  }

  /** {@code flowmon analyses check}. */
  @Command(
      name = "check",
      mixinStandardHelpOptions = true,
      description = {
        "Checks files of analyses, and all of a folder: keys, queries, windows, whether each fits"
            + " the logic of its reports, names that are given twice.",
        "Says what is wrong with each file; the exit code is 1 where something is."
      })
  static final class Check implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "FILE|FOLDER", description = "What is checked.")
    private List<Path> paths;

    @Override
    public Integer call() throws IOException {
      Map<String, Path> names = new HashMap<>();
      int wrong = 0;
      for (Path file : files()) {
        try {
          AnalysisConfig analysis = AnalysisConfig.read(file);
          FlowmonJob.check(List.of(analysis));
          Path other = names.putIfAbsent(analysis.name(), file);
          if (other != null) {
            throw new ConfigException(
                file + ": name: '" + analysis.name() + "' is already defined in " + other);
          }
          System.out.println(file + ": " + analysis.name() + " is right");
        } catch (ConfigException e) {
          wrong++;
          System.out.println(located(file, e.getMessage()));
        }
      }
      return wrong == 0 ? ExitCodes.DONE : ExitCodes.NO;
    }

    /** What is said of no line in particular is said of the file. */
    private static String located(Path file, String message) {
      return message.startsWith(file.toString()) ? message : file + ": " + message;
    }

    private List<Path> files() throws IOException {
      List<Path> files = new ArrayList<>();
      for (Path path : paths) {
        if (!Files.isDirectory(path)) {
          files.add(path);
          continue;
        }
        List<Path> ofFolder = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(path, "*.{yaml,yml}")) {
          found.forEach(ofFolder::add);
        }
        Collections.sort(ofFolder);
        if (ofFolder.isEmpty()) {
          throw new CommandException(path + ": no file NAME.yaml is there");
        }
        files.addAll(ofFolder);
      }
      return files;
    }
  }
}

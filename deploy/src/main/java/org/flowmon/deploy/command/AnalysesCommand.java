package org.flowmon.deploy.command;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
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
      AnalysesListCommand.class,
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

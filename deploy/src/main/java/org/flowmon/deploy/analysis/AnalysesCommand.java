package org.flowmon.deploy.analysis;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlFile;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon analyses}: the files that define analyses. */
@Command(
    name = "analyses",
    mixinStandardHelpOptions = true,
    description = {
      "Lists analyses, shows the built-in files, checks files; adds analyses to a running"
          + " job, changes and removes them."
    },
    subcommands = {
      AnalysesListCommand.class,
      AnalysesCommand.Show.class,
      AnalysesCheckCommand.class,
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
      description = "Prints the file of a built-in analysis, to be copied and changed.",
      footer = {
        "",
        "Examples:",
        "  flowmon analyses show mice > analyses/mice.yaml",
        "  flowmon analyses show --whole analyses/scans_at_night.yaml"
      })
  static final class Show implements Callable<Integer> {
    @Parameters(
        paramLabel = "NAME|FILE",
        description = "As flowmon analyses list names it, or a file that ends in .yaml.")
    private String name;

    @Option(names = "--whole", description = "Merges it with what it extends.")
    private boolean whole;

    @Override
    public Integer call() {
      try {
        System.out.print(text());
      } catch (ConfigException e) {
        throw new UsageException(e.getMessage());
      }
      return ExitCodes.DONE;
    }

    private String text() {
      if (name.endsWith(".yaml") || name.endsWith(".yml")) {
        Path file = Path.of(name);
        return whole ? AnalysisConfig.wholeTextOf(file) : YamlFile.text(file);
      }
      return whole ? AnalysisConfig.wholeTextOf(name) : AnalysisConfig.textOf(name);
    }
  }
}

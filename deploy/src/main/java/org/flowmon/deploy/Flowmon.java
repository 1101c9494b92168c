package org.flowmon.deploy;

import org.flowmon.deploy.bench.BenchCommand;
import org.flowmon.deploy.command.CollectCommand;
import org.flowmon.deploy.command.DemoCommand;
import org.flowmon.deploy.command.Failures;
import org.flowmon.deploy.command.ImportCommand;
import org.flowmon.deploy.command.QueryCommand;
import org.flowmon.deploy.command.VerifyCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The {@code flowmon} command. Each subcommand is one class of {@code org.flowmon.deploy.command},
 * named in the annotation.
 */
@Command(
    name = "flowmon",
    mixinStandardHelpOptions = true,
    versionProvider = FlowmonVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Network flow monitoring: live queries on a stream of flows, each with its exact history.",
    footer = {
      "",
      "The launcher ./flowmon has two commands of its own:",
      "  build  builds everything, the job for a Flink cluster too",
      "  test   builds and runs every test; further arguments go to Maven"
    },
    subcommands = {
      CollectCommand.class,
      ImportCommand.class,
      DemoCommand.class,
      QueryCommand.class,
      VerifyCommand.class,
      BenchCommand.class,
      CommandLine.HelpCommand.class
    })
public final class Flowmon implements Runnable {
  @Spec private CommandSpec spec;

  private Flowmon() {}

  /** Runs one command and exits: 0 done, 1 failed, 2 misused. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command line with all subcommands, for {@link #main} and for tests. */
  public static CommandLine commandLine() {
    return new CommandLine(new Flowmon())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(new Failures());
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing a command");
  }
}

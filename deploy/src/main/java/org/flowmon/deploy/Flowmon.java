package org.flowmon.deploy;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.CommandLineErrors;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.FailureHandler;
import org.flowmon.deploy.command.FlowmonVersion;
import org.flowmon.deploy.command.LogFile;
import org.flowmon.deploy.command.StopNotice;
import org.flowmon.deploy.terminal.TerminalStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The {@code flowmon} command; each subcommand's class is in the package of its subject. */
@Command(
    name = "flowmon",
    mixinStandardHelpOptions = true,
    versionProvider = FlowmonVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Network flow monitoring: live queries on a stream of flows, each with its exact history.",
    footer = {
      "",
      "The launcher ./flowmon of a checkout has six commands of its own:",
      "  build          builds everything, the job for a Flink cluster too",
      "  dist           builds a distribution, which runs wherever it is unpacked",
      "  test           builds and runs every test; further arguments go to Maven",
      "  run FILE.java  compiles and runs one file with flowmon's classes (docs/api.md)",
      "  bench BENCH    measures how fast a part is on this machine",
      "  fuzz TARGET    looks for inputs that break a reader"
    })
public final class Flowmon implements Callable<Integer> {
  @Spec private CommandSpec spec;

  private Flowmon() {}

  /** Runs one command and exits: see {@link org.flowmon.deploy.command.ExitCodes}. */
  public static void main(String[] args) {
    try {
      LogFile.begin(args.length == 0 ? "" : args[0], System.getenv(LogFile.FOLDER));
    } catch (CommandException e) {
      System.err.println("flowmon: " + e.getMessage());
      System.exit(ExitCodes.FAILED);
    }
    run(new Flowmon(), name(args), args);
  }

  /** Runs a picocli command and exits; errors and signals are reported alike for all commands. */
  public static void run(Object command, String name, String... args) {
    PrintStream out = System.out;
    TerminalStream.install();
    FailureHandler failures = new FailureHandler(new CommandLineErrors());
    failures.watchThreads(name);
    StopNotice notice = StopNotice.install(name, failures::isEnding);
    int code = ExitCodes.ABORTED;
    try {
      code =
          failures.exitCode(commandLine(command, failures, args).setOut(writer(out)).execute(args));
    } catch (Throwable e) {
      FailureHandler.abort(); // not even the report of the failure worked
    }
    if (notice.remove()) {
      System.exit(code);
    } // otherwise a signal ends the process and determines its code
  }

  /** A writer for help and the version, which print nothing else: it may have colours. */
  private static PrintWriter writer(PrintStream out) {
    return new PrintWriter(out, true, StandardCharsets.UTF_8);
  }

  private static String name(String[] args) {
    return args.length == 0 || args[0].startsWith("-") ? "flowmon" : "flowmon " + args[0];
  }

  /** The command line with all subcommands of {@link #main}, for tests. */
  public static CommandLine commandLine() {
    return commandLine(new Flowmon());
  }

  public static CommandLine commandLine(Object command) {
    return commandLine(command, new FailureHandler(new CommandLineErrors()));
  }

  private static CommandLine commandLine(Object command, FailureHandler failures, String... args) {
    CommandLine line = new CommandLine(command);
    if (command instanceof Flowmon) {
      Subcommands.add(line, args);
    }
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionStrategy(failures)
        .setParameterExceptionHandler(new CommandLineErrors())
        .setExecutionExceptionHandler(failures);
  }

  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    command.getErr().println("flowmon: expected a command");
    command.usage(command.getErr(), CommandLine.Help.Ansi.OFF);
    return ExitCodes.USAGE;
  }
}

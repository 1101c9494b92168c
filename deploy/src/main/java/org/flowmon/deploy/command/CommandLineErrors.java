package org.flowmon.deploy.command;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.flowmon.ingest.text.ShownText;
import org.flowmon.udaf.text.NameSuggestions;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reports an error of a command line in one line, with the nearest existing name and the place to
 * read on; the whole usage would hide it. Exit code 2.
 */
public final class CommandLineErrors implements IParameterExceptionHandler, IExecutionStrategy {
  /** Checks unknown arguments first: {@code --help} hides them, and may be another command's. */
  @Override
  public int execute(ParseResult parsed) {
    for (ParseResult at = parsed; at != null; at = at.hasSubcommand() ? at.subcommand() : null) {
      if (!at.unmatched().isEmpty()) {
        CommandLine command = at.commandSpec().commandLine();
        throw new UnmatchedArgumentException(command, new ArrayList<>(at.unmatched()));
      }
    }
    return new RunLast().execute(parsed);
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    PrintWriter err = command.getErr();
    err.println(name + ": " + ShownText.of(message(e, command)));
    err.println("Try: " + name + " --help");
    err.flush();
    return ExitCodes.USAGE;
  }

  private static String message(ParameterException e, CommandLine command) {
    List<String> unmatched =
        e instanceof UnmatchedArgumentException unknown
            ? unknown.getUnmatched()
            : command.getUnmatchedArguments();
    // A mistyped option also leaves a required one missing: report its name.
    if (!unmatched.isEmpty()
        && (e instanceof UnmatchedArgumentException || e instanceof MissingParameterException)) {
      String first = unmatched.get(0);
      if (first.startsWith("-")) {
        String option = first.contains("=") ? first.substring(0, first.indexOf('=')) : first;
        return "unknown option '"
            + option
            + "'"
            + suggestion(option, command.getCommandSpec().optionsMap().keySet());
      } else if (!command.getSubcommands().isEmpty()) {
        return "unknown command '" + first + "'" + suggestion(first, commands(command));
      } else if (e instanceof UnmatchedArgumentException) {
        return "unexpected argument '" + first + "'";
      }
    }
    String message = String.valueOf(e.getMessage());
    return Character.toLowerCase(message.charAt(0)) + message.substring(1);
  }

  private static Collection<String> commands(CommandLine command) {
    return command.getSubcommands().keySet();
  }

  private static String suggestion(String name, Collection<String> known) {
    String nearest = NameSuggestions.nearest(name, known);
    return nearest == null ? "" : "; did you mean '" + nearest + "'?";
  }
}

package org.flowmon.deploy.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.query.PlaceOptions;
import org.flowmon.deploy.query.QueryPlace;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon shell}: many queries, without starting anew for each. */
@Command(
    name = "shell",
    mixinStandardHelpOptions = true,
    description = {
      "Answers queries that are typed, each ended by ';', with history and completion (Tab). The"
          + " archive is opened once. Ctrl-C ends the query that runs; .help lists commands.",
      "If standard input or output is no terminal, the queries are those of standard input; the"
          + " first that fails ends the shell with its exit code."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon shell --archive ./archive",
      "  flowmon shell --server http://127.0.0.1:8060",
      "  flowmon shell --archive ./archive --format csv < queries.sql"
    })
public final class ShellCommand implements Callable<Integer> {
  @Mixin private PlaceOptions places;

  @Option(
      names = "--format",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}. .format changes it.")
  private OutputFormat format;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = "Where what was typed is kept, for its user alone; default ~/.flowmon_history.")
  private Optional<Path> history = Optional.empty();

  @Option(names = "--no-history", description = "Keep nothing of what was typed.")
  private boolean noHistory;

  @Override
  public Integer call() throws IOException {
    places.check();
    try (QueryPlace asked = places.open(true)) {
      boolean isTyped =
          Boolean.getBoolean("flowmon.terminal.in") && Boolean.getBoolean("flowmon.terminal.out");
      return isTyped ? typed(asked) : script(asked, System.in);
    }
  }

  private int typed(QueryPlace asked) throws IOException {
    try (Terminal terminal =
        TerminalBuilder.builder().name("flowmon").system(true).dumb(true).build()) {
      Shell shell = new Shell(asked, "error", format, System.out, System.err);
      System.out.println("asking " + asked.name() + "; .help lists commands, .quit ends");
      return new ShellEditor(terminal, shell, kept()).run();
    }
  }

  private Optional<Path> kept() {
    return noHistory
        ? Optional.empty()
        : history.or(
            () -> Optional.of(Path.of(System.getProperty("user.home"), ".flowmon_history")));
  }

  private int script(QueryPlace asked, InputStream in) throws IOException {
    Shell shell = new Shell(asked, "flowmon shell", format, System.out, System.err);
    Statements statements = new Statements();
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      statements.add(line);
      for (var next = statements.next(); next.isPresent(); next = statements.next()) {
        int code = shell.run(next.get());
        if (code != ExitCodes.DONE || shell.isEnded()) {
          return code;
        }
      }
    }
    Optional<Statements.Statement> rest = statements.rest();
    return rest.isPresent() ? shell.run(rest.get()) : ExitCodes.DONE;
  }
}

package org.flowmon.deploy.shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;

/** The shell at a terminal: an editor for lines with history and completion. */
final class ShellEditor {
  private static final String PROMPT = "flowmon> ";
  private static final String MORE = "    ...> ";
  private static final int REMEMBERED = 5000;

  private final Terminal terminal;
  private final Shell shell;
  private final LineReader reader;

  /** {@code history}: a file that only its user can read; empty: none is kept. */
  ShellEditor(Terminal terminal, Shell shell, Optional<Path> history) {
    this.terminal = terminal;
    this.shell = shell;
    ShellParser parser = new ShellParser();
    LineReaderBuilder builder =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .parser(parser)
            .completer(parser)
            .variable(LineReader.SECONDARY_PROMPT_PATTERN, MORE)
            .variable(LineReader.HISTORY_SIZE, REMEMBERED)
            .variable(LineReader.HISTORY_FILE_SIZE, REMEMBERED)
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
            .option(LineReader.Option.CASE_INSENSITIVE, true)
            .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
            .option(LineReader.Option.BRACKETED_PASTE, true)
            .option(LineReader.Option.HISTORY_TIMESTAMPED, false);
    history.ifPresent(file -> builder.variable(LineReader.HISTORY_FILE, kept(file)));
    this.reader = builder.build();
  }

  /** Makes the file, or takes the rights of others away. */
  private static Path kept(Path file) {
    try {
      if (Files.notExists(file)) {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      } else {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      }
      return file;
    } catch (IOException | UnsupportedOperationException e) {
      throw new CommandException(
          "--history " + file + " cannot be kept for its user alone: " + e + "; --no-history");
    }
  }

  /** Until {@code .quit} or Ctrl-D. What failed was told: the code is that of success. */
  int run() {
    Terminal.SignalHandler before = terminal.handle(Terminal.Signal.INT, any -> shell.cancel());
    try {
      while (!shell.isEnded()) {
        read();
      }
    } catch (EndOfFileException e) {
      // Ctrl-D
    } finally {
      terminal.handle(Terminal.Signal.INT, before);
    }
    return ExitCodes.DONE;
  }

  private void read() {
    Statements statements = new Statements();
    try {
      statements.add(reader.readLine(PROMPT));
    } catch (UserInterruptException e) {
      return; // Ctrl-C drops what was typed
    }
    Optional<Statements.Statement> next = statements.next();
    while (next.isPresent() && !shell.isEnded()) {
      int code = shell.run(next.get());
      if (code != ExitCodes.DONE) {
        return; // those that follow may build on it
      }
      next = statements.next();
    }
  }
}

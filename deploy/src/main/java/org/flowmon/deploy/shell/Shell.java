package org.flowmon.deploy.shell;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Failure;
import org.flowmon.deploy.output.ClosedOutputException;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.query.PrintedQuery;
import org.flowmon.deploy.query.QueryPlace;

/** Runs statements one after the other; what one sets holds for those that follow. */
final class Shell implements PrintedQuery.Output {
  /** 128 + SIGINT, as for a program that Ctrl-C ends. */
  static final int CANCELLED = 130;

  private final QueryPlace place;
  private final String who;
  private final PrintStream out;
  private final PrintStream err;
  private PrintWriter rows;
  private final DotCommands commands = new DotCommands(this);
  final List<String> parameters = new ArrayList<>();
  private OutputFormat format;
  boolean isExplained;
  private boolean isEnded;
  private volatile boolean isRunning;
  private volatile boolean isCancelled;

  /** {@code who} stands before errors. */
  Shell(QueryPlace place, String who, OutputFormat format, PrintStream out, PrintStream err) {
    this.place = place;
    this.who = who;
    this.out = out;
    this.err = err;
    this.format = format;
    this.rows = writer();
  }

  private PrintWriter writer() {
    return new PrintWriter(format.stream(out), false, StandardCharsets.UTF_8);
  }

  String placeName() {
    return place.name();
  }

  OutputFormat format() {
    return format;
  }

  void format(OutputFormat next) {
    format = next;
    rows = writer();
  }

  /** A line of a command's answer, on standard output. */
  void say(String line) {
    out.println(line);
  }

  void end() {
    isEnded = true;
  }

  /** Whether {@code .quit} was run, or nobody reads the output any more. */
  boolean isEnded() {
    return isEnded;
  }

  /** Runs a statement and tells what fails; returns an exit code. */
  int run(Statements.Statement statement) {
    isCancelled = false;
    isRunning = true;
    try {
      if (statement.isCommand()) {
        commands.run(statement.stripped());
      } else {
        PrintedQuery query =
            PrintedQuery.of(statement.text(), isExplained, used(statement), format, false);
        place.print(query, this);
      }
      return ExitCodes.DONE;
    } catch (ClosedOutputException e) {
      isEnded = true;
      return ExitCodes.OUTPUT_CLOSED;
    } catch (IOException | RuntimeException | Error e) {
      rows.flush();
      if (isCancelled || e instanceof QueryCancelledException) {
        err.println("cancelled");
        return CANCELLED;
      }
      Failure failure = Failure.of(e);
      failure.print(who, new PrintWriter(err, true, StandardCharsets.UTF_8));
      return failure.code();
    } finally {
      isRunning = false;
    }
  }

  /** The parameters that a query has: others belong to queries before and after it. */
  private List<String> used(Statements.Statement statement) {
    return parameters.stream()
        .filter(one -> statement.text().matches("(?s).*:" + DotCommands.name(one) + "\\b.*"))
        .toList();
  }

  /** Ends the query that runs, from another thread. */
  void cancel() {
    if (isRunning) {
      isCancelled = true;
      place.cancel();
    }
  }

  @Override
  public PrintWriter rows() {
    return rows;
  }

  @Override
  public void note(String line) {
    err.println(line);
  }

  @Override
  public void confidence(List<String> lines, Facts facts) {
    lines.forEach(err::println);
  }
}

package org.flowmon.deploy.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import org.flowmon.archive.manifest.CommitRefusedException;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.query.ByteLimitException;
import org.flowmon.archive.query.QueryCancelledException;
import org.flowmon.archive.query.QueryTimeoutException;
import org.flowmon.archive.query.RowLimitException;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.deploy.embedded.EmbeddedServiceException;
import org.flowmon.ingest.text.ShownText;
import org.flowmon.udaf.query.AnswerTooLargeException;
import org.flowmon.udaf.query.QueryException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Says in one line what went wrong. What a person can mend is a message without a stack trace;
 * anything else is a defect of flowmon and shows its trace. Exit code 3; 2 where the command line
 * is to be changed.
 */
public final class Failures implements IExecutionExceptionHandler {
  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    Throwable cause = e instanceof UncheckedIOException ? e.getCause() : e;
    if (cause instanceof InterruptedCommandException) {
      return ExitCodes.FAILED;
    }
    String name = command.getCommandSpec().qualifiedName();
    if (isExpected(cause)) {
      err.println(name + ": " + ShownText.of(message(cause)));
      if (cause instanceof UsageException misuse) {
        err.println(misuse.hint() == null ? "Try: " + name + " --help" : misuse.hint());
      }
    } else {
      err.println(name + ": " + ShownText.of(cause.toString()) + " (a defect of flowmon: please report it)");
      cause.printStackTrace(err);
    }
    err.flush();
    return cause instanceof UsageException || cause instanceof QueryException
        ? ExitCodes.USAGE
        : ExitCodes.FAILED;
  }

  private static boolean isExpected(Throwable e) {
    return e instanceof CommandException
        || e instanceof QueryException
        || e instanceof QueryTimeoutException
        || e instanceof QueryCancelledException
        || e instanceof AnswerTooLargeException
        || e instanceof RowLimitException
        || e instanceof ByteLimitException
        || e instanceof SegmentCorruptException
        || e instanceof ManifestCorruptException
        || e instanceof CommitRefusedException
        || e instanceof EmbeddedServiceException
        || e instanceof IOException;
  }

  static String message(Throwable e) {
    if (e instanceof NoSuchFileException missing) {
      return "no such file: " + missing.getFile();
    }
    if (e instanceof FileAlreadyExistsException there) {
      return "exists already: " + there.getFile();
    }
    return e.getMessage();
  }
}

package org.flowmon.deploy.command;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.ParseResult;

/**
 * Turns all exceptions and errors of all threads into a line and an exit code ({@link Failure}).
 *
 * <p>{@code -XX:+ExitOnOutOfMemoryError} is not used: the JVM would end silently with code 3 and
 * leave truncated files, and an import would skip the following files.
 */
public final class FailureHandler
    implements IExecutionExceptionHandler, IExecutionStrategy, Thread.UncaughtExceptionHandler {
  private static final long SECONDS_TO_END = 90;

  /** Made in advance: later there may be no memory for it. */
  private static final byte[] LAST_WORDS =
      ("flowmon: there is no memory left, not even to say for what;"
              + " FLOWMON_JAVA_OPTS=-Xmx4g gives more\n")
          .getBytes(StandardCharsets.US_ASCII);

  private final IExecutionStrategy commands;
  private final AtomicBoolean threadFailed = new AtomicBoolean();
  private final AtomicBoolean ending = new AtomicBoolean();
  private volatile String name = "flowmon";

  /** Wraps all commands: errors of {@code commands} come here. */
  public FailureHandler(IExecutionStrategy commands) {
    this.commands = commands;
  }

  /** Handles threads' uncaught errors from now on; {@code command} is for messages. */
  public void watchThreads(String command) {
    name = command;
    Thread.setDefaultUncaughtExceptionHandler(this);
  }

  /** Never success if a thread failed. */
  public int exitCode(int code) {
    return code == ExitCodes.DONE && threadFailed.get() ? ExitCodes.ABORTED : code;
  }

  /** Whether an error of a thread, rather than a signal, ends the process. */
  public boolean isEnding() {
    return ending.get();
  }

  @Override
  public int execute(ParseResult parsed) {
    try {
      return commands.execute(parsed);
    } catch (Error e) {
      // picocli passes on exceptions only.
      throw new ExecutionException(deepest(parsed), "an error", e);
    }
  }

  private static CommandLine deepest(ParseResult parsed) {
    ParseResult at = parsed;
    while (at.hasSubcommand()) {
      at = at.subcommand();
    }
    return at.commandSpec().commandLine();
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    Throwable thrown = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
    if (thrown instanceof InterruptedCommandException) {
      return ExitCodes.FAILED;
    }
    PrintWriter err = command.getErr();
    String who = command.getCommandSpec().qualifiedName();
    Failure failure = Failure.of(thrown);
    failure.print(who, err);
    if (failure.cause() instanceof UsageException misuse) {
      err.println(misuse.hint().isEmpty() ? "Try: " + who + " --help" : misuse.hint());
      err.flush();
    }
    return failure.code();
  }

  /**
   * If the JVM itself failed, ends the process, where nothing is reliable any more. Otherwise it
   * continues, but its exit code is not success.
   */
  @Override
  public void uncaughtException(Thread thread, Throwable thrown) {
    threadFailed.set(true);
    try {
      Failure failure = Failure.of(thrown);
      failure.print(
          name + ": thread '" + thread.getName() + "'",
          new PrintWriter(System.err, true, StandardCharsets.UTF_8));
      if (thrown instanceof VirtualMachineError) {
        end();
      }
    } catch (Throwable again) {
      abort();
    }
  }

  /** Ends in order if that is possible in time. */
  private void end() {
    if (!ending.compareAndSet(false, true)) {
      return;
    }
    Thread watch = new Thread(FailureHandler::haltLater, "halt");
    watch.setDaemon(true);
    watch.start();
    System.exit(ExitCodes.ABORTED);
  }

  private static void haltLater() {
    try {
      Thread.sleep(1000 * SECONDS_TO_END);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(ExitCodes.ABORTED);
  }

  /** Ends at once, with a message that needs no memory: even reporting the failure did not work. */
  public static void abort() {
    try (FileOutputStream err = new FileOutputStream(FileDescriptor.err)) {
      err.write(LAST_WORDS);
    } catch (IOException e) {
      // Standard error does not work, either.
    } finally {
      Runtime.getRuntime().halt(ExitCodes.ABORTED);
    }
  }
}

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
 * The one place where whatever a command throws becomes a line and an exit code ({@link Failure}):
 * exceptions and errors, of the command's thread and of all others.
 *
 * <p>The JVM's own way out of an {@code OutOfMemoryError} ({@code -XX:+ExitOnOutOfMemoryError}) is
 * not taken: it ends without a word and with code 3, leaves files behind that are cut, and an
 * import would not take the files that follow.
 */
public final class FailureHandler
    implements IExecutionExceptionHandler, IExecutionStrategy, Thread.UncaughtExceptionHandler {
  private static final long SECONDS_TO_END = 90;

  /** Made before it is needed: there may be no memory left for it then. */
  private static final byte[] LAST_WORDS =
      ("flowmon: there is no memory left, not even to say for what;"
              + " FLOWMON_JAVA_OPTS=-Xmx4g gives more\n")
          .getBytes(StandardCharsets.US_ASCII);

  private final IExecutionStrategy commands;
  private final AtomicBoolean threadFailed = new AtomicBoolean();
  private final AtomicBoolean ending = new AtomicBoolean();
  private volatile String name = "flowmon";

  /**
   * Around all commands.
   *
   * @param commands runs one; what it throws comes here
   */
  public FailureHandler(IExecutionStrategy commands) {
    this.commands = commands;
  }

  /**
   * Takes the errors of threads that nobody waits for, from now on.
   *
   * @param command whose process this is, for messages
   */
  public void watchThreads(String command) {
    name = command;
    Thread.setDefaultUncaughtExceptionHandler(this);
  }

  /** The code of a command that gave {@code code}: not that of success where a thread failed. */
  public int exitCode(int code) {
    return code == ExitCodes.DONE && threadFailed.get() ? ExitCodes.ABORTED : code;
  }

  /** Whether the process ends by an error of a thread, and not by a signal. */
  public boolean isEnding() {
    return ending.get();
  }

  @Override
  public int execute(ParseResult parsed) {
    try {
      return commands.execute(parsed);
    } catch (Error e) {
      // picocli hands on exceptions only.
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
      err.println(misuse.hint() == null ? "Try: " + who + " --help" : misuse.hint());
      err.flush();
    }
    return failure.code();
  }

  /**
   * A thread ended that nobody waits for: the process ends where the JVM itself failed, for nothing
   * in it can be relied on; else it goes on, and its code is not that of success.
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

  /** Ends in order, if that is possible in time. */
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

  /** Ends at once, with words that need no memory: even to say what failed did not work. */
  public static void abort() {
    try (FileOutputStream err = new FileOutputStream(FileDescriptor.err)) {
      err.write(LAST_WORDS);
    } catch (IOException e) {
      // There is nobody left to tell.
    } finally {
      Runtime.getRuntime().halt(ExitCodes.ABORTED);
    }
  }
}

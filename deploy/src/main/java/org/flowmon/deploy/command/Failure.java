package org.flowmon.deploy.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.query.limit.ByteLimitException;
import org.flowmon.archive.query.limit.QueryCancelledException;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.query.limit.RowLimitException;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.ingest.text.ShownText;
import org.flowmon.jobs.embedded.EmbeddedServiceException;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.AnswerTooLargeException;

/**
 * A failure for the user: the reason and the remedy in one line, an excerpt of a query's text
 * around the error, and the exit code. JVM errors (no memory, no stack, a missing class) and
 * defects, whose trace helps to fix flowmon, are {@link ExitCodes#ABORTED}, anywhere in a chain of
 * causes.
 */
public record Failure(String line, int code, boolean isDefect, Throwable cause) {
  /** If set and not empty, every failure shows its trace. */
  static final String TRACE = "FLOWMON_TRACE";

  private static final int DEEPEST_CAUSE = 64;
  private static final String DAMAGED =
      "; flowmon verify --archive DIR names all damage, and what to do about it";

  public static Failure of(Throwable thrown) {
    Throwable at = thrown;
    for (int depth = 0; at != null && depth < DEEPEST_CAUSE; depth++) { // a chain may be a ring
      if (at instanceof VirtualMachineError || at instanceof LinkageError) {
        return new Failure(reason((Error) at), ExitCodes.ABORTED, isDefect((Error) at), thrown);
      }
      at = at.getCause();
    }
    Throwable cause =
        thrown instanceof UncheckedIOException
            ? Objects.requireNonNull(thrown.getCause()) // by its constructors
            : thrown;
    if (!isExpected(cause)) {
      return new Failure(ShownText.of(cause.toString()), ExitCodes.ABORTED, true, cause);
    }
    int code =
        cause instanceof UsageException || cause instanceof QueryException
            ? ExitCodes.USAGE
            : ExitCodes.FAILED;
    String excerpt = cause instanceof UsageException usage ? usage.excerpt() : "";
    return new Failure(ShownText.of(message(cause)) + excerpt, code, false, cause);
  }

  /** Lack of memory or stack depends on the input; no other error should occur. */
  private static boolean isDefect(Error error) {
    return !(error instanceof OutOfMemoryError || error instanceof StackOverflowError);
  }

  private static String reason(Error error) {
    if (error instanceof StackOverflowError) {
      return "what it works on is nested too deep for the stack; FLOWMON_JAVA_OPTS=-Xss16m gives"
          + " more";
    }
    if (error instanceof OutOfMemoryError) {
      return memory(String.valueOf(error.getMessage()));
    }
    if (error instanceof LinkageError) {
      return ShownText.of(error.toString())
          + ": a class is missing or of another version; ./flowmon build rebuilds everything, and"
          + " FLOWMON_CLASS_PATH must be of this version";
    }
    return ShownText.of(error.toString())
        + ": the JVM could not go on; a disk may be full, or a file was cut while it was read";
  }

  private static String memory(String what) {
    if (what.contains("Metaspace") || what.contains("class space")) {
      return "there is no more memory for classes; FLOWMON_JAVA_OPTS=-XX:MaxMetaspaceSize=512m"
          + " gives more";
    }
    if (what.contains("irect buffer") || what.contains("direct memory")) {
      return "there is no more memory beside the heap; FLOWMON_JAVA_OPTS=-XX:MaxDirectMemorySize=1g"
          + " gives more";
    }
    if (what.contains("native thread")) {
      return "the system gives no more threads (ulimit -u, a container's pids limit), or no memory"
          + " for them";
    }
    if (what.contains("Map failed")) {
      return "the system maps no more files (sysctl vm.max_map_count), or has no address space"
          + " left";
    }
    return String.format(
        "it needs more memory than the heap of %,d MiB has; FLOWMON_JAVA_OPTS=-Xmx4g gives more",
        HeapBudget.PROCESS.bytes() >> 20);
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

  private static String message(Throwable e) {
    if (e instanceof NoSuchFileException missing) {
      return "no such file: " + missing.getFile();
    }
    if (e instanceof FileAlreadyExistsException there) {
      return "exists already: " + there.getFile();
    }
    if (e instanceof AccessDeniedException denied) {
      return "access denied: " + denied.getFile();
    }
    if (e instanceof AnswerTooLargeException large && large.isOfMemory()) {
      return large.getMessage() + "; FLOWMON_JAVA_OPTS=-Xmx4g does";
    }
    if (e instanceof SegmentCorruptException || e instanceof ManifestCorruptException) {
      return e.getMessage() + DAMAGED;
    }
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  public void print(String who, PrintWriter err) {
    boolean traced = isTraced();
    if (!isDefect) {
      err.println(who + ": " + line);
    } else if (traced) {
      err.println(who + ": " + line + " (a defect of flowmon: please report it)");
    } else {
      err.println(
          who + ": " + line + " (a defect of flowmon: please report it, with " + keptTrace() + ")");
    }
    if (traced) {
      cause.printStackTrace(err);
    }
    err.flush();
  }

  private static boolean isTraced() {
    String wanted = System.getenv(TRACE);
    return wanted != null && !wanted.isEmpty();
  }

  /** Writes the trace to a private file; if that fails, returns how to see the trace. */
  private String keptTrace() {
    try {
      Path file = Files.createTempFile("flowmon-", ".trace");
      try (PrintWriter out =
          new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
        cause.printStackTrace(out);
      }
      return "the trace in " + file;
    } catch (IOException e) {
      return "what " + TRACE + "=1 shows";
    }
  }
}

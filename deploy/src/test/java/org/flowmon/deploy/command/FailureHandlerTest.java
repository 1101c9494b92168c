package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.Start;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class FailureHandlerTest {
  @TempDir private Path folder;

  /** A command that fails with a given error. */
  @CommandLine.Command(name = "burst")
  private record Burst(Supplier<Throwable> what) implements Callable<Integer> {
    @Override
    public Integer call() throws Exception {
      Throwable thrown = what.get();
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (Exception) thrown;
    }
  }

  private static CommandRun run(Supplier<Throwable> what) {
    StringWriter err = new StringWriter();
    CommandLine line = Flowmon.commandLine().addSubcommand(new Burst(what));
    int code = line.setErr(new PrintWriter(err)).execute("burst");
    return new CommandRun(code, "", err.toString());
  }

  @Test
  void everyErrorIsOneLineWithAHintAndACodeOfItsOwn() {
    assertAborted(
        "OutOfMemoryError", "FLOWMON_JAVA_OPTS=-Xmx4g", new OutOfMemoryError("Java heap"));
    assertAborted(
        "Direct",
        "MaxDirectMemorySize",
        new OutOfMemoryError("Cannot reserve direct buffer memory"));
    assertAborted("Metaspace", "MaxMetaspaceSize", new OutOfMemoryError("Metaspace"));
    assertAborted(
        "threads", "ulimit -u", new OutOfMemoryError("unable to create native thread: possibly"));
    assertAborted("stack", "-Xss", new StackOverflowError());
    assertAborted(
        "in a chain",
        "FLOWMON_JAVA_OPTS=-Xmx4g",
        new IOException("x", new CompletionException(new OutOfMemoryError("Java heap space"))));
  }

  private static void assertAborted(String what, String hint, Throwable thrown) {
    CommandRun run = run(() -> thrown);
    assertEquals(ExitCodes.ABORTED, run.code(), what + ": " + run);
    assertEquals(1, run.err().lines().count(), what + ": " + run);
    assertTrue(run.err().startsWith("flowmon burst: "), what + ": " + run);
    assertTrue(run.err().contains(hint), what + ": " + run);
    assertFalse(run.err().contains("defect"), what + ": " + run);
  }

  @Test
  void aDefectIsOneLineAndItsTraceAFileOfTheUsersOwn() throws Exception {
    for (Throwable thrown :
        List.of(
            new IllegalStateException("odd"),
            new AssertionError("odd"),
            new NoClassDefFoundError("odd"),
            new InternalError("odd"))) {
      CommandRun run = run(() -> thrown);
      assertEquals(ExitCodes.ABORTED, run.code(), run.toString());
      assertEquals(1, run.err().lines().count(), run.toString());
      Matcher kept = Pattern.compile("the trace in (\\S+)\\)").matcher(run.err());
      assertTrue(kept.find(), run.toString());
      Path trace = Path.of(kept.group(1));
      try {
        assertEquals(
            "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(trace)));
        assertTrue(Files.readString(trace).startsWith(thrown.toString()), run.toString());
      } finally {
        Files.delete(trace);
      }
    }
  }

  @Test
  void whatAPersonCanMendHasTheCodeThatItHad() {
    assertEquals(ExitCodes.FAILED, run(() -> new IOException("no disk")).code());
    assertEquals(ExitCodes.FAILED, run(() -> new CommandException("no")).code());
    assertEquals(ExitCodes.USAGE, run(() -> new UsageException("no")).code());
    assertEquals(
        "flowmon burst: java.nio.channels.ClosedChannelException\n",
        run(java.nio.channels.ClosedChannelException::new).err());
  }

  @Test
  void damageOfAnArchiveEndsWithWhatToDo() {
    for (RuntimeException damage :
        List.of(
            new SegmentCorruptException(Path.of("/a/1.parquet"), "length", "3 bytes, sealed 9"),
            new ManifestCorruptException("manifest/1", "header", "3 bytes, expected 64"))) {
      CommandRun run = run(() -> damage);
      assertEquals(ExitCodes.FAILED, run.code(), run.toString());
      assertEquals(
          "flowmon burst: "
              + damage.getMessage()
              + "; flowmon verify --archive DIR names all damage, and what to do about it\n",
          run.err());
    }
  }

  @Test
  void aCommandThatFillsTheHeapOrTheStackEndsWithFourAndSaysHowToGiveMore() throws Exception {
    CommandRun heap = child(List.of("-Xmx32m"), Greedy.class, "heap");
    assertEquals(ExitCodes.ABORTED, heap.code(), heap.toString());
    assertEquals(
        "flowmon burst: it needs more memory than the heap of 32 MiB has;"
            + " FLOWMON_JAVA_OPTS=-Xmx4g gives more\n",
        heap.err());
    CommandRun stack = child(List.of(), Greedy.class, "stack");
    assertEquals(ExitCodes.ABORTED, stack.code(), stack.toString());
    assertEquals(1, stack.err().lines().count(), stack.err());
    assertTrue(stack.err().contains("FLOWMON_JAVA_OPTS=-Xss16m"), stack.err());
  }

  @Test
  void aProcessThatCannotLoadItsCommandsDoesNotSayThatTheAnswerIsNo() throws Exception {
    Path classes = Files.createDirectory(folder.resolve("org"));
    Path place = Files.createDirectories(classes.resolve("flowmon/deploy"));
    try (InputStream start = Start.class.getResourceAsStream("Start.class")) {
      Files.copy(start, place.resolve("Start.class"));
    }
    CommandRun run = child(List.of("-cp", folder.toString()), Start.class, "verify");
    assertEquals(ExitCodes.ABORTED, run.code(), run.toString());
    assertTrue(run.err().startsWith("flowmon: it could not be started: "), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  /** A process whose command takes all memory. */
  static final class Greedy {
    private Greedy() {}

    public static void main(String[] args) {
      Supplier<Throwable> what =
          args[0].equals("heap")
              ? () -> {
                Object[] all = null;
                while (true) {
                  all = new Object[] {all, new byte[1 << 10]};
                }
              }
              : () -> new IllegalStateException("depth " + depth(1));
      System.exit(Flowmon.commandLine().addSubcommand(new Burst(what)).execute("burst"));
    }

    private static long depth(long of) {
      return of == Long.MAX_VALUE ? 0 : 1 + depth(of + 1) % 7;
    }
  }

  @Test
  void anErrorOfAThreadThatNobodyWaitsForEndsTheProcessWithFour() throws Exception {
    CommandRun error = child(List.of(), LonelyThread.class, "error");
    assertEquals(ExitCodes.ABORTED, error.code(), error.toString());
    assertTrue(
        error.err().startsWith("lonely: thread 'worker': it needs more memory"), error.err());
    assertEquals("", error.out(), "it did not go on");
    CommandRun exception = child(List.of(), LonelyThread.class, "exception");
    assertEquals(ExitCodes.ABORTED, exception.code(), exception.toString());
    assertTrue(exception.err().startsWith("lonely: thread 'worker': "), exception.err());
    assertEquals("went on\n", exception.out());
    Matcher kept = Pattern.compile("the trace in (\\S+)\\)").matcher(exception.err());
    assertTrue(kept.find(), exception.err());
    Files.delete(Path.of(kept.group(1)));
  }

  /** A process whose command succeeds while one of its threads fails. */
  static final class LonelyThread {
    private LonelyThread() {}

    public static void main(String[] args) throws Exception {
      FailureHandler failures = new FailureHandler(parsed -> ExitCodes.DONE);
      failures.watchThreads("lonely");
      Thread worker =
          new Thread(
              () -> {
                if (args[0].equals("error")) {
                  throw new OutOfMemoryError("Java heap space");
                }
                throw new IllegalStateException("odd");
              },
              "worker");
      worker.start();
      worker.join();
      if (args[0].equals("error")) {
        Thread.sleep(60_000); // a command that waits in vain
      }
      System.out.println("went on");
      System.exit(failures.exitCode(ExitCodes.DONE));
    }
  }

  private CommandRun child(List<String> options, Class<?> main, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String opened : List.of("java.lang", "java.nio", "sun.nio.ch")) {
      command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(options); // may have another class path
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    int code =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start()
            .waitFor();
    return new CommandRun(code, Files.readString(out), Files.readString(err));
  }
}

package org.flowmon.deploy.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.InterruptedCommandException;

/**
 * A process that outlives the command which started it, known by a file:
 *
 * <pre>
 * pid=4711
 * start=1795741262000    milliseconds since 1970
 * </pre>
 *
 * <p>The number may be another program's by now. Only a process that started at that time and runs
 * a program which a cluster starts is taken for it, and ever gets a signal.
 */
final class OwnProcess {
  /** What a cluster's processes run, in the order in which one becomes the next. */
  private static final Set<String> PROGRAMS = Set.of("setsid", "bash", "dash", "java", "postgres");

  /** The system's clock may be set: its time of a start then moves a little. */
  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  private static final long POLL_MILLIS = 50;
  private static final Path PROC = Path.of("/proc");

  private final String name;
  private final Path file;

  /** {@code file} need not exist yet. */
  OwnProcess(String name, Path file) {
    this.name = name;
    this.file = file;
  }

  String name() {
    return name;
  }

  /** Remembers a process that was just started. */
  void remember(ProcessHandle process) throws IOException {
    Instant start = process.info().startInstant().orElseThrow(() -> new IOException(name + gone()));
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(part, "pid=" + process.pid() + "\nstart=" + start.toEpochMilli() + "\n");
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String gone() {
    return " ended as soon as it was started";
  }

  /** The process, if it is alive and the one that was remembered. */
  Optional<ProcessHandle> find() {
    Properties read = new Properties();
    try (var in = Files.newBufferedReader(file)) {
      read.load(in);
      long pid = Long.parseLong(read.getProperty("pid", ""));
      Instant start = Instant.ofEpochMilli(Long.parseLong(read.getProperty("start", "")));
      return ProcessHandle.of(pid).filter(process -> isIt(process, start));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandException(
          file + " is no file of a process; look whether " + name + " runs, and remove it");
    }
  }

  private static boolean isIt(ProcessHandle process, Instant start) {
    ProcessHandle.Info info = process.info();
    return isAlive(process)
        && info.startInstant()
            .filter(at -> Duration.between(start, at).abs().compareTo(TOLERANCE) <= 0)
            .isPresent()
        && info.command()
            .filter(command -> PROGRAMS.contains(Path.of(command).getFileName().toString()))
            .isPresent();
  }

  /** Java takes a process that has ended, and that its parent has not asked about, for alive. */
  private static boolean isAlive(ProcessHandle process) {
    if (!process.isAlive()) {
      return false;
    }
    try {
      String status = Files.readString(PROC.resolve(process.pid() + "/stat"));
      return !status.substring(status.lastIndexOf(')') + 1).strip().startsWith("Z");
    } catch (IOException | RuntimeException e) {
      return process.isAlive(); // another system, or it ended meanwhile
    }
  }

  /**
   * Asks it to end, waits, and kills it if it does not. Without such a process nothing is done.
   *
   * @param ask how it is asked
   * @return whether it had to be killed
   */
  boolean stop(Duration grace, ProcessEnd ask) throws IOException {
    Optional<ProcessHandle> found = find();
    boolean isKilled = false;
    if (found.isPresent()) {
      ask.request(found.get());
      if (!awaitEnd(found.get(), grace)) {
        isKilled = true;
        found.get().destroyForcibly();
        if (!awaitEnd(found.get(), grace)) {
          throw new CommandException(
              name + " (process " + found.get().pid() + ") does not end, not even by kill -9");
        }
      }
    }
    Files.deleteIfExists(file);
    return isKilled;
  }

  /** How a process is asked to end. */
  @FunctionalInterface
  interface ProcessEnd {
    void request(ProcessHandle process) throws IOException;
  }

  private static boolean awaitEnd(ProcessHandle process, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    while (isAlive(process)) {
      if (System.nanoTime() > end) {
        return false;
      }
      pause();
    }
    return true;
  }

  /** Waits a moment. */
  static void pause() {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      throw new InterruptedCommandException(e);
    }
  }

  /**
   * Starts a program that no signal of this terminal reaches; it reads nothing.
   *
   * @param log takes what it prints
   */
  static ProcessBuilder detached(List<String> command, Path log) {
    List<String> all = new java.util.ArrayList<>();
    if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
      all.add("/usr/bin/setsid"); // becomes the program: the process stays the same
    }
    all.addAll(command);
    return new ProcessBuilder(all)
        .redirectInput(new java.io.File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
  }
}

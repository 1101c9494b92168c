package org.flowmon.it;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process of its own, whose standard output and standard error go to files. Closing kills it
 * where it still runs.
 */
public final class Program implements AutoCloseable {
  /** How long anything is waited for: enough at any load, and an end to what hangs. */
  public static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final Duration POLL = Duration.ofMillis(50);

  private final String name;
  private final Process process;
  private final Path out;
  private final Path err;

  private Program(String name, Process process, Path out, Path err) {
    this.name = name;
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /**
   * Starts a program.
   *
   * @param folder is its working directory and takes what it prints, as {@code name.out} and {@code
   *     name.err}
   */
  public static Program start(Path folder, String name, List<String> command) throws IOException {
    Path out = folder.resolve(name + ".out");
    Path err = folder.resolve(name + ".err");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    process.getOutputStream().close();
    return new Program(name, process, out, err);
  }

  /**
   * Starts a class of this test's class path in a JVM of its own. It logs nothing, which halves the
   * time that it takes to start.
   */
  public static Program javaWithoutLog(
      Path folder, String name, List<String> options, Class<?> main, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(options);
    command.add("-cp");
    command.add(
        Stream.of(classPath().split(File.pathSeparator, -1))
            .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("log4j"))
            .collect(Collectors.joining(File.pathSeparator)));
    command.add(main.getName());
    command.addAll(arguments);
    return start(folder, name, command);
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  /**
   * Starts {@code flowmon} with the options that the launcher gives to its JVM, and with the
   * compiler for processes that live for some seconds.
   */
  public static Program flowmon(Path folder, String name, String... arguments) throws IOException {
    return launched(folder, name, "org.flowmon.deploy.Flowmon", arguments);
  }

  /** Starts {@code flowmon bench} likewise. */
  static Program bench(Path folder, String name, String... arguments) throws IOException {
    return launched(folder, name, "org.flowmon.bench.Bench", arguments);
  }

  private static Program launched(Path folder, String name, String main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(launcherOptions());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(classPath());
    command.add(main);
    command.addAll(List.of(arguments));
    return start(folder, name, command);
  }

  /**
   * The JVM's options as they stand in the launcher, so that its memory limits are the real ones.
   */
  private static List<String> launcherOptions() throws IOException {
    List<String> options = new ArrayList<>();
    boolean inside = false;
    for (String line :
        Files.readAllLines(ProjectFiles.root().resolve("deploy/src/dist/libexec/launch.bash"))) {
      String word = line.strip();
      if (inside && word.equals(")")) {
        return options;
      }
      if (inside && word.startsWith("-")) {
        options.addAll(List.of(word.split(" ", -1)));
      }
      inside |= word.equals("options=(");
    }
    throw new IllegalStateException("the launcher has no list of options");
  }

  /** Waits for a line on standard output or standard error. */
  Matcher awaitLine(Pattern line) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      Matcher matcher = line.matcher(output() + "\n" + errors());
      if (matcher.find()) {
        return matcher;
      }
      if (System.nanoTime() > end || !process.isAlive()) {
        throw new AssertionError("waited in vain for " + line + "\n" + printed());
      }
      Thread.sleep(POLL.toMillis());
    }
  }

  public long pid() {
    return process.pid();
  }

  /** Whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it (SIGKILL) and waits. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Asks it to end (SIGTERM) and waits. Returns the exit code. */
  public int stop() throws IOException, InterruptedException {
    process.destroy();
    return await();
  }

  /** Waits for its end. Returns the exit code. */
  public int await() throws IOException, InterruptedException {
    if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError(name + " did not end within " + PATIENCE + "\n" + printed());
    }
    return process.exitValue();
  }

  /** What it wrote to standard output. */
  public String output() throws IOException {
    return Files.readString(out);
  }

  /** What it wrote to standard error. */
  public String errors() throws IOException {
    return Files.readString(err);
  }

  /** All it wrote, for messages. */
  public String printed() throws IOException {
    return "---- "
        + name
        + " on standard output\n"
        + tail(out)
        + "---- on standard error\n"
        + tail(err);
  }

  private static String tail(Path file) throws IOException {
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    return text.substring(Math.max(0, text.length() - 8000));
  }

  @Override
  public void close() throws InterruptedException {
    if (process.isAlive()) {
      process.destroyForcibly().waitFor();
    }
  }
}

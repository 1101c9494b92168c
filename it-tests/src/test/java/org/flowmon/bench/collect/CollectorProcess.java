package org.flowmon.bench.collect;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.bench.machine.ChildJvm;
import org.flowmon.bench.machine.ProcessMemory;
import org.flowmon.deploy.command.CommandException;

/** {@code flowmon collect} as a separate process, with the launcher's heap. */
public final class CollectorProcess implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("listening on \\S+:(\\d+),? .*");
  private static final Pattern COUNT = Pattern.compile("([a-z_]+)=(\\d+)");
  private static final int START_SECONDS = 60;

  private final Process process;
  private final Thread reader;
  private final boolean told;
  private volatile int port = -1;
  private volatile String counts = "";
  private volatile String said = "";

  private CollectorProcess(Process process, boolean told) {
    this.process = process;
    this.told = told;
    this.reader = new Thread(this::read, "bench-collector");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a collector on a free port and returns when it listens.
   *
   * @param told whether its log goes to standard error
   * @param more arguments beside the address
   */
  public static CollectorProcess start(boolean told, List<String> more)
      throws IOException, InterruptedException {
    List<String> command = ChildJvm.java();
    command.addAll(ChildJvm.LAUNCHER);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), "org.flowmon.deploy.Flowmon"));
    command.addAll(List.of("collect", "--listen", "127.0.0.1:0"));
    command.addAll(List.of("--report-seconds", "1"));
    command.addAll(more);
    CollectorProcess collector = new CollectorProcess(new ProcessBuilder(command).start(), told);
    for (int i = 0; i < START_SECONDS * 10 && collector.port < 0; i++) {
      if (!collector.process.isAlive()) {
        throw new CommandException("the collector ended: " + collector.said);
      }
      Thread.sleep(100);
    }
    return collector;
  }

  private void read() {
    try (BufferedReader err =
        new BufferedReader(
            new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = err.readLine(); line != null; line = err.readLine()) {
        Matcher listening = LISTENING.matcher(line);
        if (listening.matches()) {
          port = Integer.parseInt(listening.group(1));
        } else if (line.startsWith("{")) {
          counts = line;
        } else {
          said = line;
          if (told) {
            System.err.println("  collect: " + line);
          }
        }
      }
    } catch (IOException e) {
      said = e.toString();
    }
  }

  public int port() {
    return port;
  }

  /** Its counts, up to a second old. */
  public Map<String, Long> counts() {
    return parse(counts);
  }

  private static Map<String, Long> parse(String line) {
    Map<String, Long> found = new HashMap<>();
    Matcher matcher = COUNT.matcher(line);
    while (matcher.find()) {
      found.put(matcher.group(1), Long.parseLong(matcher.group(2)));
    }
    return found;
  }

  /** Its CPU time so far. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Its memory, while it runs. */
  public ProcessMemory memory() throws IOException {
    return ProcessMemory.of(process.pid());
  }

  /** Whether it is running. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Stops it by SIGTERM; returns its last counts. */
  public Map<String, Long> stop() throws IOException, InterruptedException {
    process.toHandle().destroy(); // leaves its output to be read
    String last;
    try (var out = process.getInputStream()) {
      last = new String(out.readAllBytes(), StandardCharsets.UTF_8);
    }
    if (!process.waitFor(2, TimeUnit.MINUTES)) {
      throw new CommandException("the collector did not end");
    }
    return parse(last);
  }

  /** Kills it like a crash, and returns when it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly(); // no effect if it has ended
  }
}

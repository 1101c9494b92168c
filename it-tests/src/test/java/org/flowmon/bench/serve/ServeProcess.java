package org.flowmon.bench.serve;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.flowmon.bench.machine.ChildJvm;
import org.flowmon.bench.machine.ProcessMemory;
import org.flowmon.deploy.command.CommandException;

/** {@code flowmon serve} as a separate process, with the launcher's heap, on a free port. */
final class ServeProcess implements AutoCloseable {
  private static final String LISTENING = "listening on ";

  // Queries of hundreds of clients that wait for one another are to be answered, not refused.
  private static final int SECONDS = 600;

  private final Process process;
  private final URI url;

  private ServeProcess(Process process, URI url) {
    this.process = process;
    this.url = url;
  }

  /** Starts it, and returns when it listens. {@code audit}: the file for its requests. */
  static ServeProcess start(List<Path> archives, Path audit, String... javaOptions)
      throws IOException {
    List<String> command = new ArrayList<>(ChildJvm.java());
    command.addAll(ChildJvm.SERVE);
    command.addAll(List.of(javaOptions));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("org.flowmon.deploy.Flowmon", "serve", "--listen", "127.0.0.1:0"));
    archives.forEach(archive -> command.addAll(List.of("--archive", archive.toString())));
    command.addAll(List.of("--audit", audit.toString(), "--time-limit", String.valueOf(SECONDS)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    while (line != null && !line.startsWith(LISTENING)) {
      line = out.readLine();
    }
    if (line == null) {
      throw new CommandException("the server ended before it listened");
    }
    return new ServeProcess(process, URI.create(line.substring(LISTENING.length())));
  }

  boolean isAlive() {
    return process.isAlive();
  }

  URI url() {
    return url;
  }

  ProcessMemory memory() throws IOException {
    return ProcessMemory.of(process.pid());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(1, TimeUnit.MINUTES)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

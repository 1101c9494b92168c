package org.flowmon.bench.live;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.jobs.embedded.EmbeddedKafka;

/** A Kafka broker as a child process, whose usage does not count as the job's. */
final class BrokerProcess implements AutoCloseable {
  private final Process process;
  private final String bootstrap;

  private BrokerProcess(Process process, String bootstrap) {
    this.process = process;
    this.bootstrap = bootstrap;
  }

  static BrokerProcess start(Path directory) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                EmbeddedKafka.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("READY ")) {
        return new BrokerProcess(process, line.substring("READY ".length()));
      }
    }
    throw new CommandException("the Kafka broker in " + directory + " did not start");
  }

  String bootstrap() {
    return bootstrap;
  }

  /** CPU time of the broker so far. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close(); // the broker ends with its standard input
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

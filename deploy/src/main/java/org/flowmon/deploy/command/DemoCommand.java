package org.flowmon.deploy.command;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.flowmon.deploy.demo.Demo;
import org.flowmon.deploy.demo.DemoOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code flowmon demo}: everything in one JVM. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Runs all of flowmon in one process: simulated routers send NetFlow and IPFIX over"
            + " loopback, the job reports and archives. Needs nothing but a JDK.")
public final class DemoCommand implements Callable<Integer> {
  /** Level of what Kafka and Flink log, in log4j2.properties. */
  private static final String SERVICES_LOG = "flowmon.log.services";

  private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      defaultValue = "60s",
      converter = DurationConverter.class,
      description = "How long the routers send; default ${DEFAULT-VALUE}.")
  private Duration duration;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "20000",
      description = "Flows per second that they send; default ${DEFAULT-VALUE}.")
  private long rate;

  @Option(
      names = "--input",
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "Takes the flows from files (Zeek logs, captures of exports) in place of the routers.")
  private List<Path> inputs = new ArrayList<>();

  @Option(
      names = "--json",
      description = "Standard output holds the summary as one JSON object and nothing else.")
  private boolean json;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where everything lies; new or empty. Default: flowmon-demo/TIME.")
  private Path directory;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of the generated traffic; default ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--history",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Generated flows of the two weeks before; default ${DEFAULT-VALUE}.")
  private long history;

  @Override
  public Integer call() throws Exception {
    if (duration.isZero() || rate < 1 || history < 0) {
      throw new CommandException("--for and --rate are above 0, --history is not below");
    }
    for (Path input : inputs) {
      if (!Files.isReadable(input)) {
        throw new CommandException("cannot read " + input);
      }
    }
    Path place =
        directory != null
            ? directory
            : Path.of("flowmon-demo", NAME.format(LocalDateTime.now(ZoneOffset.UTC)));
    DemoOptions options =
        new DemoOptions(duration, rate, inputs, json, place.toAbsolutePath(), seed, history, 2);
    if (System.getProperty(SERVICES_LOG) == null) {
      System.setProperty(SERVICES_LOG, "error"); // read when the first logger is made
    }
    PrintStream out = System.out;
    // Whatever else prints (a library, a server's first words) must not get into the JSON.
    System.setOut(System.err);
    try {
      return new Demo(options, json ? System.err : out).run(out) ? 0 : 1;
    } finally {
      System.setOut(out);
    }
  }
}

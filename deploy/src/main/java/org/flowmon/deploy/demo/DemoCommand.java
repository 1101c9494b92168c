package org.flowmon.deploy.demo;

import java.io.IOException;
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
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.demo.service.DemoOptions;
import org.flowmon.ingest.file.FileReason;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code flowmon demo}: runs everything in one JVM. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Runs all of flowmon in one process: simulated routers send NetFlow and IPFIX over"
            + " loopback, the job reports and archives. Needs nothing but a JDK.")
public final class DemoCommand implements Callable<Integer> {
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
      description = "The folder for everything; new or empty. Default: flowmon-demo/TIME.")
  private @Nullable Path directory;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the generated traffic; default ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--history",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Generated flows of the two weeks before; default ${DEFAULT-VALUE}.")
  private long history;

  @Override
  public Integer call() throws Exception {
    check();
    Path place =
        directory != null
            ? directory
            : Path.of("flowmon-demo", NAME.format(LocalDateTime.now(ZoneOffset.UTC)));
    DemoOptions options =
        new DemoOptions(duration, rate, inputs, json, place.toAbsolutePath(), seed, history, 2);
    ServicesLog.quietOfRefusals();
    PrintStream out = System.out;
    // Other output (of a library or a starting server) must not get into the JSON.
    System.setOut(System.err);
    try {
      DemoOutcome outcome = new Demo(options, json ? System.err : out).run(out);
      if (!outcome.isWhole()) {
        return ExitCodes.FAILED;
      }
      return outcome.balances() ? ExitCodes.DONE : ExitCodes.NO;
    } finally {
      System.setOut(out);
    }
  }

  /** Refuses a file by its first bytes; damage further on is reported in the end. */
  private static void checkFormat(Path input) throws IOException {
    try {
      var unused = FlowFiles.open(input);
    } catch (UnknownFormatException e) {
      throw new UsageException(
          "--input "
              + input
              + ": "
              + FileReason.withoutName(input, String.valueOf(e.getMessage())));
    }
  }

  /** Checks the options before anything is started, so that a mistake costs no time. */
  private void check() throws IOException {
    if (duration.isZero()) {
      throw new UsageException("--for is 0: expected a time above 0, as in 60s");
    }
    if (rate < 1) {
      throw new UsageException("--rate is " + rate + ": expected 1 flow per second or more");
    }
    if (history < 0) {
      throw new UsageException("--history is " + history + ": expected 0 flows or more");
    }
    for (Path input : inputs) {
      if (!Files.exists(input)) {
        throw new UsageException("--input " + input + ": no such file");
      }
      if (Files.isDirectory(input)) {
        throw new UsageException("--input " + input + ": expected a file, found a directory");
      }
      if (!Files.isReadable(input)) {
        throw new UsageException("--input " + input + ": not readable");
      }
      checkFormat(input);
    }
  }
}

package org.flowmon.deploy.generate;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.TimeText;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.input.InputOptions;
import org.flowmon.deploy.input.PacketsOption;
import org.flowmon.deploy.terminal.Progress;
import org.flowmon.deploy.terminal.ProgressOption;
import org.flowmon.flow.SourceKind;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;
import org.flowmon.ingest.synthetic.scenario.Scenario;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code flowmon generate}: traffic of a scenario, or of a recorded trace. */
@Command(
    name = "generate",
    mixinStandardHelpOptions = true,
    description = {
      "Generates the traffic of a network, with labelled attacks, or plays a recorded trace again:"
          + " as NetFlow v5, v9, IPFIX or sFlow over UDP or in a capture, as rows of a CSV, JSON or"
          + " Parquet file, or into an archive.",
      "A scenario is a built-in one or a YAML file (docs/generate.md). Its flows follow from"
          + " its seed: files are equal byte by byte."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon generate --list",
      "  flowmon generate scan --to scan.pcap --labels truth.csv",
      "  flowmon generate office --protocol netflow_v9 --rate 20000 --to udp:2055",
      "  flowmon generate ddos --to archive:DIR",
      "  flowmon generate --show beacon > mine.yaml",
      "  flowmon generate --from conn.log --loop 10 --to udp:127.0.0.1:2055 --fast",
      "  flowmon generate --from DIR --protocol ipfix --to trace.pcap.gz"
    })
public final class GenerateCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      paramLabel = "SCENARIO",
      description = "One that --list names, or a YAML file.")
  private @Nullable String scenario;

  @Option(
      names = "--from",
      paramLabel = "TRACE",
      description =
          "A file that flowmon import reads, or an archive's directory or URL, in place of a"
              + " scenario. May be repeated.")
  private List<String> traces = List.of();

  @Option(
      names = "--to",
      paramLabel = "TARGET",
      description =
          "udp:PORT (on this machine) or udp:HOST:PORT; archive:DIR; or a file, by its name:"
              + " .pcap, .csv, .json or .parquet, also with .gz; - writes CSV to standard output.")
  private @Nullable String to;

  @Option(
      names = "--protocol",
      description =
          "What all routers export: ${COMPLETION-CANDIDATES}; default: as the scenario says,"
              + " else ipfix.")
  private Optional<Protocol> protocol = Optional.empty();

  @Option(names = "--seed", paramLabel = "N", description = "In place of the scenario's.")
  private Optional<Long> seed = Optional.empty();

  @Option(
      names = "--start",
      paramLabel = "TIME",
      description =
          "When the first flow is exported, as 2026-11-21T08:00:00Z; default: now for UDP, else as"
              + " the scenario says or the trace was recorded.")
  private Optional<String> start = Optional.empty();

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "How long the traffic goes on, by its own times.")
  private Optional<Duration> duration = Optional.empty();

  @Option(names = "--flows", paramLabel = "N", description = "Ends after so many flows.")
  private Optional<Long> flows = Optional.empty();

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Flows per second: of a scenario, in place of its own; of a trace, how fast it is sent"
              + " over UDP, in place of its own timing.")
  private Optional<Double> rate = Optional.empty();

  @Option(
      names = "--fast",
      description = "Over UDP as fast as it can, not by the flows' own times.")
  private boolean fast;

  @Option(
      names = "--loop",
      paramLabel = "N",
      description =
          "How often a trace is played, its times shifted each time; 0: without end; default 1.")
  private Optional<Long> loops = Optional.empty();

  @Option(
      names = "--labels",
      paramLabel = "FILE",
      description =
          "Writes the flows of attacks to a CSV, JSON or Parquet file, with the attack's name.")
  private Optional<Path> labels = Optional.empty();

  @Option(
      names = "--force",
      description = "Overwrite files; add to an archive what it already has.")
  private boolean force;

  @Option(names = "--list", description = "Lists the built-in scenarios.")
  private boolean list;

  @Option(
      names = "--show",
      paramLabel = "NAME",
      description = "Prints a built-in scenario, to be copied and changed.")
  private Optional<String> shown = Optional.empty();

  @Mixin private InputOptions input;

  @Mixin private PacketsOption packets;

  @Mixin private ProgressOption progressOption;

  @Override
  public Integer call() throws IOException {
    if (list) {
      for (String name : ScenarioFile.BUNDLED) {
        System.out.printf("%-14s %s%n", name, ScenarioFile.of(name).description());
      }
      return ExitCodes.DONE;
    }
    if (shown.isPresent()) {
      System.out.print(ScenarioFile.textOf(shown.get()));
      return ExitCodes.DONE;
    }
    if (to == null) {
      throw new UsageException("--to is missing: expected udp:PORT, archive:DIR or a file");
    }
    check();
    generate(new Target(to, force));
    return ExitCodes.DONE;
  }

  private void check() {
    if ((scenario == null) == traces.isEmpty()) {
      throw new UsageException(
          "expected either a scenario or --from TRACE; --list names the built-in scenarios");
    }
    if (scenario != null && loops.isPresent()) {
      throw new UsageException("--loop is for a trace; --for makes a scenario longer");
    }
    if (scenario == null && (seed.isPresent() || labels.isPresent())) {
      throw new UsageException("--seed and --labels are for a scenario");
    }
    if (flows.orElse(1L) < 1 || loops.orElse(0L) < 0) {
      throw new UsageException("--flows is at least 1, --loop at least 0");
    }
    if (rate.isPresent() && !(rate.get() > 0 && rate.get() <= ScenarioFile.MAX_RATE)) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "--rate: expected more than 0 and at most %,.0f, found %s",
              ScenarioFile.MAX_RATE,
              rate.get()));
    }
    Duration most = ScenarioFile.MAX_DURATION;
    if (duration.isPresent() && (duration.get().isZero() || duration.get().compareTo(most) > 0)) {
      throw new UsageException(
          "--for: expected more than nothing and at most " + most.toDays() + "d");
    }
  }

  private void generate(Target target) throws IOException {
    if (!target.isUdp() && (fast || (scenario == null && rate.isPresent()))) {
      throw new UsageException("--fast, and --rate of a trace, are for UDP: files are not paced");
    }
    if (!target.isUdp() && loops.isPresent() && loops.get() == 0 && flows.isEmpty()) {
      throw new UsageException("--loop 0 has no end: expected a number, or --flows");
    }
    Optional<Instant> begin = begin(target);
    FlowOrigin origin = scenario == null ? trace(begin) : scenario(scenario, begin);
    Generator.Limits limits =
        new Generator.Limits(
            flows.orElse(Long.MAX_VALUE),
            scenario == null && duration.isPresent() ? duration.get().toMillis() : Long.MAX_VALUE);
    // The process waits until the interruption is closed, so it reports before that.
    try (Interruption interruption = Interruption.watch();
        Progress progress = progressOption.start();
        Labels truth = labels(origin);
        FlowOutput output = target.open(origin, limits)) {
      Generator generator =
          new Generator(origin, output, truth, pace(target), limits, progress, interruption);
      generator.run();
      generator.tell(System.err);
    }
  }

  private Labels labels(FlowOrigin origin) throws IOException {
    return new Labels(
        origin,
        labels.isEmpty()
            ? Optional.empty()
            : Optional.of(Target.rows("--labels", labels.get(), force)));
  }

  private Optional<Instant> begin(Target target) {
    if (start.isPresent()) {
      return Optional.of(FlowTime.instant(TimeText.parse(start.get())));
    }
    return target.isUdp() ? Optional.of(Instant.now()) : Optional.empty();
  }

  private Pace pace(Target target) {
    if (!target.isUdp() || fast) {
      return Pace.none();
    }
    return scenario == null && rate.isPresent() ? Pace.of(rate.get()) : Pace.own();
  }

  private FlowOrigin trace(Optional<Instant> begin) {
    SimulatedRouter router = ScenarioFile.router(protocol.orElse(Protocol.IPFIX));
    return new TraceOrigin(
        traces,
        () -> packets.applyTo(input.applyTo(FileReadOptions.defaults())),
        List.of(router),
        begin,
        loops.orElse(1L));
  }

  private FlowOrigin scenario(String name, Optional<Instant> begin) {
    Scenario read = ScenarioFile.of(name);
    Scenario.Run run = read.run();
    Scenario changed =
        read.withRun(
            new Scenario.Run(
                seed.orElse(run.seed()),
                begin.orElse(run.start()),
                duration.orElse(run.duration()),
                rate.orElse(run.flowsPerSecond())));
    return new ScenarioOrigin(name, protocol.isPresent() ? exporting(changed) : changed);
  }

  /** The scenario with other protocols; what NetFlow v5 cannot carry is left out, and said. */
  private Scenario exporting(Scenario read) {
    SourceKind version = protocol.orElseThrow().version();
    List<SimulatedRouter> routers =
        read.routers().stream()
            .map(
                r ->
                    new SimulatedRouter(
                        version,
                        version == SourceKind.NETFLOW_V5
                            ? r.observationDomain() & 0xFFFF
                            : r.observationDomain(),
                        r.samplingRate(),
                        r.weight(),
                        r.clockSkewMillis(),
                        r.address()))
            .toList();
    Scenario changed = read.withRouters(routers);
    if (version == SourceKind.NETFLOW_V5 && read.network().conversations().ipv6Share() > 0) {
      System.err.println("NetFlow v5 carries no IPv6: all traffic is IPv4");
      return changed.withoutIpv6();
    }
    return changed;
  }
}

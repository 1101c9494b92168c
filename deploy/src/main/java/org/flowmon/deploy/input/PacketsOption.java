package org.flowmon.deploy.input;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.flowmon.deploy.command.DurationConverter;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.meter.MeterOptions;
import org.flowmon.ingest.meter.PacketReading;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How packets of captures are read, and whether flows are made of them. */
public final class PacketsOption {
  @Option(
      names = "--from-packets",
      description =
          "Make flows of the packets of captures, as an exporter does, instead of reading exports"
              + " that they hold.")
  private boolean fromPackets;

  @Option(
      names = "--active-timeout",
      paramLabel = "DURATION",
      defaultValue = "60s",
      converter = DurationConverter.class,
      description =
          "With --from-packets: a flow that lasts as long is cut; default ${DEFAULT-VALUE}.")
  private Duration active;

  @Option(
      names = "--inactive-timeout",
      paramLabel = "DURATION",
      defaultValue = "15s",
      converter = DurationConverter.class,
      description =
          "With --from-packets: a flow without a packet for longer has ended; default"
              + " ${DEFAULT-VALUE}.")
  private Duration inactive;

  @Option(
      names = "--open-flows",
      paramLabel = "N",
      defaultValue = "262144",
      description =
          "With --from-packets: flows at a time, some 100 bytes each; beyond it the one ends that"
              + " has been quiet for longest. Default ${DEFAULT-VALUE}.")
  private int openFlows;

  @Mixin private TunnelsOption tunnels;

  /** Throws {@link UsageException} naming a wrong option. */
  public FileReadOptions applyTo(FileReadOptions options) {
    try {
      MeterOptions meter = new MeterOptions(micros(active), micros(inactive), openFlows);
      Optional<MeterOptions> made = fromPackets ? Optional.of(meter) : Optional.empty();
      return options.withPackets(new PacketReading(tunnels.headers(), made));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--from-packets: " + e.getMessage());
    }
  }

  private static long micros(Duration timeout) {
    return timeout.dividedBy(ChronoUnit.MICROS.getDuration());
  }
}

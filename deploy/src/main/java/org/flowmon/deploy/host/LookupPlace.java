package org.flowmon.deploy.host;

import java.io.IOException;
import java.util.Optional;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.archive.SamplingRates;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.output.ClosedOutputException;
import org.flowmon.deploy.output.ConfidenceOption;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.query.AskedPlace;
import org.flowmon.deploy.query.PrintedQuery;
import org.flowmon.deploy.query.ServerPlace;
import org.flowmon.deploy.query.StandardOutput;
import org.flowmon.deploy.remote.ServerOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;

/** Who answers {@code flowmon host} and {@code flowmon seen}, and where the answer goes. */
public final class LookupPlace {
  @ArgGroup(multiplicity = "0..1")
  private @Nullable AskedPlace place;

  @Mixin private ConfidenceOption confidence;

  /** Prints the answer; returns the exit code. */
  int print(PrintedLookup lookup, OutputFormat format, int threads) throws IOException {
    PrintedQuery.Output out = StandardOutput.of(format, confidence);
    try {
      Optional<ArchiveOption> archive = AskedPlace.archive(place);
      if (archive.isPresent()) {
        return local(lookup, archive.get(), threads, out);
      }
      ServerOption server = AskedPlace.server(place);
      if (threads > 1) {
        throw new UsageException("--threads is for --archive: a server reads as it was started");
      }
      return ServerPlace.print(server.client(), lookup.path(), lookup.request(), "", out);
    } catch (ClosedOutputException e) {
      return ExitCodes.OUTPUT_CLOSED; // whoever closed it knows
    }
  }

  private static int local(
      PrintedLookup lookup, ArchiveOption archive, int threads, PrintedQuery.Output out)
      throws IOException {
    try (ArchiveSnapshots archives = archive.snapshots()) {
      return lookup.print(
          new PrintedLookup.Asked(
              archives.all(),
              archives.reach(),
              QueryOptions.DEFAULTS.withThreads(threads),
              new SamplingRates()),
          out);
    }
  }
}

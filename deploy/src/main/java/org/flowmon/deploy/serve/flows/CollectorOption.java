package org.flowmon.deploy.serve.flows;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.TokenFile;
import picocli.CommandLine.Option;

/** {@code --collector URL} and its token, shared by all commands that ask a running collector. */
public final class CollectorOption {
  @Option(
      names = "--collector",
      paramLabel = "URL",
      description = "The --http of a running collector.")
  private Optional<String> collector = Optional.empty();

  @Option(
      names = "--collector-token",
      paramLabel = "FILE",
      description = "The file whose first line is the collector's token.")
  private Optional<Path> token = Optional.empty();

  /** Empty if no collector is named. */
  public Optional<CollectorClient> client() {
    if (collector.isEmpty()) {
      if (token.isPresent()) {
        throw new UsageException("--collector-token needs --collector, which it is for");
      }
      return Optional.empty();
    }
    URI place = CollectorClient.place(collector.get());
    return Optional.of(new CollectorClient(place, token.map(TokenFile::read)));
  }
}

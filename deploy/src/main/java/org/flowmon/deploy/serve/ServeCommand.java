package org.flowmon.deploy.serve;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import org.flowmon.archive.Archives;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.FlowmonVersion;
import org.flowmon.deploy.command.HostAndPort;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.query.EnrichOption;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.deploy.serve.flows.CollectorOption;
import org.flowmon.deploy.serve.http.AuditLog;
import org.flowmon.deploy.serve.http.HttpServer;
import org.flowmon.ingest.collect.ServerTls;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon serve}: answers over HTTP until it is told to end. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = {
      "Serves archives over HTTP: queries, hosts, flows of addresses, with --config or --kafka also"
          + " the reports, alerts and analyses of a job. / is a console for browsers"
          + " (docs/console.md), /docs/ shows the API, /openapi.json is its contract"
          + " (docs/rest.md).",
      "It listens on this machine alone. An address of another needs --tokens, --tls-key and"
          + " --tls-cert."
    },
    footer = {
      "",
      "Examples:",
      "  flowmon serve --archive ./archive",
      "  flowmon serve --archive ./archive --config flowmon.yaml --listen 0.0.0.0:8443",
      "    --tokens tokens.txt --tls-key key.pem --tls-cert cert.pem --name flows.example.net"
    })
public final class ServeCommand implements Callable<Integer> {
  @Mixin private ArchiveOption archive;

  @Mixin private KafkaOptions kafka;

  @Mixin private EnrichOption enrich;

  @Mixin private CollectorOption collector;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:8060",
      description = "Where to listen; default ${DEFAULT-VALUE}. Port 0 takes a free one.")
  private String listen;

  @Option(
      names = "--name",
      paramLabel = "HOST",
      description =
          "A name of this server, by which browsers may ask it; may be repeated. Addresses and"
              + " localhost always are.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--tokens",
      paramLabel = "FILE",
      description =
          "Who may ask: a line ROLE NAME TOKEN each, with the roles read, analyst (also resolves"
              + " alerts, replays analyses and keeps shared views) and admin (also changes"
              + " analyses). Without it everybody on this machine may do everything.")
  private Optional<Path> tokens = Optional.empty();

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The key for HTTPS, PEM (PKCS#8, not encrypted).")
  private Optional<Path> tlsKey = Optional.empty();

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Its certificate and those that signed it, PEM.")
  private Optional<Path> tlsCert = Optional.empty();

  @Option(
      names = "--time-limit",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "The longest time of a query, waiting included; default ${DEFAULT-VALUE}.")
  private int timeLimit;

  @Option(
      names = "--audit",
      paramLabel = "FILE",
      description =
          "Appends a line of JSON for each request: who, what, how it ended. Default: standard"
              + " error.")
  private Optional<Path> audit = Optional.empty();

  @Option(
      names = "--views",
      paramLabel = "FILE",
      description =
          "The file of views that the console's users share, made with the first one. Without it"
              + " views are kept in each browser alone.")
  private Optional<Path> views = Optional.empty();

  @Option(
      names = "--iceberg",
      paramLabel = "DIR",
      description =
          "The folder, or its URL, for the metadata of the Iceberg tables that /iceberg serves"
              + " (docs/iceberg.md). Without it they are written into the archives.")
  private Optional<String> iceberg = Optional.empty();

  @Override
  public Integer call() throws IOException, InterruptedException {
    InetSocketAddress address = HostAndPort.parse("--listen", listen, "127.0.0.1:8060");
    Optional<SSLContext> tls = tls();
    Tokens known = tokens.map(Tokens::read).orElse(Tokens.NONE);
    boolean isLocal = address.getAddress().isLoopbackAddress();
    if (!isLocal && (known.isEmpty() || tls.isEmpty())) {
      throw new UsageException(
          "--listen "
              + listen
              + " is open to other machines: add --tokens FILE, --tls-key FILE and --tls-cert"
              + " FILE");
    }
    if (timeLimit < 1) {
      throw new UsageException("--time-limit is at least 1");
    }
    try (Interruption interruption = Interruption.watch();
        AuditLog log = AuditLog.open(audit);
        Server server =
            Server.start(
                new HttpServer.Settings(address, names, known, tls, log),
                new Server.Sources(
                    new FlowmonVersion().getVersion()[0],
                    Archives.open(archive.existingAll()),
                    enrichment(),
                    collector.client(),
                    kafka.isGiven() ? Optional.of(kafka) : Optional.empty(),
                    Duration.ofSeconds(timeLimit),
                    views,
                    iceberg.map(place -> archive.place("--iceberg", place))))) {
      System.out.println("listening on " + server.url());
      CountDownLatch end = new CountDownLatch(1);
      interruption.onStop(end::countDown);
      end.await();
    }
    return ExitCodes.DONE;
  }

  private EnrichmentConfig enrichment() {
    return enrich
        .config()
        .orElseGet(() -> kafka.job().map(JobConfig::enrichment).orElse(EnrichmentConfig.NONE));
  }

  private Optional<SSLContext> tls() {
    if (tlsKey.isPresent() != tlsCert.isPresent()) {
      throw new UsageException("--tls-key and --tls-cert go together");
    }
    if (tlsKey.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          ServerTls.read(tlsKey.get(), tlsCert.orElseThrow(), Optional.empty()).context());
    } catch (IOException e) {
      throw new CommandException("--tls-…: " + e.getMessage());
    }
  }
}

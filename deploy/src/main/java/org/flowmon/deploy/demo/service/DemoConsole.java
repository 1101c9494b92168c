package org.flowmon.deploy.demo.service;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.Archives;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.FlowmonVersion;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.serve.Server;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.deploy.serve.http.AuditLog;
import org.flowmon.deploy.serve.http.HttpServer;
import org.flowmon.jobs.enrich.EnrichmentConfig;

/** What {@code flowmon serve} serves, over the demo's archive and job, on loopback. */
public final class DemoConsole implements AutoCloseable {
  private static final Duration LONGEST_QUERY = Duration.ofMinutes(1);

  private final Server server;
  private final AuditLog audit;

  private DemoConsole(Server server, AuditLog audit) {
    this.server = server;
    this.audit = audit;
  }

  /** Requests are logged in {@code requests.log} of the demo's directory. */
  public static DemoConsole start(DemoOptions options, String kafka) throws IOException {
    AuditLog audit = AuditLog.open(Optional.of(options.directory().resolve("requests.log")));
    try {
      Server server =
          Server.start(
              new HttpServer.Settings(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                  List.of(),
                  Tokens.NONE,
                  Optional.empty(),
                  audit),
              new Server.Sources(
                  new FlowmonVersion().getVersion()[0],
                  Archives.open(List.of(ArchiveLocation.of(options.archive()))),
                  EnrichmentConfig.NONE,
                  Optional.empty(),
                  Optional.of(KafkaOptions.of(kafka)),
                  LONGEST_QUERY,
                  Optional.of(options.directory().resolve("views.json")),
                  Optional.empty()));
      return new DemoConsole(server, audit);
    } catch (IOException | RuntimeException e) {
      audit.close();
      throw e;
    }
  }

  public String url() {
    return server.url();
  }

  @Override
  public void close() {
    server.close();
    audit.close();
  }
}

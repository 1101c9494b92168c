package org.flowmon.deploy.serve;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.Archives;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.serve.catalog.CatalogEndpoints;
import org.flowmon.deploy.serve.flows.ArchiveEndpoint;
import org.flowmon.deploy.serve.flows.CollectorClient;
import org.flowmon.deploy.serve.flows.ExportersEndpoint;
import org.flowmon.deploy.serve.flows.FlowsEndpoint;
import org.flowmon.deploy.serve.flows.HostEndpoint;
import org.flowmon.deploy.serve.flows.PrintLookupEndpoints;
import org.flowmon.deploy.serve.flows.SeenEndpoint;
import org.flowmon.deploy.serve.http.HttpServer;
import org.flowmon.deploy.serve.http.Route;
import org.flowmon.deploy.serve.job.ServedJob;
import org.flowmon.deploy.serve.lane.Lane;
import org.flowmon.deploy.serve.lane.Lanes;
import org.flowmon.deploy.serve.query.CheckEndpoint;
import org.flowmon.deploy.serve.query.ColumnsEndpoint;
import org.flowmon.deploy.serve.query.CompleteEndpoint;
import org.flowmon.deploy.serve.query.ExplainEndpoint;
import org.flowmon.deploy.serve.query.PrintEndpoint;
import org.flowmon.deploy.serve.query.QueryEndpoint;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.flowmon.deploy.serve.view.ViewsEndpoints;
import org.flowmon.jobs.enrich.EnrichmentConfig;

/** A running server. */
public final class Server implements AutoCloseable {
  private static final String API = "/api/v1/";

  private final HttpServer.Settings settings;
  private final Lanes lanes;
  private final ServedArchives archives;
  private final ServedJob job;
  private final CatalogEndpoints catalog;
  private final HttpServer http;

  /**
   * What a server serves.
   *
   * @param archives which it closes
   * @param job the Kafka of a job; empty: none
   * @param most the longest time of a query
   * @param views the file of shared views; empty: there are none
   * @param iceberg where the metadata of the catalog's tables are; empty: in the archives
   */
  public record Sources(
      String version,
      Archives archives,
      EnrichmentConfig enrichment,
      Optional<CollectorClient> collector,
      Optional<KafkaOptions> job,
      Duration most,
      Optional<Path> views,
      Optional<ArchiveLocation> iceberg) {}

  private Server(HttpServer.Settings settings, Sources sources) throws IOException {
    this.settings = settings;
    this.archives = new ServedArchives(sources.archives(), sources.enrichment(), sources.most());
    this.lanes = new Lanes(Runtime.getRuntime().availableProcessors());
    this.job = new ServedJob(sources.job());
    this.catalog = new CatalogEndpoints(sources.archives().all(), sources.iceberg());
    this.http = HttpServer.start(settings, routes(sources), lanes);
  }

  public static Server start(HttpServer.Settings settings, Sources sources) throws IOException {
    return new Server(settings, sources);
  }

  private List<Route> routes(Sources sources) {
    StatusEndpoints status =
        new StatusEndpoints(sources, archives, lanes, job, !settings.tokens().isEmpty());
    List<Route> routes = new ArrayList<>();
    routes.add(Route.get(API + "health", Lane.REMOTE, status::health).forEverybody());
    routes.add(Route.get("/metrics", Lane.SMALL, status::metrics));
    routes.add(Route.get(API + "session", Lane.SMALL, status::session));
    routes.add(Route.get(API + "columns", Lane.SMALL, new ColumnsEndpoint()));
    routes.add(Route.post(API + "check", Lane.SMALL, new CheckEndpoint()));
    routes.add(Route.post(API + "complete", Lane.SMALL, new CompleteEndpoint()));
    routes.add(Route.post(API + "query", Lane.SMALL, new QueryEndpoint(archives)));
    routes.add(Route.post(API + "print", Lane.SMALL, new PrintEndpoint(archives)));
    PrintLookupEndpoints lookups = new PrintLookupEndpoints(archives);
    routes.add(Route.post(API + "print/host", Lane.SMALL, lookups::host));
    routes.add(Route.post(API + "print/seen", Lane.SMALL, lookups::seen));
    routes.add(Route.post(API + "explain", Lane.SMALL, new ExplainEndpoint(archives)));
    routes.add(Route.get(API + "flows", Lane.SMALL, new FlowsEndpoint(archives)));
    routes.add(Route.get(API + "hosts/{address}", Lane.SMALL, new HostEndpoint(archives)));
    routes.add(Route.post(API + "seen", Lane.SMALL, new SeenEndpoint(archives)));
    routes.add(Route.get(API + "archive", Lane.SMALL, new ArchiveEndpoint(archives)));
    routes.add(
        Route.get(
            API + "exporters", Lane.REMOTE, new ExportersEndpoint(archives, sources.collector())));
    routes.addAll(job.routes(API, archives));
    routes.addAll(new ViewsEndpoints(sources.views()).routes(API));
    routes.addAll(catalog.routes());
    return routes;
  }

  public int port() {
    return http.port();
  }

  public String url() {
    String host = settings.address().getAddress().getHostAddress();
    return (settings.tls().isPresent() ? "https://" : "http://")
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port()
        + "/";
  }

  @Override
  public void close() {
    http.close();
    lanes.close();
    job.close();
    catalog.close();
    archives.close();
  }
}

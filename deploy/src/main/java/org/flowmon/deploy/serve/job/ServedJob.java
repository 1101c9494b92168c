package org.flowmon.deploy.serve.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.replay.LocalReplay;
import org.flowmon.deploy.serve.access.Role;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.http.Route;
import org.flowmon.deploy.serve.lane.Lane;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.jspecify.annotations.Nullable;

/** A job, if the server knows one. */
public final class ServedJob implements AutoCloseable {
  private final Optional<KafkaOptions> kafka;
  private final Optional<JobTopics> topics;
  private final Optional<JobDatabase> database;
  private final List<ReportStore> stores = new ArrayList<>();
  private final Map<String, Object> properties = new HashMap<>();

  /** Whether reports are read: {@code ok}, {@code waiting} or {@code failed}. */
  public record State(String status, @Nullable String detail) {}

  public ServedJob(Optional<KafkaOptions> kafka) {
    this.kafka = kafka;
    kafka.ifPresent(
        one -> {
          ServicesLog.quiet();
          properties.putAll(one.properties());
          properties.put("bootstrap.servers", one.bootstrap());
        });
    this.topics = kafka.map(one -> new JobTopics(properties));
    this.database =
        kafka
            .flatMap(KafkaOptions::job)
            .flatMap(job -> Optional.ofNullable(job.postgres()))
            .map(JobDatabase::new);
    database.ifPresent(stores::add);
    topics.ifPresent(stores::add);
  }

  /** Of each store of reports, by name; empty without a job. */
  public Map<String, State> states() {
    Map<String, State> states = new LinkedHashMap<>();
    stores.forEach(store -> states.put(store.name(), store.state()));
    return states;
  }

  public List<Route> routes(String api, ServedArchives archives) {
    AnalysesEndpoints analyses = new AnalysesEndpoints(kafka);
    List<Route> routes = new ArrayList<>();
    routes.add(Route.get(api + "analyses", Lane.REMOTE, analyses::list));
    routes.add(Route.post(api + "analyses/check", Lane.SMALL, analyses::check));
    routes.add(Route.get(api + "analyses/{name}", Lane.REMOTE, analyses::one));
    routes.add(change("PUT", api, analyses::add));
    routes.add(change("DELETE", api, analyses::remove));
    routes.add(
        Route.post(
                api + "replays",
                Lane.REPLAY,
                new ReplayEndpoint(
                    analyses,
                    archives,
                    kafka.flatMap(KafkaOptions::job).orElseGet(LocalReplay::withoutJob)))
            .forRole(Role.ANALYST));
    Optional<AlertsEndpoints> alerts =
        topics.map(one -> new AlertsEndpoints(database, one, properties));
    Lane lane = database.isPresent() ? Lane.REMOTE : Lane.SMALL;
    routes.add(
        Route.get(api + "reports", lane, orNone(topics, any -> new ReportsEndpoint(stores))));
    routes.add(Route.get(api + "alerts", lane, orNone(alerts, one -> one::list)));
    routes.add(Route.get(api + "alerts/{id}", lane, orNone(alerts, one -> one::one)));
    routes.add(
        Route.post(api + "alerts/{id}/resolve", Lane.REMOTE, orNone(alerts, one -> one::resolve))
            .forRole(Role.ANALYST));
    return routes;
  }

  private static Route change(String method, String api, Endpoint endpoint) {
    return new Route(
        method, api + "analyses/{name}", Optional.of(Role.ADMIN), Lane.REMOTE, endpoint);
  }

  private static <T> Endpoint orNone(Optional<T> of, Function<T, Endpoint> endpoint) {
    if (of.isPresent()) {
      return endpoint.apply(of.get());
    }
    return exchange -> {
      throw unknown();
    };
  }

  static Problem unknown() {
    return new Problem(
        Problem.Code.UNAVAILABLE, "the server knows no job: start it with --config or --kafka");
  }

  @Override
  public void close() {
    stores.forEach(ReportStore::close);
  }
}

package org.flowmon.deploy.serve.job;

import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.serve.http.Route;
import org.jspecify.annotations.Nullable;

/** A job, if the server knows one. */
public final class ServedJob implements AutoCloseable {
  private final Optional<KafkaOptions> kafka;

  /** Whether reports are read: {@code ok}, {@code waiting} or {@code failed}. */
  public record State(String status, @Nullable String detail) {}

  public ServedJob(Optional<KafkaOptions> kafka) {
    this.kafka = kafka;
  }

  public Optional<State> trouble() {
    return kafka.map(one -> new State("ok", null));
  }

  public List<Route> routes(String api) {
    return List.of();
  }

  @Override
  public void close() {}
}

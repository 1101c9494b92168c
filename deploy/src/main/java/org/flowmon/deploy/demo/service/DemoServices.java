package org.flowmon.deploy.demo.service;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.deploy.embedded.EmbeddedPostgres;
import org.flowmon.jobs.embedded.EmbeddedKafka;

/** Broker, database and cluster of one demo, started in parallel, stopped in reverse order. */
public final class DemoServices implements AutoCloseable {
  public static final String FLOWS = "flows";

  private final EmbeddedKafka kafka;
  private final EmbeddedPostgres postgres;
  private final EmbeddedFlink flink;

  private DemoServices(EmbeddedKafka kafka, EmbeddedPostgres postgres, EmbeddedFlink flink) {
    this.kafka = kafka;
    this.postgres = postgres;
    this.flink = flink;
  }

  /**
   * Throws {@link org.flowmon.jobs.embedded.EmbeddedServiceException} if one of the three does not
   * start; the others are stopped.
   */
  public static DemoServices start(DemoOptions options) {
    CompletableFuture<EmbeddedKafka> kafka =
        begin("kafka", () -> EmbeddedKafka.start(options.kafka()));
    CompletableFuture<EmbeddedPostgres> postgres =
        begin("postgres", () -> EmbeddedPostgres.start(options.postgres()));
    CompletableFuture<EmbeddedFlink> flink =
        begin("flink", () -> EmbeddedFlink.start(options.flink(), options.parallelism()));
    try {
      CompletableFuture.allOf(kafka, postgres, flink).join();
      // Flows must stay until they are archived; the demo ends long before a day.
      kafka.join().createTopic(FLOWS, options.parallelism(), Map.of("retention.ms", "86400000"));
      return new DemoServices(kafka.join(), postgres.join(), flink.join());
    } catch (RuntimeException e) {
      closeStarted(flink);
      closeStarted(postgres);
      closeStarted(kafka);
      throw e instanceof CompletionException && e.getCause() instanceof RuntimeException cause
          ? cause
          : e;
    }
  }

  private static <T> CompletableFuture<T> begin(String name, Supplier<T> start) {
    CompletableFuture<T> started = new CompletableFuture<>();
    Thread thread = new Thread(() -> complete(started, start), "demo-start-" + name);
    thread.setDaemon(true);
    thread.start();
    return started;
  }

  private static <T> void complete(CompletableFuture<T> started, Supplier<T> start) {
    try {
      started.complete(start.get());
    } catch (RuntimeException | Error e) {
      started.completeExceptionally(e);
    }
  }

  private static void closeStarted(CompletableFuture<? extends AutoCloseable> service) {
    try (AutoCloseable started = service.handle((value, failure) -> value).join()) {
      // only closing is needed
    } catch (Exception e) {
      // Report the failure that caused the stop.
    }
  }

  public EmbeddedKafka kafka() {
    return kafka;
  }

  public EmbeddedPostgres postgres() {
    return postgres;
  }

  EmbeddedFlink flink() {
    return flink;
  }

  @Override
  public void close() {
    try (kafka;
        postgres;
        flink) {
      // in the order of their names from right to left
    }
  }
}

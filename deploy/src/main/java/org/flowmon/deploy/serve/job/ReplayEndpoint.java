package org.flowmon.deploy.serve.job;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.flowmon.deploy.command.ServicesLog;
import org.flowmon.deploy.replay.LocalReplay;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.JsonBodies;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.deploy.serve.query.ServedArchives;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.replay.ReplaySpec;

/**
 * {@code POST /api/v1/replays}: runs an analysis over the archives as {@code flowmon replay} does.
 * Its reports stream, with the progress between them; it ends when its client goes.
 */
final class ReplayEndpoint implements Endpoint {
  private static final long MOST_SECONDS = 3600;
  private static final long SECONDS = 600;

  private final AnalysesEndpoints analyses;
  private final ServedArchives archives;
  private final JobConfig job;

  /** {@code job}: whose delays and bounds it has. */
  ReplayEndpoint(AnalysesEndpoints analyses, ServedArchives archives, JobConfig job) {
    this.analyses = analyses;
    this.archives = archives;
    this.job = job;
  }

  @Override
  public void answer(Exchange exchange) throws IOException {
    exchange.fields().only();
    JsonBodies body = exchange.body().only("analysis", "text", "from", "to", "seconds");
    Duration limit = Duration.ofSeconds(body.integer("seconds", 1, MOST_SECONDS).orElse(SECONDS));
    exchange.limit(limit);
    ReplaySpec spec = spec(body);
    exchange.audit("analysis", spec.analysis().name());
    ServicesLog.quiet();
    // A processor stays free for queries.
    int parallelism = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);
    ReplayLines lines =
        new ReplayLines(exchange.stream("application/x-ndjson"), spec.from(), spec.to());
    lines.write(); // the progress: none yet, but the client knows that it is its turn
    try {
      try (LocalReplay replay = new LocalReplay(spec, parallelism, lines)) {
        while (!replay.await(lines.pause())) {
          if (exchange.left().isZero()) {
            throw new Problem(
                Problem.Code.TIME_LIMIT,
                "the replay took longer than "
                    + limit.toSeconds()
                    + " s; choose a shorter range, or more seconds");
          }
          exchange.check();
          lines.write();
        }
      }
      lines.write();
      lines.end(); // and not before, as the next replay needs the cluster to be gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the server ends");
    } catch (RuntimeException e) {
      lines.fail(exchange.problemOf(e));
    } finally {
      lines.close();
      exchange.audit("rows", lines.reports());
    }
  }

  private ReplaySpec spec(JsonBodies body) throws IOException {
    long from = body.time("from").orElseThrow(() -> Problem.badRequest("'from' is missing"));
    long to = body.time("to").orElseThrow(() -> Problem.badRequest("'to' is missing"));
    try {
      return new ReplaySpec(
          archives.locations(),
          analyses.asked(body),
          from,
          to,
          job.job().historyDelay(),
          job.job().disorderBound(),
          archives.enrichment());
    } catch (ConfigException e) {
      throw Problem.badRequest(String.valueOf(e.getMessage()));
    }
  }
}

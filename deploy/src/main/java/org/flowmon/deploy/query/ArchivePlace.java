package org.flowmon.deploy.query;

import java.io.IOException;
import java.util.Optional;
import java.util.stream.Collectors;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.archive.SamplingRates;
import org.flowmon.deploy.command.Interruption;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.distributed.DistributedQuery;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.udaf.query.Query;

/** Archives of this process, open until it is closed; each query sees their newest state. */
public final class ArchivePlace implements QueryPlace {
  private final ArchiveOption archives;
  private final ArchiveSnapshots asked;
  private final EnrichOption enrich;
  private final QueryOptions options;
  private final SamplingRates rates = new SamplingRates();
  private final Optional<DistributedQuery> cluster;
  private boolean isAsked;
  private volatile boolean isCancelled;

  /** Opens the archives; {@code cluster} answers in place of this process. */
  public ArchivePlace(
      ArchiveOption archives,
      EnrichOption enrich,
      QueryOptions options,
      Optional<DistributedQuery> cluster)
      throws IOException {
    this.cluster = cluster;
    this.archives = archives;
    this.enrich = enrich;
    this.options = options.withIsGone(() -> isCancelled);
    this.asked = archives.snapshots();
  }

  @Override
  public void print(PrintedQuery query, PrintedQuery.Output out) throws IOException {
    isCancelled = false;
    if (isAsked) {
      asked.refresh();
    }
    isAsked = true;
    Query parsed = QueryText.parse(query.text());
    EnrichmentFiles files = enrich.open(query.bind(parsed));
    PrintedQuery.Answering answering =
        cluster.isPresent() ? by(cluster.get()) : ArchiveQuery::stream;
    var unused =
        query.print(asked.all(), parsed, files, options, rates, asked::fetched, answering, out);
  }

  /** The job of the cluster ends with this process. */
  private PrintedQuery.Answering by(DistributedQuery remote) {
    return (snapshots, query, limited, sink) -> {
      if (limited.explain()) {
        throw new UsageException("EXPLAIN is for a query without --flink");
      }
      try (Interruption interruption = Interruption.watch()) {
        interruption.onStop(this::cancel);
        QueryAnswer answer = remote.run(snapshots, query, limited);
        sink.rows(answer.table());
        return new StreamedAnswer(answer.table().rowCount(), answer.stats(), answer.bounds());
      }
    };
  }

  @Override
  public void cancel() {
    isCancelled = true;
  }

  @Override
  public String name() {
    return archives.locations().stream().map(Object::toString).collect(Collectors.joining(", "));
  }

  @Override
  public void close() {
    asked.close();
  }
}

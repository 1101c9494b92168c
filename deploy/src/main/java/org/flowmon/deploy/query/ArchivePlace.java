package org.flowmon.deploy.query;

import java.io.IOException;
import java.util.stream.Collectors;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.archive.ArchiveOption;
import org.flowmon.deploy.archive.ArchiveSnapshots;
import org.flowmon.deploy.archive.SamplingRates;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.udaf.query.Query;

/** Archives of this process, open until it is closed; each query sees their newest state. */
public final class ArchivePlace implements QueryPlace {
  private final ArchiveOption archives;
  private final ArchiveSnapshots asked;
  private final EnrichOption enrich;
  private final QueryOptions options;
  private final SamplingRates rates = new SamplingRates();
  private boolean isAsked;
  private volatile boolean isCancelled;

  /** Opens the archives. */
  public ArchivePlace(ArchiveOption archives, EnrichOption enrich, QueryOptions options)
      throws IOException {
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
    var unused = query.print(asked.all(), parsed, files, options, rates, asked::fetched, out);
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

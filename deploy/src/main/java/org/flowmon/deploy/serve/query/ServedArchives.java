package org.flowmon.deploy.serve.query;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.flowmon.archive.Archive;
import org.flowmon.archive.Archives;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.query.QueryCost;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.archive.ArchiveConfidence;
import org.flowmon.deploy.archive.SamplingRates;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.serve.http.Endpoint;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.lane.Lane;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.enrich.EnrichmentFiles;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.set.LongRanges;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archives of a server, open as long as it runs, so that a request finds segments and pages
 * that earlier ones have read. Each request sees the newest state.
 */
public final class ServedArchives implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServedArchives.class);
  private static final Duration REFRESH = Duration.ofSeconds(30);

  /** Rows that a query may examine beside others: some ten milliseconds of work. */
  private static final long SMALL_ROWS = 2_000_000;

  private final Archives archives;
  private final EnrichmentConfig enrichment;
  private final EnrichmentFiles files;
  private final Duration most;
  private final SamplingRates rates = new SamplingRates();
  private final Thread upkeep = new Thread(this::upkeep, "serve-upkeep");

  /** Takes over the archives, which it closes; {@code most}: the longest time of a request. */
  public ServedArchives(Archives archives, EnrichmentConfig enrichment, Duration most)
      throws IOException {
    this.archives = archives;
    this.enrichment = enrichment;
    this.most = most;
    this.files = new EnrichmentFiles(enrichment, LOG::warn);
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      LOG.debug("serving {}", snapshot.all());
    } catch (IllegalArgumentException e) {
      throw new UsageException("--archive: " + e.getMessage());
    }
    upkeep.setDaemon(true);
    upkeep.start();
  }

  /** Looks into the newest segments once, and now and then for new versions of joined files. */
  private void upkeep() {
    try (ArchivesSnapshot snapshot = archives.snapshot()) {
      ArchiveConfidence unused = ArchiveConfidence.of(snapshot.all(), LongRanges.ALL, rates);
    } catch (IOException | RuntimeException e) {
      LOG.warn("the archives could not be looked into: {}", e.getMessage());
    }
    while (true) {
      try {
        Thread.sleep(REFRESH.toMillis());
        files.refresh();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** The newest state; to be closed. */
  public ArchivesSnapshot snapshot() throws IOException {
    return archives.snapshot();
  }

  public List<ArchiveLocation> locations() {
    return archives.all().stream().map(Archive::location).toList();
  }

  public EnrichmentConfig enrichment() {
    return enrichment;
  }

  /** Limits the time of a request: to {@code seconds} if it gives some and may have so many. */
  public void limit(Exchange exchange, OptionalLong seconds) {
    Duration asked = Duration.ofSeconds(seconds.orElse(Long.MAX_VALUE));
    exchange.limit(asked.compareTo(most) < 0 ? asked : most);
  }

  /** Goes on in the lane for a query of this cost. */
  public void inLane(Exchange exchange, Query query, Endpoint then) throws IOException {
    long cost;
    try (ArchivesSnapshot snapshot = snapshot()) {
      cost = QueryCost.rows(snapshot.all(), query);
    }
    exchange.audit("expected_rows", cost);
    if (cost > SMALL_ROWS) {
      exchange.move(Lane.LARGE, then);
    } else {
      then.answer(exchange);
    }
  }

  /**
   * With the limits of the exchange: its time, its lane's memory, and whether anybody waits. For
   * its queries, one after another on one thread: large ones let small ones go before.
   */
  public QueryOptions options(Exchange exchange) {
    Runnable yielding = exchange.lanes().yielding(exchange.lane(), exchange::isGone);
    return QueryOptions.DEFAULTS
        .withGroupMemory(exchange.lanes().memory(exchange.lane()))
        .withTimeLeft(exchange::left)
        .withIsGone(
            () -> {
              yielding.run();
              return exchange.isGone();
            })
        .withEnrichment(files);
  }

  EnrichmentFiles files() {
    return files;
  }

  public SamplingRates rates() {
    return rates;
  }

  /** How far the answer to a bound query can be trusted. */
  public ArchiveConfidence confidence(ArchivesSnapshot snapshot, Query query) {
    return ArchiveConfidence.of(snapshot.all(), query, rates);
  }

  /** How far an answer about flows that ended at these times, µs, can be trusted. */
  public ArchiveConfidence confidence(ArchivesSnapshot snapshot, LongRanges times) {
    return ArchiveConfidence.of(snapshot.all(), times, rates);
  }

  /** Names of columns that are NULL as no file is configured for them, as warnings. */
  List<String> unjoined(Query query) {
    return EnrichmentFiles.missing(query, enrichment).stream()
        .map(
            column ->
                column.sqlName()
                    + " is NULL: the server has no enrichment."
                    + EnrichmentFiles.key(column.table()))
        .toList();
  }

  @Override
  public void close() {
    upkeep.interrupt();
    archives.close();
  }
}

package org.flowmon.jobs.enrich;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.enrich.Lookup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task's hold on the files of its job in this TaskManager: read once per class loader for all
 * tasks, looked at for changes by one thread, and let go with the last {@link #close}.
 */
public final class SharedEnrichment implements Enrichment, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SharedEnrichment.class);
  private static final Map<EnrichmentConfig, Shared> ALL = new HashMap<>();

  private final EnrichmentConfig config;
  private final Shared shared;
  private boolean isClosed;

  /** The files while they have users. */
  private static final class Shared {
    private final EnrichmentFiles files;
    private final ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, SharedEnrichment::daemon);
    private int users;

    Shared(EnrichmentConfig config) {
      files = new EnrichmentFiles(config, LOG::warn);
      if (!config.isEmpty()) {
        long millis = config.reload().toMillis();
        var unused =
            timer.scheduleWithFixedDelay(this::refresh, millis, millis, TimeUnit.MILLISECONDS);
      }
    }

    private void refresh() {
      try {
        files.refresh();
      } catch (RuntimeException | OutOfMemoryError e) {
        LOG.error(
            "files of enrichment cannot be read again", e); // else it would not be tried again
      }
    }
  }

  private SharedEnrichment(EnrichmentConfig config, Shared shared) {
    this.config = config;
    this.shared = shared;
  }

  /** Each call needs its {@link #close}. The first reads the files. */
  public static SharedEnrichment acquire(EnrichmentConfig config) {
    synchronized (ALL) {
      Shared shared = ALL.computeIfAbsent(config, Shared::new);
      shared.users++;
      return new SharedEnrichment(config, shared);
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "enrichment-reload");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public Supplier<Lookup> lookup(EnrichedColumn.Table table) {
    return shared.files.lookup(table);
  }

  @Override
  public boolean completes(EnrichedColumn.Table table) {
    return shared.files.completes(table);
  }

  @Override
  public Optional<String> version(EnrichedColumn.Table table) {
    return shared.files.version(table);
  }

  @Override
  public Enrichment pinned() {
    return shared.files.pinned();
  }

  /** As {@link EnrichmentFiles#versionsSince}. */
  public List<String> versionsSince(Instant time, Collection<EnrichedColumn> columns) {
    return shared.files.versionsSince(time, columns);
  }

  @Override
  public void close() {
    synchronized (ALL) {
      if (!isClosed && --shared.users == 0) {
        ALL.remove(config);
        shared.timer.shutdownNow();
      }
      isClosed = true;
    }
  }
}

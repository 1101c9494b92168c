package org.flowmon.jobs.sql.lookup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncLookupFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.flowmon.jobs.sql.scan.ArchiveScan;

/**
 * Looks flows up by the values of some columns, for joins. All keys that wait are looked for
 * together in the newest commit, on a thread of this task: what a commit costs is shared by them.
 */
public final class ArchiveLookup extends AsyncLookupFunction {
  public static final ConfigOption<Integer> MAX_ROWS =
      ConfigOptions.key("lookup.max-rows")
          .intType()
          .defaultValue(10_000)
          .withDescription("The most flows of one key of a lookup join; more fail the job.");

  private static final long serialVersionUID = 1L;
  private static final int MAX_KEYS = 1024; // at once

  private final ArchiveScan scan;
  private final LookupKey key;
  private final int maxRows;
  private final int maxRetries;

  private transient BlockingQueue<Asked> waiting;
  private transient Thread thread;
  private transient FlowFinder finder;
  private transient volatile boolean closed;

  /**
   * {@code scan}: without a limit; {@code maxRows}: of one key, more are an error; {@code
   * maxRetries}: of reads that fail.
   */
  public ArchiveLookup(ArchiveScan scan, LookupKey key, int maxRows, int maxRetries) {
    this.scan = scan;
    this.key = key;
    this.maxRows = maxRows;
    this.maxRetries = maxRetries;
  }

  @Override
  public void open(FunctionContext context) throws IOException {
    finder = new FlowFinder(scan, key, maxRows);
    waiting = new LinkedBlockingQueue<>();
    thread = new Thread(this::answerAll, "flowmon-lookup");
    thread.setDaemon(true);
    thread.setContextClassLoader(ArchiveLookup.class.getClassLoader());
    thread.start();
  }

  @Override
  public CompletableFuture<Collection<RowData>> asyncLookup(RowData row) {
    Asked asked = key.of(row);
    if (asked == null) {
      return CompletableFuture.completedFuture(List.of());
    }
    waiting.add(asked);
    return asked.answer;
  }

  private void answerAll() {
    List<Asked> some = new ArrayList<>();
    while (!closed) {
      try {
        some.add(waiting.take());
        waiting.drainTo(some, MAX_KEYS - 1);
        answer(some);
      } catch (InterruptedException e) {
        return; // closed
      } catch (IOException | RuntimeException e) {
        some.forEach(asked -> asked.answer.completeExceptionally(e));
      } catch (Error e) {
        some.forEach(asked -> asked.answer.completeExceptionally(e));
        throw e; // not a failure of the lookup alone
      }
      some.clear();
    }
  }

  private void answer(List<Asked> some) throws IOException {
    for (int failures = 0; ; failures++) {
      try {
        finder.find(some);
        break;
      } catch (IOException e) {
        if (failures == maxRetries || closed) {
          throw e;
        }
      }
    }
    some.forEach(Asked::complete);
  }

  @Override
  public void close() throws Exception {
    closed = true;
    if (thread != null) {
      thread.interrupt();
      thread.join();
    }
    if (finder != null) {
      finder.close();
    }
  }
}

package org.flowmon.jobs.sql.lookup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncLookupFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.types.logical.LogicalType;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.jobs.sql.row.RowVectors;
import org.flowmon.jobs.sql.scan.ArchiveScan;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;

/**
 * Looks flows up by the values of some columns, for joins. All keys that wait become one query over
 * the newest commit, on a thread of this task: what an archive costs per query is shared by them.
 */
public final class ArchiveLookup extends AsyncLookupFunction {
  public static final ConfigOption<Integer> MAX_ROWS =
      ConfigOptions.key("lookup.max-rows")
          .intType()
          .defaultValue(10_000)
          .withDescription("The most flows of one key of a lookup join; more fail the job.");

  private static final long serialVersionUID = 1L;
  private static final int MAX_KEYS = 1024; // of one query

  private final ArchiveScan scan;
  private final LookupKey key;
  private final int maxRows;
  private final int maxRetries;

  private transient BlockingQueue<Asked> waiting;
  private transient Thread thread;
  private transient Archive archive;
  private transient FlowQuery query;
  private transient RowVectors rows;
  private transient RowData.FieldGetter[] fields;
  private transient volatile boolean closed;

  /** A key and who waits for its flows. */
  private record Asked(RowData key, CompletableFuture<Collection<RowData>> answer) {}

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
    archive = Archive.open(scan.archive(), ArchiveOptions.DEFAULTS);
    Query parsed = QueryParser.parseQuery(scan.query()); // knows the archive's columns by now
    query = (FlowQuery) parsed;
    rows = new RowVectors(scan.fields());
    fields = new RowData.FieldGetter[scan.fields().size()];
    for (int i = 0; i < fields.length; i++) {
      LogicalType type = scan.fields().get(i).type();
      fields[i] = RowData.createFieldGetter(type, i);
    }
    waiting = new LinkedBlockingQueue<>();
    thread = new Thread(this::answerAll, "flowmon-lookup");
    thread.setDaemon(true);
    thread.setContextClassLoader(ArchiveLookup.class.getClassLoader());
    thread.start();
  }

  @Override
  public CompletableFuture<Collection<RowData>> asyncLookup(RowData row) {
    CompletableFuture<Collection<RowData>> answer = new CompletableFuture<>();
    RowData own = key.of(row);
    if (own == null) {
      answer.complete(List.of()); // nothing equals NULL, or a text that is no address
    } else {
      waiting.add(new Asked(own, answer));
    }
    return answer;
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
        some.forEach(asked -> asked.answer().completeExceptionally(e));
      } catch (Error e) {
        some.forEach(asked -> asked.answer().completeExceptionally(e));
        throw e; // not a failure of the lookup alone
      }
      some.clear();
    }
  }

  private void answer(List<Asked> some) throws IOException {
    Map<RowData, List<RowData>> found = new HashMap<>();
    for (int failures = 0; ; failures++) {
      found.clear();
      some.forEach(asked -> found.computeIfAbsent(asked.key(), unused -> new ArrayList<>(0)));
      try {
        find(found);
        break;
      } catch (IOException e) {
        if (failures == maxRetries || closed) {
          throw e;
        }
      }
    }
    some.forEach(asked -> asked.answer().complete(found.getOrDefault(asked.key(), List.of())));
  }

  private void find(Map<RowData, List<RowData>> found) throws IOException {
    List<Expression> terms = new ArrayList<>(key.conditions(found.keySet()));
    Expression where = query.where();
    if (where != null) {
      terms.add(where);
    }
    Expression both = terms.size() == 1 ? terms.get(0) : new Expression.And(terms);
    FlowQuery asked = new FlowQuery(query.select(), both, List.of(), List.of(), -1);
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      var unused =
          ArchiveQuery.stream(
              List.of(snapshot),
              asked,
              QueryOptions.DEFAULTS,
              some -> rows.emit(some, row -> add(row, found)));
    }
  }

  private void add(RowData row, Map<RowData, List<RowData>> found) {
    RowData of = key.ofFlow(row);
    List<RowData> flows = of == null ? null : found.get(of);
    if (flows == null) {
      return; // each value is of a key, but not all of one
    }
    if (flows.size() == maxRows) {
      throw new IllegalStateException(
          String.format(
              "the lookup of %s finds more than %d flows; join on more columns, add a condition on"
                  + " constants, or set the table's option '%s'",
              of, maxRows, MAX_ROWS.key()));
    }
    GenericRowData own = new GenericRowData(fields.length);
    for (int i = 0; i < fields.length; i++) {
      own.setField(i, fields[i].getFieldOrNull(row));
    }
    flows.add(own);
  }

  @Override
  public void close() throws Exception {
    closed = true;
    if (thread != null) {
      thread.interrupt();
      thread.join();
    }
    if (archive != null) {
      archive.close();
    }
  }
}

package org.flowmon.jobs.sql.scan;

import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.table.data.RowData;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.scan.SplitQuery;
import org.flowmon.jobs.sql.row.RowVectors;
import org.flowmon.jobs.sql.row.SqlField;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;

/**
 * What each split of an archive is asked, and how the answer becomes rows. A split's query has the
 * heap of queries, divided by the number of readers.
 *
 * @param query in the dialect
 * @param fields one for each item of the query; none if only the number of rows matters
 * @param limit more rows than this are not wanted from one reader; −1 for all
 */
public record ArchiveScan(ArchiveLocation archive, String query, List<SqlField> fields, long limit)
    implements SplitQuery<RowData> {
  private static final long serialVersionUID = 1L;

  public ArchiveScan {
    fields = List.copyOf(fields);
  }

  @Override
  public Answers<RowData> answers(int readers) {
    return new Rows(this, readers);
  }

  private static final class Rows implements Answers<RowData> {
    private final long limit;
    private final Query query;
    private final RowVectors rows;
    private final QueryOptions options;
    private long given;

    Rows(ArchiveScan scan, int readers) {
      this.limit = scan.limit();
      this.query = QueryParser.parseQuery(scan.query());
      this.rows = new RowVectors(scan.fields());
      this.options =
          QueryOptions.DEFAULTS.withGroupMemory(
              QueryOptions.DEFAULTS.groupMemory() / Math.max(1, readers));
    }

    @Override
    public boolean isComplete() {
      return limit >= 0 && given >= limit;
    }

    @Override
    public void answer(ArchiveSnapshot part, ReaderOutput<RowData> output) throws IOException {
      given +=
          ArchiveQuery.stream(
                  List.of(part), query, options, some -> rows.emit(some, output::collect))
              .rows();
    }
  }
}

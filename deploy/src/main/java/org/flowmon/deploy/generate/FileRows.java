package org.flowmon.deploy.generate;

import java.io.IOException;
import java.util.List;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.deploy.export.row.ExportTarget;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;

/** Batches as rows of a file of text, or of Parquet. */
final class FileRows implements BatchTarget {
  private final ExportTarget target;
  private final Rows rows = new Rows();

  FileRows(ExportTarget target) throws IOException {
    this.target = target;
    target.begin(rows.columns());
  }

  @Override
  public void add(FlowBatch batch) throws IOException {
    rows.read(batch);
    target.write(rows);
  }

  @Override
  public void finish() throws IOException {
    target.finish();
  }

  @Override
  public void close() throws IOException {
    target.close();
  }

  /** The columns of one batch; none is a text. */
  private static final class Rows implements ExportRows {
    private static final List<FlowColumn> COLUMNS = RowOutput.COLUMNS;

    private final List<ExportColumn> columns = COLUMNS.stream().map(ExportColumn::of).toList();
    private final long[][] high = new long[COLUMNS.size()][0];
    private final long[][] low = new long[COLUMNS.size()][0];
    private final long[][] valid = new long[COLUMNS.size()][0];
    private int count;

    void read(FlowBatch batch) {
      count = batch.rows();
      for (int c = 0; c < COLUMNS.size(); c++) {
        FlowColumn column = COLUMNS.get(c);
        if (low[c].length < count) {
          low[c] = new long[count];
          high[c] = new long[count];
          valid[c] = new long[(count + 63) >>> 6];
        }
        if (column.type() == ColumnType.ADDRESS) {
          batch.readAddresses(column, 0, count, high[c], low[c]);
        } else {
          batch.readLongs(column, 0, count, low[c]);
        }
        batch.readValidity(column, 0, count, valid[c]);
      }
    }

    @Override
    public List<ExportColumn> columns() {
      return columns;
    }

    @Override
    public boolean next() {
      return false; // each batch is written as it comes
    }

    @Override
    public int rows() {
      return count;
    }

    @Override
    public boolean isNull(int row, int column) {
      return (valid[column][row >>> 6] >>> row & 1) == 0;
    }

    @Override
    public long low(int row, int column) {
      return low[column][row];
    }

    @Override
    public long high(int row, int column) {
      return high[column][row];
    }

    @Override
    public String text(int row, int column) {
      throw new IllegalStateException(columns.get(column).name() + " is no text");
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }
}

package org.flowmon.deploy.serve.query;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.deploy.export.AnswerExport;
import org.flowmon.deploy.export.file.ExportFormat;
import org.flowmon.deploy.export.file.StreamTarget;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/** Typed columns, as {@code flowmon export} writes them. The first rows decide about types. */
final class TypedAnswer implements AnswerRows {
  private final StreamTarget target;
  private final List<SelectItem> items;
  private List<ExportColumn> columns = List.of();

  TypedAnswer(OutputStream out, List<SelectItem> items, ExportFormat format) {
    this.target = new StreamTarget(out, format);
    this.items = items;
  }

  @Override
  public void rows(ResultTable some, int from, int to) throws IOException {
    AnswerExport rows = new AnswerExport(some, items, from, to);
    if (columns.isEmpty()) {
      columns = rows.columns();
      target.begin(columns);
    }
    for (int c = 0; c < columns.size(); c++) {
      if (rows.columns().get(c).kind() == ExportColumn.Kind.INT128
          && columns.get(c).kind() != ExportColumn.Kind.INT128) {
        throw Problem.badRequest(
            "'"
                + columns.get(c).name()
                + "' goes beyond 64 bits after its first rows, when its type is told: ask for"
                + " ndjson");
      }
    }
    while (rows.next()) {
      target.write(rows);
    }
  }

  @Override
  public void end(StreamedAnswer answer, long given, @Nullable String next) throws IOException {
    target.finish();
  }

  @Override
  public void close() {
    target.close();
  }
}

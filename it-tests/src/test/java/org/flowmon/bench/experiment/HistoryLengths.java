package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.archive.GeneratedWorkload;
import org.flowmon.bench.archive.SystemChoice;
import org.flowmon.bench.archive.SystemComparison;
import org.flowmon.bench.archive.SystemFigures;
import org.flowmon.bench.archive.WorkloadQuery;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.command.UsageException;

/** Time of the analyses' history queries by days of history. */
public final class HistoryLengths implements Experiment {
  @Override
  public void run(Run run) throws IOException {
    List<Integer> days = run.integers("days");
    for (int i = 1; i < days.size(); i++) {
      if (days.get(i) <= days.get(i - 1)) {
        throw new UsageException("--days are ascending, found " + days);
      }
    }
    int longest = days.get(days.size() - 1);
    GeneratedWorkload workload =
        new GeneratedWorkload(run.number("rows"), run.number("seed"), longest);
    run.word("workload", workload.description());
    Map<WorkloadQuery, Integer> queries = new LinkedHashMap<>();
    for (int d : days) {
      WorkloadQuery.ofDays(workload.parameters(), d).forEach(query -> queries.put(query, d));
    }
    SystemComparison compared =
        SystemChoice.of(run)
            .compare(run, workload, List.copyOf(queries.keySet()), run.folder(), false);
    List<Row> rows = new ArrayList<>();
    queries.forEach((query, d) -> rows.add(row(run, compared, query.name(), d)));
    rows.sort((a, b) -> analysis(a).compareTo(analysis(b)));
    rows.forEach(run::add);
  }

  private static String analysis(Row row) {
    return row.values().get("analysis").toString();
  }

  private static Row row(Run run, SystemComparison compared, String query, int days) {
    String analysis = query.substring(0, query.indexOf('/'));
    Row row =
        new Row()
            .put("analysis", analysis)
            .put("days", days)
            .put("rows_fetched", compared.answers().get(query).rows());
    for (SystemFigures figures : compared.figures()) {
      row.put(figures.name() + "_ms", figures.median(query));
      String system = compared.figures().size() == 1 ? "" : figures.name() + " ";
      run.point(system + analysis, days, figures.median(query));
    }
    return row;
  }
}

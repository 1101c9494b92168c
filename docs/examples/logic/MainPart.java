import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogicProvider;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.ReportRows;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** Brings the logic {@code main_part}: the first rows of a window that together have a share of its bytes. */
public class MainPart implements ReportLogicProvider {
  @Override
  public Map<String, Supplier<ReportLogic>> logics() {
    return Map.of("main_part", Logic::new);
  }

  private static class Logic implements ReportLogic {
    private BigDecimal share;
    private List<ReportColumn> live;
    private List<ReportColumn> columns;

    @Override
    public List<ReportColumn> open(AnalysisConfig analysis) {
      ReportParameters parameters = new ReportParameters(analysis);
      share = parameters.decimal("share", "0.8", "0", "1");
      parameters.end(); // refuses others
      live = LiveColumns.of(analysis);
      if (live.stream().noneMatch(column -> column.name().equals("bytes"))) {
        throw analysis.error("live.query", "logic main_part needs a column bytes");
      }
      columns = new ArrayList<>(live);
      columns.add(ReportColumn.of("share_so_far", ValueKind.DOUBLE));
      return columns;
    }

    @Override
    public ResultTable report(WindowHistory window) {
      ResultTable rows = window.window().rows();
      ResultTable totals = window.window().totals(); // over all groups, those beyond LIMIT too
      BigInteger total = totals.bigValue(0, totals.column("bytes"));
      BigInteger sum = BigInteger.ZERO;
      ReportRows out = new ReportRows(columns);
      for (int row = 0; row < rows.rowCount(); row++) {
        if (new BigDecimal(sum).compareTo(share.multiply(new BigDecimal(total))) >= 0) {
          break;
        }
        sum = sum.add(rows.bigValue(row, rows.column("bytes")));
        out.row();
        for (ReportColumn column : live) {
          out.copy(column.name(), rows, row);
        }
        out.set("share_so_far", sum.doubleValue() / total.doubleValue());
      }
      return out.build();
    }
  }
}

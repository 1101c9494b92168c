package org.flowmon.jobs.report.logic;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.LiveColumns;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportParameters;
import org.flowmon.jobs.report.ReportRows;
import org.flowmon.jobs.report.matrix.RowKeys;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * New targets: sources that try many destinations and ports, without those of usual peers ({@code
 * logic: new_targets}).
 *
 * <p>The history query gives, by the window's key and each of its peers, the number of the window's
 * targets there ({@code targets}) and of earlier days on which the two spoke ({@code days}).
 * Targets of a peer of at least {@code days} days do not count. Those not yet in history, which
 * ends at as-of, are {@code unknown_targets}: of unknown peers.
 *
 * <p>A row is a {@code scan} if its new targets reach {@code targets}, {@code usual} if not even
 * with unknown ones, {@code no_history} between, or if history holds less than {@code coverage} of
 * the time asked for.
 *
 * <p>Parameters: {@code targets} (100), {@code days} (2), {@code coverage}, 0 … 1 (0.5), {@code
 * emit}, {@code all} (default) or {@code scans}.
 */
final class NewTargetsLogic implements ReportLogic {
  private static final String TARGETS = "targets";
  private static final String DAYS = "days";

  private int least;
  private int usualDays;
  private double coverage;
  private boolean emitAll;
  private List<ReportColumn> live;
  private List<String> keys;
  private List<ReportColumn> columns;
  private PastRange range;

  @Override
  public List<ReportColumn> open(AnalysisConfig analysis) {
    ReportParameters parameters = new ReportParameters(analysis);
    least = parameters.integer(TARGETS, 100, 1, Integer.MAX_VALUE);
    usualDays = parameters.integer(DAYS, 2, 1, 36_500);
    coverage = parameters.decimal("coverage", "0.5", "0", "1").doubleValue();
    emitAll = parameters.choice("emit", "all", "scans").equals("all");
    parameters.end();
    LogicRules rules = new LogicRules(analysis);
    rules.item("live.query", rules.whole(), TARGETS, ValueKind.LONG);
    live = LiveColumns.of(analysis);
    keys = live.stream().filter(ReportColumn::key).map(ReportColumn::name).toList();
    openHistory(analysis, rules);
    List<ReportColumn> all = new ArrayList<>();
    all.add(ReportColumn.of("rank", ValueKind.LONG));
    all.addAll(live);
    all.add(ReportColumn.of("new_targets", ValueKind.LONG));
    all.add(ReportColumn.of("usual_targets", ValueKind.LONG));
    all.add(ReportColumn.of("unknown_targets", ValueKind.LONG));
    all.add(ReportColumn.of("new_peers", ValueKind.LONG));
    all.add(ReportColumn.of("usual_peers", ValueKind.LONG));
    all.add(ReportColumn.of("coverage", ValueKind.DOUBLE));
    all.add(ReportColumn.of("verdict", ValueKind.TEXT));
    columns = rules.distinct(all);
    return columns;
  }

  private void openHistory(AnalysisConfig analysis, LogicRules rules) {
    String place = "history.query";
    FlowQuery history = rules.history();
    rules.noLimit(place, history, "the peers beyond it would count for nothing");
    rules.historyItems(history, live.stream().filter(ReportColumn::key).toList(), TARGETS, DAYS);
    boolean hasPeer =
        history.select().stream()
            .anyMatch(
                item -> !ExpressionParts.hasAggregate(item.what()) && !keys.contains(item.name()));
    if (!hasPeer) {
      throw rules.error(
          place,
          "logic new_targets needs a key besides the live query's, the peer, found "
              + history.select().stream().map(SelectItem::name).toList());
    }
    range = PastRange.of(analysis, history, live);
  }

  /** The history of a row's targets in the window. */
  private static final class Peers {
    private long newTargets;
    private long usualTargets;
    private long newPeers;
    private long usualPeers;
  }

  @Override
  public ResultTable report(WindowHistory window) {
    ResultTable now = window.window().rows();
    HistoryAnswer answer = window.history();
    double share = range.held(window).share();
    Peers[] peers = peers(now, answer.rows());
    ReportRows out = new ReportRows(columns);
    for (int row = 0; row < now.rowCount(); row++) {
      long targets = now.longValue(row, now.column(TARGETS));
      Peers own = peers[row];
      long unknown = Math.max(0, targets - own.newTargets - own.usualTargets);
      String verdict = verdict(share, targets, own, unknown);
      if (!emitAll && !verdict.equals("scan")) {
        continue;
      }
      out.row().set("rank", row + 1L).copy(live, now, row);
      if (answer.rows().isPresent()) {
        out.set("new_targets", own.newTargets).set("usual_targets", own.usualTargets);
        out.set("new_peers", own.newPeers).set("usual_peers", own.usualPeers);
      }
      out.set("unknown_targets", unknown).set("coverage", share).set("verdict", verdict);
    }
    return out.build();
  }

  private Peers[] peers(ResultTable now, Optional<ResultTable> past) {
    Peers[] peers = new Peers[now.rowCount()];
    for (int row = 0; row < peers.length; row++) {
      peers[row] = new Peers();
    }
    if (past.isEmpty()) {
      return peers;
    }
    ResultTable history = past.get();
    RowKeys keysNow = new RowKeys(now, keys);
    RowKeys keysThen = new RowKeys(history, keys);
    int targetColumn = history.column(TARGETS);
    int dayColumn = history.column(DAYS);
    for (int row = 0; row < history.rowCount(); row++) {
      int of = keysNow.find(keysThen, row);
      long targets = history.longValue(row, targetColumn);
      if (of < 0 || targets == 0) {
        continue; // a peer of other times only
      }
      if (history.longValue(row, dayColumn) >= usualDays) {
        peers[of].usualTargets += targets;
        peers[of].usualPeers++;
      } else {
        peers[of].newTargets += targets;
        peers[of].newPeers++;
      }
    }
    return peers;
  }

  private String verdict(double share, long targets, Peers own, long unknown) {
    if (targets < least) {
      return "usual";
    }
    if (share == 0 || share < coverage) {
      return "no_history";
    }
    if (own.newTargets >= least) {
      return "scan";
    }
    return own.newTargets + unknown >= least ? "no_history" : "usual";
  }
}

package org.flowmon.jobs.report.logic;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.LogicRules;
import org.flowmon.jobs.report.SameHourDays;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.TableQuery.Relation;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/** The tables that {@code report.query} reads, and their rows for a window. */
final class ReportRelations {
  static final String LIVE = "live";
  static final String TOTALS = "totals";
  static final String HISTORY = "history";
  static final String DAYS = "days";

  private static final String RANK = "rank";
  private static final String TOTAL = "total_";

  private final Relation live;
  private final List<Named> more; // of live: what the query does not have
  private final List<String> totals; // the names of sums and counts
  private final Optional<Relation> history;

  /** Of bound queries; {@code unbound} is the live query as it is written. */
  ReportRelations(Query unbound, Query live, Optional<Query> history) {
    List<Named> columns = new ArrayList<>(live.columns(null));
    Set<String> names = new HashSet<>();
    columns.forEach(column -> names.add(column.name()));
    totals = live.select().stream().filter(LogicRules::isSum).map(SelectItem::name).toList();
    more = new ArrayList<>();
    if (!names.contains(RANK)) {
      more.add(new Named(RANK, ValueKind.LONG));
    }
    for (String name : totals) {
      if (!names.contains(TOTAL + name)) {
        more.add(total(TOTAL + name));
      }
    }
    columns.addAll(more);
    this.live = new Relation(LIVE, columns, keys(live), Optional.of(unbound));
    this.history =
        history.map(of -> new Relation(HISTORY, of.columns(null), keys(of), Optional.empty()));
  }

  private static Named total(String name) {
    return new Named(null, name, ValueKind.LONG, true, null, null, false);
  }

  private static Set<String> keys(Query query) {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < query.select().size(); i++) {
      if (query.isKey(i)) {
        keys.add(query.select().get(i).name());
      }
    }
    return keys;
  }

  List<Relation> all() {
    List<Relation> all = new ArrayList<>();
    all.add(live);
    all.add(
        new Relation(
            TOTALS,
            totals.stream().map(ReportRelations::total).toList(),
            Set.of(),
            Optional.empty()));
    if (history.isPresent()) {
      all.add(history.get());
      List<Named> days =
          List.of(
              new Named("day", ValueKind.LONG),
              new Named("begin", ValueKind.TIMESTAMP),
              new Named("inside", ValueKind.BOOLEAN));
      all.add(new Relation(DAYS, days, Set.of("day", "begin"), Optional.empty()));
    }
    return all;
  }

  /** The window's rows, with their ranks and the totals of all groups. */
  ResultTable live(WindowResult window) {
    ResultTable rows = window.rows();
    int count = rows.rowCount();
    ResultTable.Builder builder = new ResultTable.Builder();
    more.forEach(column -> builder.column(column.name(), column.kind()));
    builder.rows(count);
    for (int c = 0; c < more.size(); c++) {
      String name = more.get(c).name();
      long[] low = new long[count];
      if (name.equals(RANK)) {
        Arrays.setAll(low, row -> row + 1L);
        builder.fill(c, low, null, null, null);
        continue;
      }
      Optional<BigInteger> total = total(window, name.substring(TOTAL.length()));
      if (total.isPresent()) {
        long[] high = new long[count];
        Arrays.fill(low, total.get().longValue());
        Arrays.fill(high, total.get().shiftRight(Long.SIZE).longValue());
        builder.fill(c, low, total.get().bitLength() < Long.SIZE ? null : high, null, null);
      }
    }
    return rows.beside(builder.build());
  }

  /** One row. */
  ResultTable totals(WindowResult window) {
    ResultTable.Builder builder = new ResultTable.Builder();
    totals.forEach(name -> builder.column(name, ValueKind.LONG));
    builder.row();
    for (int c = 0; c < totals.size(); c++) {
      int column = c;
      total(window, totals.get(c))
          .ifPresent(
              total ->
                  builder.set(column, total.shiftRight(Long.SIZE).longValue(), total.longValue()));
    }
    return builder.build();
  }

  private static Optional<BigInteger> total(WindowResult window, String name) {
    ResultTable totals = window.totals();
    int column = totals.column(name);
    return column < 0 || totals.rowCount() == 0 || totals.isNull(0, column)
        ? Optional.empty()
        : Optional.of(totals.bigValue(0, column));
  }

  /** The rows of the lookup, none if it failed. */
  ResultTable history(Optional<ResultTable> rows) {
    if (rows.isPresent()) {
      return rows.get();
    }
    ResultTable.Builder none = new ResultTable.Builder();
    history.ifPresent(
        of -> of.columns().forEach(column -> none.column(column.name(), column.kind())));
    return none.build();
  }

  /** A row for each day that is asked for. */
  static ResultTable days(DaysInside inside, long now, SameHourDays days) {
    ResultTable.Builder table =
        new ResultTable.Builder()
            .column("day", ValueKind.LONG)
            .column("begin", ValueKind.TIMESTAMP)
            .column("inside", ValueKind.BOOLEAN);
    for (int day = 1; day <= days.days(); day++) {
      table.row().set(0, day).set(1, days.start(now, day));
      table.set(2, inside.contains(day) ? 1 : 0);
    }
    return table.build();
  }
}

package org.flowmon.jobs.sql.lookup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.host.HostRows;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.sql.row.FlowCells;
import org.flowmon.jobs.sql.row.RowVectors;
import org.flowmon.jobs.sql.row.SqlField;
import org.flowmon.jobs.sql.scan.ArchiveScan;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.vector.Vector;

/**
 * Finds the flows of keys in the archive's newest commit: of addresses by posting lists, without a
 * query; of other keys, and if lists are missing or long, by one query for all. Not thread-safe.
 */
final class FlowFinder implements AutoCloseable {
  private final LookupKey key;
  private final int maxRows;
  private final Archive archive;
  private final FlowQuery query;
  private final RowVectors rows;
  private final RowData.FieldGetter[] fields;

  // Without a query.
  private final Optional<FlowColumn> addressColumn;
  private final FlowCells cells;
  private final CompiledPredicate where;
  private final Constraints constraints;
  private final int[] selection = new int[Vector.CAPACITY];
  private int at;

  FlowFinder(ArchiveScan scan, LookupKey key, int maxRows) throws IOException {
    this.key = key;
    this.maxRows = maxRows;
    this.archive = Archive.open(scan.archive(), ArchiveOptions.DEFAULTS);
    // The archive's own columns are known by now.
    this.query = (FlowQuery) QueryParser.parseQuery(scan.query());
    this.rows = new RowVectors(scan.fields());
    List<LogicalType> types = scan.fields().stream().map(SqlField::type).toList();
    this.fields = new RowData.FieldGetter[types.size()];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = RowData.createFieldGetter(types.get(i), i);
    }
    this.addressColumn = key.addressColumn();
    this.cells = new FlowCells(query.select().stream().map(FlowFinder::column).toList(), types);
    this.where = CompiledPredicate.of(query.where());
    this.constraints = Constraints.of(query.where());
  }

  private static FlowColumn column(SelectItem item) {
    return ((Expression.Column) item.what()).column(); // a lookup's table has at least its key
  }

  /** Finds the flows of all; those of earlier attempts are dropped. */
  void find(List<Asked> all) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      all.forEach(Asked::clear);
      if (addressColumn.isEmpty() || !findByLists(snapshot, addressColumn.get(), all)) {
        all.forEach(Asked::clear);
        findByQuery(snapshot, all);
      }
    }
  }

  private boolean findByLists(ArchiveSnapshot snapshot, FlowColumn column, List<Asked> all)
      throws IOException {
    Map<IpAddress, List<Asked>> byAddress = new HashMap<>();
    for (Asked asked : all) {
      byAddress.computeIfAbsent(asked.address, unused -> new ArrayList<>(1)).add(asked);
    }
    List<IpAddress> addresses = new ArrayList<>(byAddress.size());
    List<List<Asked>> ofAddress = new ArrayList<>(byAddress.size());
    byAddress.forEach(
        (address, some) -> {
          addresses.add(address);
          ofAddress.add(some);
        });
    return HostRows.find(
        snapshot,
        column,
        addresses,
        constraints,
        (segment, found, places, n) -> take(segment, found, places, n, ofAddress));
  }

  private void take(
      SegmentReader segment, int[] found, int[] places, int n, List<List<Asked>> ofAddress) {
    SelectedRows selected = new SelectedRows(segment).select(found, n);
    int kept = where.select(selected, 0, n, selection);
    for (int i = 0; i < kept; i++) {
      found[i] = found[selection[i]];
      places[i] = places[selection[i]];
    }
    at = 0;
    cells.emit(
        selected.select(found, kept),
        flow -> {
          for (Asked asked : ofAddress.get(places[at++])) {
            if (key.isOf(asked, flow)) {
              asked.add(flow, maxRows);
            }
          }
        });
  }

  private void findByQuery(ArchiveSnapshot snapshot, List<Asked> all) throws IOException {
    Map<RowData, List<Asked>> byKey = new HashMap<>();
    for (Asked asked : all) {
      byKey.computeIfAbsent(asked.key, unused -> new ArrayList<>(1)).add(asked);
    }
    List<Expression> terms = new ArrayList<>(key.conditions(byKey.keySet()));
    Expression narrowed = query.where();
    if (narrowed != null) {
      terms.add(narrowed);
    }
    Expression both = terms.size() == 1 ? terms.get(0) : new Expression.And(terms);
    FlowQuery asked = new FlowQuery(query.select(), both, List.of(), List.of(), -1);
    var unused =
        ArchiveQuery.stream(
            List.of(snapshot),
            asked,
            QueryOptions.DEFAULTS,
            some -> rows.emit(some, row -> add(row, byKey)));
  }

  private void add(RowData row, Map<RowData, List<Asked>> byKey) {
    // Each value is of a key, but perhaps not all of one.
    RowData of = key.ofFlow(row);
    List<Asked> askers = of == null ? null : byKey.get(of);
    if (askers == null) {
      return;
    }
    GenericRowData own = new GenericRowData(fields.length);
    for (int i = 0; i < fields.length; i++) {
      own.setField(i, fields[i].getFieldOrNull(row));
    }
    askers.forEach(asked -> asked.add(own, maxRows));
  }

  @Override
  public void close() {
    archive.close();
  }
}

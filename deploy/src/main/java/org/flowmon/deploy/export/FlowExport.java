package org.flowmon.deploy.export;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.block.FlowBlock;
import org.flowmon.archive.block.FlowScan;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.query.Expression;
import org.jspecify.annotations.Nullable;

/** The flows of an archive in the order of time, one block of a scan at a time. */
public final class FlowExport implements ExportRows {
  private final List<FlowColumn> flowColumns;
  private final List<ExportColumn> columns;
  private final FlowScan scan;
  private @Nullable FlowBlock block; // before the first and after the last

  private FlowExport(List<FlowColumn> flowColumns, FlowScan scan) {
    this.flowColumns = flowColumns;
    this.columns = flowColumns.stream().map(ExportColumn::of).toList();
    this.scan = scan;
  }

  /** Columns that any segment has, else NULL; {@code where} has no parameters. */
  public static FlowExport of(ArchiveSnapshot snapshot, Optional<Expression> where, int threads)
      throws IOException {
    Set<FlowColumn> present = new TreeSet<>(List.of(FlowColumn.ARRIVAL));
    for (SealedSegment segment : snapshot.segments()) {
      try (SegmentLease lease = snapshot.open(segment, true)) {
        for (FlowColumn column : FlowColumn.all()) {
          if (lease.rows().presence(column) != Presence.ABSENT) {
            present.add(column);
          }
        }
      }
    }
    List<FlowColumn> wanted = List.copyOf(present);
    FlowScan.Builder scan =
        FlowScan.of(snapshot)
            .columns(wanted.get(0), wanted.toArray(FlowColumn[]::new))
            .inTimeOrder()
            .threads(threads);
    return new FlowExport(wanted, where.map(scan::where).orElse(scan).open());
  }

  @Override
  public List<ExportColumn> columns() {
    return columns;
  }

  @Override
  public boolean next() throws IOException {
    block = scan.next();
    return block != null;
  }

  private FlowBlock block() {
    return Objects.requireNonNull(block, "next() comes first");
  }

  @Override
  public int rows() {
    return block().rows();
  }

  @Override
  public boolean isNull(int row, int column) {
    return block().isNull(flowColumns.get(column), row);
  }

  @Override
  public long low(int row, int column) {
    FlowColumn flow = flowColumns.get(column);
    return flow.type() == ColumnType.ADDRESS
        ? block().addressLow(flow, row)
        : block().longValue(flow, row);
  }

  @Override
  public long high(int row, int column) {
    return block().addressHigh(flowColumns.get(column), row);
  }

  @Override
  public String text(int row, int column) {
    return Objects.requireNonNull(block().text(flowColumns.get(column), row));
  }

  @Override
  public void close() {
    scan.close();
  }
}

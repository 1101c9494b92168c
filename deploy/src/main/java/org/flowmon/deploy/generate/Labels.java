package org.flowmon.deploy.generate;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportColumn.Kind;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.deploy.export.row.ExportTarget;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;
import org.flowmon.ingest.synthetic.scenario.Attack;

/**
 * The truth: a row for each flow of an attack as its router saw it, in the order of exports.
 * Ordinary flows are not in it.
 */
final class Labels implements AutoCloseable {
  private final Rows rows;
  private final Optional<ExportTarget> file;
  private final long[] flowsOfAttack;

  /** Counts the flows of the origin's attacks and, if there is a file, writes them. */
  Labels(FlowOrigin origin, Optional<ExportTarget> file) throws IOException {
    this.rows = new Rows(origin);
    this.file = file;
    this.flowsOfAttack = new long[origin.attacks().size()];
    if (file.isPresent()) {
      file.get().begin(Rows.COLUMNS);
    }
  }

  /** Takes a flow with a label. */
  void add(int router, SyntheticFlow flow) throws IOException {
    flowsOfAttack[flow.label - 1]++;
    if (file.isEmpty()) {
      return;
    }
    rows.add(router, flow);
    if (rows.isFull()) {
      file.get().write(rows);
      rows.clear();
    }
  }

  long flows(int attack) {
    return flowsOfAttack[attack];
  }

  void finish() throws IOException {
    if (file.isPresent()) {
      file.get().write(rows);
      file.get().finish();
    }
  }

  @Override
  public void close() throws IOException {
    if (file.isPresent()) {
      file.get().close();
    }
  }

  private static final class Rows implements ExportRows {
    private static final int CAPACITY = 4_096;
    private static final int ATTACK = 0;
    private static final int TYPE = 1;
    private static final int SRC_PORT = 6;
    private static final int DST_PORT = 7;
    private static final int ICMP = 9;

    static final List<ExportColumn> COLUMNS =
        List.of(
            column("attack", Kind.TEXT),
            column("type", Kind.TEXT),
            column("start_time", Kind.TIMESTAMP),
            column("end_time", Kind.TIMESTAMP),
            column("src_addr", Kind.ADDRESS),
            column("dst_addr", Kind.ADDRESS),
            column("src_port", Kind.UINT16),
            column("dst_port", Kind.UINT16),
            column("protocol", Kind.UINT8),
            column("icmp_type_code", Kind.UINT16),
            column("bytes", Kind.INT64),
            column("packets", Kind.INT64),
            column("exporter", Kind.ADDRESS),
            column("observation_domain", Kind.UINT32),
            column("begun_by", Kind.ADDRESS));

    private final List<Attack> attacks;
    private final List<SimulatedRouter> routers;
    private final long[][] low = new long[COLUMNS.size()][CAPACITY];
    private final long[][] high = new long[COLUMNS.size()][CAPACITY];
    private final boolean[] isIcmp = new boolean[CAPACITY];
    private int count;
    private int next;

    Rows(FlowOrigin origin) {
      this.attacks = origin.attacks();
      this.routers = origin.routers();
    }

    private static ExportColumn column(String name, Kind kind) {
      return new ExportColumn(name, kind, null, null);
    }

    void add(int router, SyntheticFlow flow) {
      next = 0;
      put(0, flow.label);
      put(0, flow.label);
      put(0, flow.startMillis * 1000);
      put(0, flow.endMillis * 1000);
      put(flow.srcHi, flow.srcLo);
      put(flow.dstHi, flow.dstLo);
      put(0, flow.srcPort);
      put(0, flow.dstPort);
      put(0, flow.protocol);
      put(0, flow.icmpTypeCode);
      put(0, flow.bytes);
      put(0, flow.packets);
      SimulatedRouter exporter = routers.get(router);
      put(exporter.address().hi(), exporter.address().lo());
      put(0, exporter.observationDomain());
      put(flow.isAnswer ? flow.dstHi : flow.srcHi, flow.isAnswer ? flow.dstLo : flow.srcLo);
      isIcmp[count] = flow.isIcmp();
      count++;
    }

    private void put(long hi, long lo) {
      high[next][count] = hi;
      low[next][count] = lo;
      next++;
    }

    boolean isFull() {
      return count == CAPACITY;
    }

    void clear() {
      count = 0;
    }

    @Override
    public List<ExportColumn> columns() {
      return COLUMNS;
    }

    @Override
    public boolean next() {
      return false; // rows are written as they come
    }

    @Override
    public int rows() {
      return count;
    }

    @Override
    public boolean isNull(int row, int column) {
      return isIcmp[row] ? column == SRC_PORT || column == DST_PORT : column == ICMP;
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
      Attack attack = attacks.get((int) low[column][row] - 1);
      return switch (column) {
        case ATTACK -> attack.when().name();
        case TYPE -> attack.type();
        default -> throw new IllegalStateException(COLUMNS.get(column).name() + " is no text");
      };
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }
}

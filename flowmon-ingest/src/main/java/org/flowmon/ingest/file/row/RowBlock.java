package org.flowmon.ingest.file.row;

import java.util.Arrays;
import java.util.Optional;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.format.FlowSource;
import org.flowmon.ingest.file.format.TextColumn;
import org.flowmon.ingest.file.reader.ArrivalClock;

/**
 * Rows from text, as columns, until they are a batch. {@link #endRow} fills in missing values but
 * the arrival, which depends on earlier blocks ({@link #setArrivals}). Reused. Not thread-safe.
 */
final class RowBlock {
  static final int CAPACITY = 1 << 14;

  private final int columns = FlowColumn.count();
  private static final int START = FlowColumn.START_TIME.ordinal();
  private static final int END = FlowColumn.END_TIME.ordinal();
  private static final int ARRIVAL = FlowColumn.ARRIVAL.ordinal();
  private static final int DURATION = FlowColumn.DURATION.ordinal();
  private static final int KIND = FlowColumn.SOURCE_KIND.ordinal();
  private static final int OUTGOING = FlowColumn.OUTGOING.ordinal();
  private static final int SOURCE = FlowColumn.SRC_ADDR.ordinal();
  private static final int EXPORT = FlowColumn.EXPORT_TIME.ordinal();
  private static final int UPTIME = FlowColumn.SYS_UPTIME.ordinal();
  private static final int PROTOCOL = FlowColumn.PROTOCOL.ordinal();
  private static final int DST_PORT = FlowColumn.DST_PORT.ordinal();
  private static final int ICMP_TYPE_CODE = FlowColumn.ICMP_TYPE_CODE.ordinal();
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  // By ordinal; empty until a column is first used.
  private final long[][] low = new long[columns][0];
  private final long[][] high = new long[columns][0];
  private final byte[][][] texts = new byte[columns][0][];
  private final long[][] valid = new long[columns][0];
  private int rows;

  int rows() {
    return rows;
  }

  boolean isFull() {
    return rows == CAPACITY;
  }

  void use(FlowColumn column) {
    int c = column.ordinal();
    if (valid[c].length > 0) {
      return;
    }
    valid[c] = new long[CAPACITY >>> 6];
    if (column.type() == ColumnType.TEXT) {
      texts[c] = new byte[CAPACITY][];
    } else {
      low[c] = new long[CAPACITY];
    }
    if (column.type() == ColumnType.ADDRESS) {
      high[c] = new long[CAPACITY];
    }
  }

  /** Columns that {@link #endRow} and {@link #setArrivals} fill in. */
  void useFilled() {
    use(FlowColumn.START_TIME);
    use(FlowColumn.END_TIME);
    use(FlowColumn.ARRIVAL);
    use(FlowColumn.DURATION);
    use(FlowColumn.SOURCE_KIND);
    use(FlowColumn.OUTGOING);
    use(FlowColumn.SRC_ADDR);
  }

  void set(int c, long value) {
    low[c][rows] = value;
    valid[c][rows >>> 6] |= 1L << rows;
  }

  void setAddress(int c, long hi, long lo) {
    high[c][rows] = hi;
    set(c, lo);
  }

  void setText(int c, byte[] text) {
    texts[c][rows] = text;
    valid[c][rows >>> 6] |= 1L << rows;
  }

  /** Sets what {@code values} has just read; its column must be in use. */
  void store(TextColumn column, TextValues values) {
    if (values.isNull) {
      return;
    }
    int c = column.target().ordinal();
    switch (column.form()) {
      case TEXT, MAC -> setText(c, values.text);
      case ADDRESS -> setAddress(c, values.high, values.value);
      case ICMP_TYPE -> set(c, (before(c) & 0xFF) | values.value << 8);
      case ICMP_CODE -> set(c, (before(c) & 0xFF00) | values.value);
      case MORE_NANOS -> {
        if (isSet(c, rows)) { // without seconds nothing is known
          set(c, before(c) + (values.value + 500) / 1000);
        }
      }
      default -> set(c, values.value);
    }
  }

  private long before(int c) {
    return isSet(c, rows) ? low[c][rows] : 0;
  }

  /**
   * Makes columns of other programs' values before {@link #endRow}: times of uptimes, of ICMP its
   * type and code. What a program writes as ICMP's ports without meaning is left out.
   */
  void finish(FlowSource source) {
    if (source.hasUptime()) {
      fromUptime(START);
      fromUptime(END);
    }
    if (!isSet(PROTOCOL, rows)) {
      return;
    }
    long protocol = low[PROTOCOL][rows];
    if (protocol != ICMP && protocol != ICMPV6) {
      unset(ICMP_TYPE_CODE);
      return;
    }
    if (!source.hasIcmpInPort()) {
      unset(FlowColumn.SRC_PORT.ordinal());
      unset(DST_PORT);
    } else if (isSet(DST_PORT, rows) && !isSet(ICMP_TYPE_CODE, rows)) {
      use(FlowColumn.ICMP_TYPE_CODE);
      set(ICMP_TYPE_CODE, low[DST_PORT][rows]);
    }
  }

  private void unset(int c) {
    if (valid[c].length > 0) {
      valid[c][rows >>> 6] &= ~(1L << rows);
    }
  }

  /** Uptimes wrap after 2^32 ms; a flow's are within half of that around the export. */
  private void fromUptime(int c) {
    if (!isSet(c, rows)) {
      return;
    }
    if (!isSet(EXPORT, rows) || !isSet(UPTIME, rows)) {
      unset(c);
      return;
    }
    int before = (int) (low[UPTIME][rows] - low[c][rows]);
    set(c, low[EXPORT][rows] - before * 1000L);
  }

  boolean isSet(FlowColumn column) {
    return isSet(column.ordinal(), rows);
  }

  private boolean isSet(int c, int row) {
    return valid[c].length > 0 && (valid[c][row >>> 6] >>> row & 1) != 0;
  }

  void dropRow() {
    for (int c = 0; c < columns; c++) {
      unset(c);
    }
  }

  /** Fills in; an arrival is flowmon's and stays. False without any time: the row stays open. */
  boolean endRow(SourceKind kind, ProtectedNetworks networks) {
    if (!isSet(ARRIVAL, rows)) {
      if (!isSet(START, rows) && !isSet(END, rows)) {
        return false;
      }
      fillTimes();
      if (!isSet(KIND, rows)) {
        set(KIND, kind.code());
      }
      if (networks.areKnown() && !isSet(OUTGOING, rows) && isSet(SOURCE, rows)) {
        set(OUTGOING, networks.contains(high[SOURCE][rows], low[SOURCE][rows]) ? 1 : 0);
      }
    }
    rows++;
    return true;
  }

  /**
   * The third of start, end and duration of two; NULL out of range, the duration also if negative.
   */
  private void fillTimes() {
    boolean start = isSet(START, rows);
    boolean end = isSet(END, rows);
    boolean duration = isSet(DURATION, rows);
    if (start && end && !duration) {
      long from = low[START][rows];
      long to = low[END][rows];
      if (to >= from && to - from >= 0) {
        set(DURATION, to - from);
      }
    } else if (start != end && duration) {
      long took = low[DURATION][rows];
      long time = low[start ? START : END][rows];
      long other = start ? time + took : time - took;
      boolean fits =
          start ? ((time ^ other) & (took ^ other)) >= 0 : ((time ^ took) & (time ^ other)) >= 0;
      if (fits) {
        set(start ? END : START, other);
      }
    }
  }

  private long time(int row) {
    return isSet(ARRIVAL, row)
        ? low[ARRIVAL][row]
        : isSet(END, row) ? low[END][row] : low[START][row];
  }

  /** Sets missing arrivals by the clock, which moves; it may look ahead at {@code next}. */
  void setArrivals(ArrivalClock clock, Optional<RowBlock> next) {
    long[] following = new long[ArrivalClock.LOOK_AHEAD];
    for (int row = 0; row < rows; row++) {
      long time = time(row);
      int count = clock.needsFollowing(time) ? following(row + 1, next, following) : 0;
      if (isSet(ARRIVAL, row)) {
        clock.observe(time, following, count);
        continue;
      }
      low[ARRIVAL][row] =
          clock.needsFollowing(time) ? clock.arrival(time, following, count) : clock.arrival(time);
      valid[ARRIVAL][row >>> 6] |= 1L << row;
    }
  }

  private int following(int first, Optional<RowBlock> next, long[] into) {
    int count = 0;
    for (int row = first; row < rows && count < into.length; row++) {
      into[count++] = time(row);
    }
    if (next.isPresent()) {
      RowBlock behind = next.get();
      for (int row = 0; row < behind.rows && count < into.length; row++) {
        into[count++] = behind.time(row);
      }
    }
    return count;
  }

  /** The builder is empty before and after. */
  FlowBatch toBatch(FlowBatchBuilder builder) {
    builder.beginRows(rows);
    for (FlowColumn column : FlowColumn.all()) {
      int c = column.ordinal();
      int set = count(c);
      if (set == 0) {
        continue;
      }
      long[] marks = set == rows ? FlowBatchBuilder.ALL_SET : valid[c];
      if (texts[c].length > 0) {
        builder.setTextColumn(column, texts[c], marks);
      } else if (high[c].length > 0) {
        builder.setAddressColumn(column, high[c], low[c], marks);
      } else {
        builder.setColumn(column, low[c], marks);
      }
    }
    builder.endRows();
    FlowBatch batch = FlowBatch.open(builder.build(0, 0, rows, 0));
    builder.clear();
    return batch;
  }

  private int count(int c) {
    int count = 0;
    for (int w = 0; valid[c].length > 0 && w << 6 < rows; w++) {
      count += Long.bitCount(valid[c][w]);
    }
    return count;
  }

  void clear() {
    for (int c = 0; c < columns; c++) {
      if (valid[c].length > 0) {
        Arrays.fill(valid[c], 0, (Math.min(rows, CAPACITY - 1) >>> 6) + 1, 0);
        if (texts[c].length > 0) {
          Arrays.fill(texts[c], 0, rows, null);
        }
      }
    }
    rows = 0;
  }
}

package org.flowmon.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Random rows as plain objects: the naive model for comparison with batches. */
final class RandomFlows {
  private RandomFlows() {}

  /**
   * Rows of column → value (Long, IpAddress or String); a missing key is null. Every row has an
   * arrival.
   */
  static List<Map<FlowColumn, Object>> rows(Random random, int count) {
    Map<FlowColumn, Integer> style = new TreeMap<>();
    for (FlowColumn column : FlowColumn.all()) {
      style.put(column, random.nextInt(5)); // 0 absent, 1 constant, 2 dense, 3 and 4 some nulls
    }
    style.put(FlowColumn.ARRIVAL, 2);
    boolean ipv4 = random.nextBoolean();
    Map<FlowColumn, Object> constant = new TreeMap<>();
    List<Map<FlowColumn, Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Map<FlowColumn, Object> row = new TreeMap<>();
      for (FlowColumn column : FlowColumn.all()) {
        switch (style.get(column)) {
          case 0 -> {}
          case 1 -> row.put(column, constant.computeIfAbsent(column, c -> value(random, c, ipv4)));
          case 2 -> row.put(column, value(random, column, ipv4));
          default -> {
            if (random.nextBoolean()) {
              row.put(column, value(random, column, ipv4));
            }
          }
        }
      }
      rows.add(row);
    }
    return rows;
  }

  private static Object value(Random random, FlowColumn column, boolean ipv4) {
    return switch (column.type()) {
      case ADDRESS ->
          ipv4 || random.nextBoolean()
              ? IpAddress.ofIpv4(random.nextInt())
              : new IpAddress(random.nextLong(), random.nextLong());
      case TEXT ->
          "é".repeat(random.nextInt(3))
              + Long.toString(random.nextLong() >>> random.nextInt(64), 36);
      case TIMESTAMP, DURATION -> random.nextLong();
      case COUNT -> random.nextLong() >>> (1 + random.nextInt(62));
      default -> random.nextLong() & column.type().maxValue();
    };
  }

  static void append(FlowBatchBuilder builder, Map<FlowColumn, Object> row) {
    builder.beginRow();
    set(builder, row);
    builder.endRow();
  }

  static void set(FlowBatchBuilder builder, Map<FlowColumn, Object> row) {
    row.forEach(
        (column, value) -> {
          if (value instanceof IpAddress address) {
            builder.setAddress(column, address);
          } else if (value instanceof String text) {
            builder.setText(column, text);
          } else {
            builder.set(column, (Long) value);
          }
        });
  }

  /** Appends the rows as one block of columns; nulls carry garbage. */
  static void appendBlock(
      FlowBatchBuilder builder, List<Map<FlowColumn, Object>> rows, Random random) {
    int count = rows.size();
    builder.beginRows(count);
    for (FlowColumn column : FlowColumn.all()) {
      long[] hi = new long[count];
      long[] lo = new long[count];
      long[] set = new long[(count + 63) / 64];
      int there = 0;
      for (int i = 0; i < count; i++) {
        Object value = rows.get(i).get(column);
        hi[i] = value instanceof IpAddress address ? address.hi() : random.nextInt(2);
        lo[i] = value instanceof IpAddress a ? a.lo() : value instanceof Long v ? v : 1;
        if (value != null) {
          set[i >>> 6] |= 1L << i;
          there++;
        }
      }
      if (there == 0) {
        continue;
      }
      long[] marks = there == count ? FlowBatchBuilder.ALL_SET : set;
      if (column.type() == ColumnType.ADDRESS) {
        builder.setAddressColumn(column, hi, lo, marks);
      } else {
        builder.setColumn(column, lo, marks);
      }
    }
    builder.endRows();
  }

  static Object read(FlowBatch batch, FlowColumn column, int row) {
    if (batch.isNull(column, row)) {
      return null;
    }
    return switch (column.type()) {
      case ADDRESS -> batch.getAddress(column, row);
      case TEXT -> batch.text(column, row);
      default -> batch.getLong(column, row);
    };
  }
}

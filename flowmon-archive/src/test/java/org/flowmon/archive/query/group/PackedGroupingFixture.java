package org.flowmon.archive.query.group;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.Traffic;
import org.flowmon.archive.query.limit.Deadline;
import org.flowmon.archive.query.plan.Groupings;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.io.TempDir;

/** Rows in an archive whose queries can have numbers as keys. */
abstract class PackedGroupingFixture {
  @TempDir Path directory;

  /** A flow; a null is NULL. */
  record Row(
      IpAddress src,
      IpAddress dst,
      IpAddress exporter,
      Long port,
      Long protocol,
      Long outgoing,
      Long bytes,
      Long packets,
      Long end,
      long arrival) {}

  static Object count(List<Row> rows, Function<Row, Long> value) {
    return rows.stream().filter(row -> value.apply(row) != null).count();
  }

  static <T extends Comparable<T>> Object extreme(
      List<Row> rows, Function<Row, T> value, boolean largest) {
    return rows.stream()
        .map(value)
        .filter(one -> one != null)
        .reduce((a, b) -> (a.compareTo(b) < 0) == largest ? b : a)
        .orElse(null);
  }

  // ---- rows ----------------------------------------------------------------------------------

  static IpAddress address(SplittableRandom random, boolean mixed) {
    int host = (int) Math.min(1500, 1 / Math.pow(random.nextDouble(), 1.2));
    if (mixed && host % 3 == 1) {
      return new IpAddress(host % 2 == 0 ? 0xFE80L << 48 : 0x2001_0db8_0000_0000L, host * 77L);
    }
    // On both sides of 128.0.0.0.
    return IpAddress.ofIpv4(host % 2 == 0 ? 0x0A00_0000 + host * 41 : 0xC000_0200 + host);
  }

  static List<Row> rows(SplittableRandom random, int count, double unknown, boolean mixed) {
    List<Row> rows = new ArrayList<>();
    boolean hasExporters = unknown > 0.04 && random.nextBoolean();
    boolean noDestinations = unknown > 0 && random.nextInt(4) == 0;
    for (int i = 0; i < count; i++) {
      long arrival = Traffic.BEGIN + random.nextLong(Traffic.DAY) / 1000 * 1000;
      long ahead = random.nextInt(40) == 0 ? random.nextLong(5 * Traffic.HOUR) : -arrival % 7;
      boolean huge = random.nextInt(3) == 0;
      rows.add(
          new Row(
              random.nextDouble() < unknown ? null : address(random, mixed),
              noDestinations || random.nextDouble() < unknown ? null : address(random, mixed),
              hasExporters && random.nextInt(3) > 0 ? IpAddress.ofIpv4(random.nextInt(4)) : null,
              random.nextDouble() < unknown ? null : (long) (random.nextInt(3) * 221 + 1),
              random.nextDouble() < unknown ? null : (long) random.nextInt(256),
              random.nextDouble() < unknown ? null : (long) random.nextInt(2),
              random.nextDouble() < unknown
                  ? null
                  : huge ? Long.MAX_VALUE - random.nextInt(9) : random.nextLong(100_000),
              random.nextDouble() < unknown ? null : random.nextLong(1000),
              random.nextDouble() < unknown ? null : arrival + ahead,
              arrival));
    }
    return rows;
  }

  static void commit(Archive archive, List<Row> rows) throws IOException {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(700);
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, row.arrival);
      set(builder, FlowColumn.END_TIME, row.end);
      set(builder, FlowColumn.DST_PORT, row.port);
      set(builder, FlowColumn.PROTOCOL, row.protocol);
      set(builder, FlowColumn.OUTGOING, row.outgoing);
      set(builder, FlowColumn.BYTES, row.bytes);
      set(builder, FlowColumn.PACKETS, row.packets);
      if (row.src != null) {
        builder.setAddress(FlowColumn.SRC_ADDR, row.src);
      }
      if (row.dst != null) {
        builder.setAddress(FlowColumn.DST_ADDR, row.dst);
      }
      if (row.exporter != null) {
        builder.setAddress(FlowColumn.EXPORTER, row.exporter);
      }
      builder.endRow();
      if (builder.isFull() || i == rows.size() - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    Traffic.commit(archive, batches);
  }

  static void set(FlowBatchBuilder builder, FlowColumn column, Long value) {
    if (value != null) {
      builder.set(column, value);
    }
  }

  static String text(Object value) {
    return value == null ? "NULL" : value.toString();
  }

  static boolean isPacked(ArchiveSnapshot snapshot, FlowQuery query) throws IOException {
    return new GroupPlanner(
                new QueriedArchives(List.of(snapshot), true),
                snapshot.segments(),
                Constraints.of(query.where()),
                new Deadline(Optional.empty(), Long.MAX_VALUE, Long.MAX_VALUE, () -> false),
                GroupMemory.unlimited())
            .plan(new Groupings(query).all(), 1, 1)
            .get(0)
        instanceof PackedGrouper;
  }
}

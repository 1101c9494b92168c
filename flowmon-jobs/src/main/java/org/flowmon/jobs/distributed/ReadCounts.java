package org.flowmon.jobs.distributed;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.query.QueryStats;

/** What tasks have read; it lives as long as a job. */
record ReadCounts(
    int opened,
    int read,
    int byIndex,
    int byRollup,
    long cells,
    long rowsExamined,
    long rowsMatched,
    long bytes,
    Set<String> warnings) {
  /** In place of a key group. */
  static final int PLACE = -1;

  static final ReadCounts NONE = new ReadCounts(0, 0, 0, 0, 0, 0, 0, 0, Set.of());

  static ReadCounts of(QueryStats stats) {
    return new ReadCounts(
        stats.segmentsConsidered(),
        stats.segmentsRead(),
        stats.segmentsByIndex(),
        stats.segmentsByRollup(),
        stats.cellsRead(),
        stats.rowsExamined(),
        stats.rowsMatched(),
        stats.bytesRead(),
        new TreeSet<>(stats.warnings()));
  }

  ReadCounts plus(ReadCounts other) {
    Set<String> all = new LinkedHashSet<>(warnings);
    all.addAll(other.warnings);
    return new ReadCounts(
        opened + other.opened,
        read + other.read,
        byIndex + other.byIndex,
        byRollup + other.byRollup,
        cells + other.cells,
        rowsExamined + other.rowsExamined,
        rowsMatched + other.rowsMatched,
        bytes + other.bytes,
        all);
  }

  byte[] toBytes() throws IOException {
    ByteArrayOutputStream bytesOut = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytesOut);
    out.writeInt(opened);
    out.writeInt(read);
    out.writeInt(byIndex);
    out.writeInt(byRollup);
    out.writeLong(cells);
    out.writeLong(rowsExamined);
    out.writeLong(rowsMatched);
    out.writeLong(bytes);
    out.writeInt(warnings.size());
    for (String warning : warnings) {
      out.writeUTF(warning);
    }
    return bytesOut.toByteArray();
  }

  static ReadCounts fromBytes(byte[] from) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(from));
    int opened = in.readInt();
    int read = in.readInt();
    int byIndex = in.readInt();
    int byRollup = in.readInt();
    long cells = in.readLong();
    long examined = in.readLong();
    long matched = in.readLong();
    long bytes = in.readLong();
    Set<String> warnings = new LinkedHashSet<>();
    for (int left = in.readInt(); left > 0; left--) {
      warnings.add(in.readUTF());
    }
    return new ReadCounts(
        opened, read, byIndex, byRollup, cells, examined, matched, bytes, warnings);
  }
}

package org.flowmon.jobs.merge;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.window.FrozenTables;
import org.flowmon.udaf.window.GroupBudget;
import org.flowmon.udaf.window.WindowAdvances;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;

/**
 * The groups of all analyses in one key group, the time through which its windows are closed, and
 * the bytes of both in a checkpoint (big-endian):
 *
 * <pre>
 *   version u8 = 2 | closed through i64 | queries i32 | (query id i64, length i32, bytes of WindowTables) …
 * </pre>
 */
final class KeyGroupState {
  private static final int VERSION = 2;
  private static final int HEADER_BYTES = 1 + 8 + 4;
  private static final int QUERY_BYTES = 8 + 4;

  /** What the key groups of a task share of one query. */
  record Shared(GroupBudget budget, WindowAdvances advances, PartialMerge.Scratch scratch) {}

  private final Map<Long, WindowTables> byQuery = new HashMap<>();
  private long closedThrough = Long.MIN_VALUE;

  /**
   * A query's groups, created if missing: closed windows stay closed even if no group was ever
   * here. {@code shared}: what all key groups of the task share of it.
   */
  WindowTables of(LiveQuery live, Function<LiveQuery, Shared> shared) {
    WindowTables tables = byQuery.get(live.id());
    if (tables == null) {
      Shared of = shared.apply(live);
      tables =
          new WindowTables(
              live.id(), live.query(), live.window(), of.budget(), of.advances(), of.scratch());
      tables.closeUpTo(closedThrough, KeyGroupState::none);
      byQuery.put(live.id(), tables);
    }
    return tables;
  }

  private static void none(WindowPart part) {
    throw new AssertionError("tables without groups gave the window " + part.windowEnd());
  }

  void closedThrough(long micros) {
    closedThrough = Math.max(closedThrough, micros);
  }

  void closeUpTo(long queryId, long micros, Consumer<WindowPart> parts) {
    closeUpTo(queryId, micros, (part, since) -> parts.accept(part));
  }

  /** Parts of windows with a new result; and the watermark up to which parts were given before. */
  void closeUpTo(long queryId, long micros, ObjLongConsumer<WindowPart> parts) {
    WindowTables tables = byQuery.get(queryId);
    if (tables != null) {
      long since = tables.watermark();
      tables.closeUpTo(micros, part -> parts.accept(part, since));
    }
  }

  void advance(long queryId, long micros, Consumer<WindowPart> parts) {
    WindowTables tables = byQuery.get(queryId);
    if (tables != null) {
      tables.advance(micros, parts);
    }
  }

  /** Forgets all groups, after their windows went out at the end of input. */
  void clear() {
    byQuery.clear();
  }

  void remove(long queryId) {
    byQuery.remove(queryId);
  }

  long groups() {
    long groups = 0;
    for (WindowTables tables : byQuery.values()) {
      groups += tables.groups();
    }
    return groups;
  }

  KeyGroupSnapshot freeze() {
    Map<Long, FrozenTables> tables = new HashMap<>();
    byQuery.forEach((id, of) -> tables.put(id, of.freeze()));
    long through = closedThrough;
    return new KeyGroupSnapshot(() -> bytes(through, tables));
  }

  private static byte[] bytes(long closedThrough, Map<Long, FrozenTables> tables) {
    Map<Long, byte[]> byQuery = new HashMap<>();
    long length = HEADER_BYTES;
    for (Map.Entry<Long, FrozenTables> query : tables.entrySet()) {
      byte[] ofQuery = query.getValue().toBytes();
      byQuery.put(query.getKey(), ofQuery);
      length += QUERY_BYTES + ofQuery.length;
    }
    if (length > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException(
          "the groups of all analyses in a key group take "
              + length
              + " bytes, at most 2 GiB can be written");
    }
    ByteBuffer out = ByteBuffer.allocate((int) length);
    out.put((byte) VERSION).putLong(closedThrough).putInt(byQuery.size());
    byQuery.forEach((id, bytes) -> out.putLong(id).putInt(bytes.length).put(bytes));
    return out.array();
  }

  /**
   * Reads a {@link #freeze snapshot}; {@code dropped} takes the ids of queries that no longer run,
   * whose groups are left out.
   */
  void read(
      InputStream stream,
      Map<Long, LiveQuery> queries,
      Function<LiveQuery, Shared> shared,
      LongConsumer dropped)
      throws IOException {
    DataInputStream in = new DataInputStream(stream);
    int version = in.readUnsignedByte();
    if (version != VERSION) {
      throw new IOException(
          "state of a key group: found version " + version + ", this reads version " + VERSION);
    }
    closedThrough = in.readLong();
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      long id = in.readLong();
      int length = in.readInt();
      byte[] bytes = in.readNBytes(length);
      if (bytes.length != length) {
        throw new IOException(
            "state of a key group: " + length + " bytes expected, found " + bytes.length);
      }
      LiveQuery live = queries.get(id);
      if (live == null) {
        dropped.accept(id);
        continue;
      }
      Shared of = shared.apply(live);
      try {
        byQuery.put(
            id,
            WindowTables.fromBytes(
                bytes, id, live.query(), live.window(), of.budget(), of.advances(), of.scratch()));
      } catch (PartialFormatException e) {
        throw new IOException(
            "state of analysis " + live.analysis().name() + ": " + e.getMessage(), e);
      }
    }
  }
}

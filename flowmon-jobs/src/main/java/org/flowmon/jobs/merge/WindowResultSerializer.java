package org.flowmon.jobs.merge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.types.ErrorBounds;
import org.flowmon.jobs.types.RecordSerializer;
import org.flowmon.jobs.types.ResultTableBytes;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;

/**
 * Serializes results of windows. Version 6: analysis (modified UTF-8), its definition ({@link
 * RecordSerializer#writeText}); start, end (8 bytes each); number of the update (4); arrived
 * through, final at (8 each; version 1 had neither definition nor these three); rows and totals as
 * {@link ResultTableBytes}; groups (8), their level (4, from version 3 on); the six counts (8 each,
 * in version 1 the first four); input through (8, from version 4 on); from version 5 on the number
 * of bounds, for each its value (as definition) and {@link ErrorBounds}; from version 6 on the
 * number of missing sites (4) and their names (modified UTF-8).
 */
public final class WindowResultSerializer extends RecordSerializer<WindowResult> {
  private static final long serialVersionUID = 1L;
  private static final int MAX_BOUNDS = 1 << 16;

  public WindowResultSerializer() {
    super(6, Snapshot.class);
  }

  @Override
  protected void write(WindowResult result, DataOutputView target) throws IOException {
    target.writeUTF(result.analysis());
    writeText(result.definition(), target);
    target.writeLong(result.windowStart());
    target.writeLong(result.windowEnd());
    target.writeInt(result.update());
    target.writeLong(result.arrivedThrough());
    target.writeLong(result.finalAt());
    ResultTableBytes.write(result.rows(), target);
    ResultTableBytes.write(result.totals(), target);
    target.writeLong(result.groups());
    target.writeInt(result.groupLevel());
    ArrivalCounts counts = result.counts();
    counts.write(target);
    target.writeLong(result.inputThrough());
    target.writeInt(result.bounds().size());
    for (ValueBound bound : result.bounds()) {
      writeText(bound.value(), target);
      ErrorBounds.write(bound.bound(), target);
    }
    target.writeInt(result.missingSites().size());
    for (String site : result.missingSites()) {
      target.writeUTF(site);
    }
  }

  @Override
  protected WindowResult read(int found, DataInputView source) throws IOException {
    String analysis = source.readUTF();
    String definition = found < 2 ? null : readText(source);
    long start = source.readLong();
    long end = source.readLong();
    int update = found > 1 ? source.readInt() : 0;
    long arrivedThrough = found > 1 ? source.readLong() : end;
    long finalAt = found > 1 ? source.readLong() : end;
    ResultTable rows = ResultTableBytes.read(source);
    ResultTable totals = ResultTableBytes.read(source);
    long groups = source.readLong();
    int groupLevel = found > 2 ? source.readInt() : 0;
    ArrivalCounts counts = ArrivalCounts.read(source, found > 1);
    long inputThrough = found > 3 ? source.readLong() : Long.MAX_VALUE;
    List<ValueBound> bounds = found > 4 ? readBounds(source) : List.of();
    List<String> missing = new ArrayList<>();
    for (int i = found > 5 ? source.readInt() : 0; i > 0; i--) {
      missing.add(source.readUTF());
    }
    return new WindowResult(
        analysis,
        definition,
        start,
        end,
        update,
        arrivedThrough,
        finalAt,
        rows,
        totals,
        groups,
        groupLevel,
        counts,
        inputThrough,
        bounds,
        missing);
  }

  private static List<ValueBound> readBounds(DataInputView source) throws IOException {
    int count = source.readInt();
    if (count < 0 || count > MAX_BOUNDS) {
      throw new IOException("a result with " + count + " bounds");
    }
    List<ValueBound> bounds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String value = readPresentText(source, "a bound's value");
      ErrorBound bound = ErrorBounds.read(source);
      if (bound == null) {
        throw new IOException("value " + value + " has no bound");
      }
      bounds.add(new ValueBound(value, bound));
    }
    return bounds;
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<WindowResult> {
    public Snapshot() {
      super(WindowResultSerializer::new);
    }
  }
}

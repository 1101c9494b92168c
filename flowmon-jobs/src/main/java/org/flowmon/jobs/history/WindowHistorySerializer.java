package org.flowmon.jobs.history;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.merge.WindowResultSerializer;
import org.flowmon.jobs.types.RecordSerializer;
import org.flowmon.jobs.types.ResultTableBytes;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * Serializes windows with their history. Version 3: the window's result; status (1 byte), as-of,
 * from, through (8 bytes each); number of gaps (4) and first and last arrival of each (8 each; none
 * in version 1); 0 or 1 and the rows; 0 or 1 and the message (modified UTF-8); 0 or 1 and the
 * addresses that were looked up (none before version 3).
 */
public final class WindowHistorySerializer extends RecordSerializer<WindowHistory> {
  private static final long serialVersionUID = 1L;

  private final WindowResultSerializer windows = new WindowResultSerializer();

  public WindowHistorySerializer() {
    super(3, Snapshot.class);
  }

  @Override
  protected void write(WindowHistory record, DataOutputView target) throws IOException {
    windows.serialize(record.window(), target);
    HistoryAnswer history = record.history();
    target.writeByte(history.status().code());
    target.writeLong(history.asOf());
    target.writeLong(history.from());
    target.writeLong(history.through());
    target.writeInt(history.gaps().count());
    for (int i = 0; i < history.gaps().count(); i++) {
      target.writeLong(history.gaps().first(i));
      target.writeLong(history.gaps().last(i));
    }
    write(history.rows(), target);
    writeMessage(history.message(), target);
    write(history.seen(), target);
  }

  private static void write(Optional<ResultTable> rows, DataOutputView target) throws IOException {
    target.writeBoolean(rows.isPresent());
    if (rows.isPresent()) {
      ResultTableBytes.write(rows.get(), target);
    }
  }

  private static Optional<ResultTable> readRows(DataInputView source) throws IOException {
    return source.readBoolean() ? Optional.of(ResultTableBytes.read(source)) : Optional.empty();
  }

  @Override
  protected WindowHistory read(int found, DataInputView source) throws IOException {
    var window = windows.deserialize(source);
    HistoryStatus status = HistoryStatus.byCode(source.readUnsignedByte());
    long asOf = source.readLong();
    long from = source.readLong();
    long through = source.readLong();
    LongRanges gaps = found > 1 ? readGaps(source) : LongRanges.NONE;
    Optional<ResultTable> rows = readRows(source);
    @Nullable String message = readMessage(source);
    Optional<ResultTable> seen = found > 2 ? readRows(source) : Optional.empty();
    return new WindowHistory(
        window, new HistoryAnswer(status, asOf, from, through, gaps, rows, message, seen));
  }

  private static LongRanges readGaps(DataInputView source) throws IOException {
    int count = source.readInt();
    if (count < 0 || count > HistoryGaps.MAX_ARRIVALS) {
      throw new IOException("found " + count + " gaps, expected 0…" + HistoryGaps.MAX_ARRIVALS);
    }
    long[] first = new long[count];
    long[] last = new long[count];
    for (int i = 0; i < count; i++) {
      first[i] = source.readLong();
      last[i] = source.readLong();
    }
    return LongRanges.ofRanges(first, last);
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<WindowHistory> {
    public Snapshot() {
      super(WindowHistorySerializer::new);
    }
  }
}

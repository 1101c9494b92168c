package org.flowmon.jobs.history;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.merge.WindowResultSerializer;
import org.flowmon.jobs.types.RecordSerializer;
import org.flowmon.jobs.types.ResultTableBytes;
import org.flowmon.udaf.query.ResultTable;

/**
 * Version 1: the window's result, then of the history: status (1 byte), as-of, from, through (8
 * bytes each), 0 or 1 and the rows, 0 or 1 and the message (modified UTF-8).
 */
public final class WindowHistorySerializer extends RecordSerializer<WindowHistory> {
  private static final long serialVersionUID = 1L;
  // writeUTF holds 65,535 bytes; a character takes up to three
  private static final int MAX_MESSAGE = 4000;

  private final WindowResultSerializer windows = new WindowResultSerializer();

  public WindowHistorySerializer() {
    super(1);
  }

  @Override
  protected void write(WindowHistory record, DataOutputView target) throws IOException {
    windows.serialize(record.window(), target);
    HistoryAnswer history = record.history();
    target.writeByte(history.status().code());
    target.writeLong(history.asOf());
    target.writeLong(history.from());
    target.writeLong(history.through());
    target.writeBoolean(history.rows() != null);
    if (history.rows() != null) {
      ResultTableBytes.write(history.rows(), target);
    }
    target.writeBoolean(history.message() != null);
    if (history.message() != null) {
      String message = history.message();
      target.writeUTF(message.substring(0, Math.min(message.length(), MAX_MESSAGE)));
    }
  }

  @Override
  protected WindowHistory read(int found, DataInputView source) throws IOException {
    var window = windows.deserialize(source);
    int code = source.readUnsignedByte();
    HistoryStatus status = HistoryStatus.byCode(code);
    if (status == null) {
      throw new IOException("a history of the unknown status " + code);
    }
    long asOf = source.readLong();
    long from = source.readLong();
    long through = source.readLong();
    ResultTable rows = source.readBoolean() ? ResultTableBytes.read(source) : null;
    String message = source.readBoolean() ? source.readUTF() : null;
    return new WindowHistory(window, new HistoryAnswer(status, asOf, from, through, rows, message));
  }

  @Override
  public TypeSerializerSnapshot<WindowHistory> snapshotConfiguration() {
    return new Snapshot();
  }

  /** How Flink finds the serializer again. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<WindowHistory> {
    public Snapshot() {
      super(WindowHistorySerializer::new);
    }
  }
}

package org.flowmon.jobs.lowlevel;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.types.RecordSerializer;

/**
 * Serializes partials. Version 4 (version 1 had no definitions and starts, version 2 no missing
 * sites, version 3 no advances):
 *
 * <pre>
 *   groups:  1 u8 | key group i32 | length i32 | bytes
 *   part:    2 u8 | query i64     | length i32 | bytes
 *   counts:  3 u8 | key group i32 | query i64 | pane i64 | flows i64 | late i64 | ahead i64 | lost i64 | sampled i64 | sampling rate i64 (the last two not in version 1)
 *   stopped: 4 u8 | key group i32 | query i64 | version of the change i64 (not in version 1)
 *   definition: 5 u8 | key group i32 | analysis (modified UTF-8) | version i64 | text as RecordSerializer.writeText
 *   started: 6 u8 | key group i32 | query i64 | version i64 | task i32 | tasks i32 | first whole i64
 *   missing: 7 u8 | key group i32 | query i64 | site (modified UTF-8) | after i64 | through i64
 *   update:  8 u8 | key group i32 | query i64 | window end i64 | since i64 | through i64 | length i32 | bytes
 *   advance: 9 u8 | query i64     | task i64 | length i32 | bytes
 *   rest:   10 u8 | query i64     | task i64 | advances i32 | superseded i32 | place i32 … | length i32 | bytes
 * </pre>
 */
public final class PartialSerializer extends RecordSerializer<Partial> {
  private static final long serialVersionUID = 1L;
  private static final int GROUPS = 1;
  private static final int PART = 2;
  private static final int COUNTS = 3;
  private static final int STOPPED = 4;
  private static final int DEFINITION = 5;
  private static final int STARTED = 6;
  private static final int MISSING = 7;
  private static final int UPDATE = 8;
  private static final int ADVANCE = 9;
  private static final int REST = 10;
  private static final int FIRST_PLACES = 1 << 16;
  private static final int MAX_BYTES = 1 << 30;

  public PartialSerializer() {
    super(4, Snapshot.class);
  }

  @Override
  protected void write(Partial partial, DataOutputView target) throws IOException {
    if (partial instanceof Partial.Groups groups) {
      target.writeByte(GROUPS);
      target.writeInt(groups.keyGroup());
      writeBytes(groups.bytes(), target);
    } else if (partial instanceof Partial.Part part) {
      target.writeByte(PART);
      target.writeLong(part.queryId());
      writeBytes(part.bytes(), target);
    } else if (partial instanceof Partial.Counts of) {
      target.writeByte(COUNTS);
      target.writeInt(of.keyGroup());
      target.writeLong(of.queryId());
      target.writeLong(of.paneStart());
      of.counts().write(target);
    } else if (partial instanceof Partial.Stopped stopped) {
      target.writeByte(STOPPED);
      target.writeInt(stopped.keyGroup());
      target.writeLong(stopped.queryId());
      target.writeLong(stopped.version());
    } else if (partial instanceof Partial.Definition definition) {
      target.writeByte(DEFINITION);
      target.writeInt(definition.keyGroup());
      write(definition.change(), target);
    } else if (partial instanceof Partial.Started started) {
      target.writeByte(STARTED);
      target.writeInt(started.keyGroup());
      target.writeLong(started.queryId());
      target.writeLong(started.version());
      target.writeInt(started.task());
      target.writeInt(started.tasks());
      target.writeLong(started.firstWhole());
    } else {
      writeOfWindows(partial, target);
    }
  }

  private static void writeOfWindows(Partial partial, DataOutputView target) throws IOException {
    if (partial instanceof Partial.Missing missing) {
      target.writeByte(MISSING);
      target.writeInt(missing.keyGroup());
      target.writeLong(missing.queryId());
      target.writeUTF(missing.site());
      target.writeLong(missing.after());
      target.writeLong(missing.through());
    } else if (partial instanceof Partial.Update of) {
      target.writeByte(UPDATE);
      target.writeInt(of.keyGroup());
      target.writeLong(of.queryId());
      target.writeLong(of.windowEnd());
      target.writeLong(of.since());
      target.writeLong(of.through());
      writeBytes(of.bytes(), target);
    } else if (partial instanceof Partial.Advance advance) {
      target.writeByte(ADVANCE);
      target.writeLong(advance.queryId());
      target.writeLong(advance.task());
      writeBytes(advance.bytes(), target);
    } else if (partial instanceof Partial.Rest rest) {
      target.writeByte(REST);
      target.writeLong(rest.queryId());
      target.writeLong(rest.task());
      target.writeInt(rest.advances());
      target.writeInt(rest.superseded().length);
      for (int place : rest.superseded()) {
        target.writeInt(place);
      }
      writeBytes(rest.bytes(), target);
    }
  }

  private static int[] readPlaces(DataInputView source) throws IOException {
    int count = source.readInt();
    if (count < 0 || count > MAX_BYTES / Integer.BYTES) {
      throw new IOException(
          count + " groups superseded: expected 0 … " + MAX_BYTES / Integer.BYTES);
    }
    int[] places = new int[Math.min(count, FIRST_PLACES)];
    for (int i = 0; i < count; i++) {
      if (i == places.length) {
        places = Arrays.copyOf(places, (int) Math.min(count, 2L * i)); // grows with the places read
      }
      places[i] = source.readInt();
    }
    return places;
  }

  static void write(AnalysisChange change, DataOutputView target) throws IOException {
    target.writeUTF(change.name());
    target.writeLong(change.version());
    writeText(change.text(), target);
  }

  static AnalysisChange readChange(DataInputView source) throws IOException {
    String name = source.readUTF();
    long version = source.readLong();
    return new AnalysisChange(name, version, readText(source));
  }

  @Override
  protected Partial read(int found, DataInputView source) throws IOException {
    int kind = source.readUnsignedByte();
    return switch (kind) {
      case GROUPS -> new Partial.Groups(source.readInt(), readBytes(source, MAX_BYTES));
      case PART -> new Partial.Part(source.readLong(), readBytes(source, MAX_BYTES));
      case COUNTS ->
          new Partial.Counts(
              source.readInt(),
              source.readLong(),
              source.readLong(),
              ArrivalCounts.read(source, found > 1));
      case STOPPED ->
          new Partial.Stopped(
              source.readInt(), source.readLong(), found > 1 ? source.readLong() : 0);
      case DEFINITION -> new Partial.Definition(source.readInt(), readChange(source));
      case STARTED ->
          new Partial.Started(
              source.readInt(),
              source.readLong(),
              source.readLong(),
              source.readInt(),
              source.readInt(),
              source.readLong());
      case MISSING ->
          new Partial.Missing(
              source.readInt(),
              source.readLong(),
              source.readUTF(),
              source.readLong(),
              source.readLong());
      case UPDATE ->
          new Partial.Update(
              source.readInt(),
              source.readLong(),
              source.readLong(),
              source.readLong(),
              source.readLong(),
              readBytes(source, MAX_BYTES));
      case ADVANCE ->
          new Partial.Advance(source.readLong(), source.readLong(), readBytes(source, MAX_BYTES));
      case REST ->
          new Partial.Rest(
              source.readLong(),
              source.readLong(),
              source.readInt(),
              readPlaces(source),
              readBytes(source, MAX_BYTES));
      default -> throw new IOException("a partial of the unknown kind " + kind + ", expected 1…10");
    };
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Partial> {
    public Snapshot() {
      super(PartialSerializer::new);
    }
  }
}

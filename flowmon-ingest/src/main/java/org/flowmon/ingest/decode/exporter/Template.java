package org.flowmon.ingest.decode.exporter;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.flowmon.ingest.decode.record.RecordProgram;

/** A template or options template, as defined by an exporter. Immutable except for its last use. */
public final class Template {
  private final int id;
  private final boolean options;
  private final int[] fields;
  private final RecordProgram program;

  /** {@code fields} as in {@link RecordProgram#compile}; the caller must not change them. */
  public Template(int id, boolean options, int[] fields) {
    this.id = id;
    this.options = options;
    this.fields = fields;
    this.program = RecordProgram.compile(fields);
  }

  int id() {
    return id;
  }

  /** Whether its records describe the exporter and are no flows. */
  public boolean isOptions() {
    return options;
  }

  int bytes() {
    return 48 + Integer.BYTES * fields.length + program.bytes();
  }

  public RecordProgram program() {
    return program;
  }

  /** A record without bytes would never end, and a record longer than a set cannot exist. */
  public boolean hasPossibleLength() {
    return program.minBytes() >= 1 && program.minBytes() <= 0xFFFF;
  }

  void write(DataOutputStream out) throws IOException {
    out.writeShort(id);
    out.writeBoolean(options);
    out.writeShort(fields.length / 3);
    for (int i = 0; i < fields.length; i += 3) {
      out.writeInt(fields[i]);
      out.writeInt(fields[i + 1]);
      out.writeShort(fields[i + 2]);
    }
  }

  public boolean isDefinedBy(boolean otherOptions, int[] otherFields) {
    return options == otherOptions && Arrays.equals(fields, otherFields);
  }
}

package org.flowmon.deploy.archive;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.Writer;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.iceberg.IcebergTable;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.text.JsonText;

/** The formats that list an archive's Parquet files for other tools. */
public enum FileListing {
  /** One absolute path or URL on each line. */
  LIST {
    @Override
    void write(ArchiveSnapshot snapshot, Optional<ArchiveLocation> to, Writer out)
        throws IOException {
      for (String file : snapshot.files()) {
        out.write(file + "\n");
      }
    }
  },

  /** An array with an object for each file and its facts in the manifest; times as ISO 8601. */
  JSON {
    @Override
    void write(ArchiveSnapshot snapshot, Optional<ArchiveLocation> to, Writer out)
        throws IOException {
      JsonGenerator json = JsonText.factory().createGenerator(out);
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.writeStartArray();
      List<String> files = snapshot.files();
      for (int i = 0; i < files.size(); i++) {
        SealedSegment segment = snapshot.segments().get(i);
        json.writeRaw(i == 0 ? "\n" : "");
        json.writeStartObject();
        json.writeStringField("file", files.get(i));
        json.writeNumberField("file_bytes", segment.segmentFile().length());
        json.writeNumberField("flows", segment.rows());
        json.writeNumberField("first_row", snapshot.firstRow(segment));
        writeNumber(json, "bytes", segment.totalBytes());
        writeNumber(json, "packets", segment.totalPackets());
        writeRange(json, "start_time", segment.startTime());
        writeRange(json, "end_time", segment.endTime());
        writeRange(json, "arrival", segment.arrival());
        json.writeEndObject();
        json.writeRaw("\n");
      }
      json.writeEndArray();
      json.close();
      out.write("\n");
    }
  },

  /** A statement that makes the files DuckDB's view {@code flows}, without expired flows. */
  DUCKDB {
    @Override
    void write(ArchiveSnapshot snapshot, Optional<ArchiveLocation> to, Writer out)
        throws IOException {
      if (snapshot.segments().isEmpty()) {
        throw new CommandException(
            "the archive at " + snapshot.location() + " has no files yet: no view is of none");
      }
      // Temporary: in a stored database the view would name deleted files.
      List<String> whole = new ArrayList<>();
      List<String> selects = new ArrayList<>();
      List<String> files = snapshot.files();
      for (int i = 0; i < files.size(); i++) {
        String file = "'" + files.get(i).replace("'", "''") + "'";
        int first = snapshot.firstRow(snapshot.segments().get(i));
        if (first == 0) {
          whole.add("  " + file);
        } else {
          selects.add(
              "SELECT * EXCLUDE (file_row_number) FROM read_parquet("
                  + file
                  + ", file_row_number = true) WHERE file_row_number >= "
                  + first);
        }
      }
      if (!whole.isEmpty()) {
        selects.add(
            0,
            "SELECT * FROM read_parquet([\n"
                + String.join(",\n", whole)
                + "\n], union_by_name = true)");
      }
      out.write("CREATE OR REPLACE TEMP VIEW flows AS ");
      out.write(String.join("\nUNION ALL BY NAME ", selects));
      out.write(";\n");
    }
  },

  /** Brings the Iceberg metadata up to the snapshot; the line names the newest file of them. */
  ICEBERG {
    @Override
    void write(ArchiveSnapshot snapshot, Optional<ArchiveLocation> to, Writer out)
        throws IOException {
      try (IcebergTable table = IcebergTable.open(snapshot.location(), to)) {
        IcebergTable.State state = table.update(snapshot);
        if (state.oldSegments() > 0) {
          System.err.printf(
              "warning: %d segments were sealed by an earlier version; Spark and Flink refuse their"
                  + " unsigned numbers, or read those from 2^31 on as negative: flowmon repack"
                  + " writes them anew%n",
              state.oldSegments());
        }
        out.write(state.location() + "\n");
      }
    }
  };

  /** {@code to}: the folder of a format that writes files; empty: in the archive. */
  abstract void write(ArchiveSnapshot snapshot, Optional<ArchiveLocation> to, Writer out)
      throws IOException;

  private static void writeNumber(JsonGenerator json, String name, BigInteger value)
      throws IOException {
    json.writeFieldName(name);
    json.writeNumber(value);
  }

  private static void writeRange(JsonGenerator json, String name, TimeRange range)
      throws IOException {
    writeTime(json, "min_" + name, range.isEmpty(), range.min());
    writeTime(json, "max_" + name, range.isEmpty(), range.max());
  }

  private static void writeTime(JsonGenerator json, String name, boolean none, long micros)
      throws IOException {
    if (none) {
      json.writeNullField(name);
    } else {
      json.writeStringField(name, FlowTime.text(micros));
    }
  }
}

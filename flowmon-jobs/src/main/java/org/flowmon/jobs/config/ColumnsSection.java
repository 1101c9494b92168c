package org.flowmon.jobs.config;

import java.nio.file.Path;
import java.util.List;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.decode.record.OwnElement;
import org.flowmon.ingest.file.format.ColumnNames;

/**
 * Users' columns in a configuration, and where their values come from ({@code docs/columns.md}):
 *
 * <pre>
 * columns:
 *   - name: dns_name                  # as in queries
 *     id: 200                         # 192 … 254; never used for another column
 *     type: text                      # text, address, number, count, uint8 …, duration, timestamp, boolean
 *     elements: ["9/12235:string"]    # of NetFlow v9 and IPFIX: ENTERPRISE/ELEMENT:TYPE, or a name
 *     names: [dns.rrname]             # in CSV headers, JSON and Parquet
 *   - name: jitter
 *     id: 201
 *     type: number
 *     unit: ms
 *     scale: 1000                     # a value of 0.25 is stored as 250, unit ms/1000
 *     elements: ["9/8:float64"]
 * </pre>
 */
public final class ColumnsSection {
  private ColumnsSection() {}

  /** Defines the columns of a file, which may be a job's configuration: its other keys are left. */
  public static void define(Path file) {
    define(YamlFile.read(file));
  }

  /**
   * Defines the columns for the whole process, before anything that names them is read. {@link
   * ConfigException} names file, line and key.
   */
  public static void define(YamlSection root) {
    root.sections("columns").forEach(ColumnsSection::defineOne);
  }

  private static void defineOne(YamlSection section) {
    String name = section.text("name", "a name for queries");
    int id = section.integer("id", FlowColumn.FIRST_OWN_ID, FlowColumn.LAST_ID, 0);
    if (id == 0) {
      throw section.error(
          "id",
          "is missing; expected a number of %d…%d that no other column ever had"
              .formatted(FlowColumn.FIRST_OWN_ID, FlowColumn.LAST_ID));
    }
    ColumnType type = section.choice("type", ColumnType.class, ColumnType.TEXT);
    int scale = section.integer("scale", 1, FlowColumn.MAX_SCALE, 1);
    if (!Integer.toString(scale).matches("10*") || (scale > 1 && type != ColumnType.NUMBER)) {
      throw section.error(
          "scale", "expected 10, 100 … " + FlowColumn.MAX_SCALE + ", for a column of type number");
    }
    String unit =
        section.text("unit", "a unit such as ms", type == ColumnType.DURATION ? "us" : "");
    if (FlowColumn.scale(type, unit) > 1) {
      throw section.error("unit", "ends as a scale does; expected a unit, and the key scale");
    }
    if (type == ColumnType.DURATION && !unit.equals("us")) {
      throw section.error("unit", "durations are stored in us; elements have units of their own");
    }
    List<String> elements = section.words("elements");
    List<String> names = section.words("names");
    section.end();
    String key = "name";
    try {
      FlowColumn column = FlowColumn.define(id, name, type, unit + (scale > 1 ? "/" + scale : ""));
      key = "elements";
      for (String element : elements) {
        OwnElement.define(column, element);
      }
      key = "names";
      for (String inFile : names) {
        ColumnNames.define(inFile, column);
      }
    } catch (IllegalArgumentException e) {
      throw section.error(key, String.valueOf(e.getMessage()));
    }
  }
}

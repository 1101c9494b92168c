package org.flowmon.bench.systems;

import java.util.List;
import java.util.Locale;

/**
 * How a database stores the flows.
 *
 * @param transaction rows of a transaction
 */
record Layout(Fields fields, Indexes indexes, int transaction) {
  /** Types of addresses and times: table 5 of the study. */
  enum Fields {
    /** Numbers everywhere (generic). */
    INTEGER,
    /** The database's own types of addresses and times, texts if it has none (specific). */
    NATIVE;

    /** The name in options and tables. */
    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A group of indexes, made before the first row: table 6 of the study. */
  enum Indexes {
    NONE("none", List.of()),
    SINGLE(
        "0",
        List.of(
            List.of(FlowField.SRC_EXPORTER),
            List.of(FlowField.SECS_EXPORT),
            List.of(FlowField.SECS_FLOWSTART),
            List.of(FlowField.SECS_FLOWEND),
            List.of(FlowField.SRC_AS),
            List.of(FlowField.DST_AS),
            List.of(FlowField.SRC_ADDR),
            List.of(FlowField.DST_ADDR))),
    A(
        "A",
        List.of(
            List.of(FlowField.SRC_EXPORTER),
            List.of(FlowField.SECS_EXPORT),
            List.of(FlowField.SECS_FLOWSTART, FlowField.SECS_FLOWEND),
            List.of(FlowField.SRC_AS, FlowField.SRC_ADDR),
            List.of(FlowField.DST_AS, FlowField.DST_ADDR))),
    B(
        "B",
        List.of(
            List.of(FlowField.SRC_EXPORTER),
            List.of(FlowField.SECS_EXPORT),
            List.of(FlowField.SECS_FLOWSTART, FlowField.SECS_FLOWEND),
            List.of(FlowField.SRC_ADDR, FlowField.SRC_PORT),
            List.of(FlowField.DST_ADDR, FlowField.DST_PORT),
            List.of(FlowField.SRC_AS, FlowField.DST_AS)));

    private final String label;
    private final List<List<FlowField>> fields;

    Indexes(String label, List<List<FlowField>> fields) {
      this.label = label;
      this.fields = fields;
    }

    /** The name in options and tables. */
    String label() {
      return label;
    }

    /** The fields of each index. */
    List<List<FlowField>> fields() {
      return fields;
    }
  }
}

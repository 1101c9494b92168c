package org.flowmon.udaf.enrich;

import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** The keys of {@code TRAFFIC_DIRECTION} and {@code IS_DUPLICATE}: which way a flow took. */
final class FlowWay {
  static final int EXPORTER = 0;
  static final int INPUT = 1;
  static final int OUTPUT = 2;
  static final int SOURCE = 3;
  static final int DESTINATION = 4;
  static final int DIRECTION = 5;

  private FlowWay() {}

  /** Whether an address is known and in a table. */
  static boolean isIn(AddressTable table, Vector[] keys, int address, int row) {
    Vector of = keys[address];
    return of.isValid(row) && table.find(of.requireHigh()[row], of.values()[row]) >= 0;
  }

  static boolean isKnown(Vector[] keys, int key, int row) {
    return keys[key].isValid(row);
  }

  /** The class of one of the flow's interfaces; null if it is unknown. */
  static @Nullable String boundary(ExporterTexts classes, Vector[] keys, int side, int row) {
    Vector exporter = keys[EXPORTER];
    if (!exporter.isValid(row) || !keys[side].isValid(row)) {
      return null;
    }
    return classes.text(
        exporter.requireHigh()[row], exporter.values()[row], keys[side].values()[row]);
  }
}

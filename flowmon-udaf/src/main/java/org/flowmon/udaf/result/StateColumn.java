package org.flowmon.udaf.result;

import org.flowmon.udaf.catalogue.ExportedState;
import org.flowmon.udaf.catalogue.UdafCatalogue;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.memory.TextBytes;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * Values out of groups' states, in order: a state as the base64 of an {@link ExportedState}, a list
 * of items as JSON. Texts are taken from the table's memory.
 */
final class StateColumn {
  private final long[] low;
  private final long[] high; // of addresses, else empty
  private final @Nullable String[] texts;
  private boolean[] isNull = {}; // empty if there are none
  private final int rows;
  private final boolean isText;

  private final MemoryDraw memory; // charged for texts

  private StateColumn(@Nullable ValueKind kind, int rows, MemoryDraw memory) {
    this.memory = memory;
    this.rows = rows;
    this.isText = kind == ValueKind.TEXT;
    this.low = new long[isText ? 0 : rows];
    this.high = new long[kind == ValueKind.ADDRESS ? rows : 0];
    this.texts = new String[isText ? rows : 0];
  }

  static StateColumn of(GroupTable table, AggregateCall call, int[] groups) {
    int place = table.layout().functionOf(call);
    BoundUdaf function = table.layout().functions().get(place).function();
    BoundExtractor extractor =
        call.state().isState() ? null : UdafCatalogue.extractor(function, call);
    StateColumn column = new StateColumn(call.kind(), groups.length, table.memory());
    for (int row = 0; row < groups.length; row++) {
      table.memory().check();
      SuperState state = table.requireStates().state(place, groups[row]);
      column.set(
          row, extractor == null ? exported(function, state) : value(call, extractor, state));
    }
    return column;
  }

  private static Value exported(BoundUdaf function, SuperState state) {
    return Value.ofText(ExportedState.of(function, state).toText());
  }

  private static Value value(AggregateCall call, BoundExtractor extractor, SuperState state) {
    return UdafCatalogue.value(extractor.extract(state), call.state().part());
  }

  private void set(int row, Value value) {
    if (value.isNull()) {
      isNull = isNull.length == 0 ? new boolean[rows] : isNull;
      isNull[row] = true;
    } else if (isText) {
      memory.take(TextBytes.OBJECT_BYTES + TextBytes.of(value.text()));
      texts[row] = value.text();
    } else {
      low[row] = value.low();
      if (high.length > 0) {
        high[row] = value.high();
      }
    }
  }

  void fill(AnswerColumns columns, int column) {
    columns.set(column, low, high, texts, isNull);
  }
}

package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** What the columns of an answer are: kinds and units. */
public final class ResultColumns {
  private ResultColumns() {}

  public static void write(JsonGenerator json, List<SelectItem> items) throws IOException {
    json.writeStartArray();
    for (SelectItem item : items) {
      json.writeStartObject();
      json.writeStringField("name", item.name());
      json.writeStringField("kind", kind(item));
      json.writeStringField("unit", unit(item.what()));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  static String kind(SelectItem item) {
    return item.isList() ? "list" : kind(item.resultKind());
  }

  static String kind(ValueKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** Null if it has none, or that is not known. */
  static @Nullable String unit(Expression what) {
    if (what instanceof Expression.Column column) {
      String unit = column.column().unit();
      return unit.isEmpty() ? null : unit;
    }
    if (what instanceof AggregateCall call) {
      boolean isOfValues =
          call.function() == AggregateFunction.MIN
              || call.function() == AggregateFunction.MAX
              || call.function().isOfSums();
      return isOfValues ? unit(call.argument()) : null;
    }
    return what.kind() == ValueKind.DURATION ? "us" : null;
  }
}

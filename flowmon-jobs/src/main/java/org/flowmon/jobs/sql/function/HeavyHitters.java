package org.flowmon.jobs.sql.function;

import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.FunctionHint;
import org.apache.flink.types.Row;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * {@code HEAVY_HITTERS(item, weight, k)}: the items with most of a sum of weights, as
 * TOP(HEAVY_HITTERS(item, weight), k). An item is an address, as text or 16 bytes, or a number.
 */
@FunctionHint(
    output = @DataTypeHint("ARRAY<ROW<item STRING, weight BIGINT, least BIGINT, most BIGINT>>"))
public final class HeavyHitters extends SketchFunction<Row[]> {
  private static final long serialVersionUID = 1L;

  public HeavyHitters() {
    super("HEAVY_HITTERS");
  }

  public void accumulate(Sketch sketch, @Nullable Long item, @Nullable Long weight, Integer most) {
    if (item != null && weight != null) {
      add(sketch, most, Value.ofLong(item), Value.ofLong(weight));
    }
  }

  /** Takes the text of an address. */
  public void accumulate(
      Sketch sketch, @Nullable String item, @Nullable Long weight, Integer most) {
    if (item != null && weight != null) {
      IpAddress address = IpAddress.parseOrNull(item);
      if (address == null) {
        throw new IllegalArgumentException(
            "HEAVY_HITTERS takes addresses and whole numbers, found '" + item + "'");
      }
      add(sketch, most, Value.ofAddress(address), Value.ofLong(weight));
    }
  }

  /** Takes the bytes of an address. */
  public void accumulate(
      Sketch sketch, byte @Nullable [] item, @Nullable Long weight, Integer most) {
    if (item != null && weight != null) {
      add(sketch, most, address(item), Value.ofLong(weight));
    }
  }

  @Override
  public Row[] getValue(Sketch sketch) {
    if (sketch.isEmpty()) {
      return new Row[0];
    }
    Value most = Value.ofLong((long) sketch.parameter());
    return ((Items) answer(sketch, "TOP", most))
        .items().stream().map(HeavyHitters::row).toArray(Row[]::new);
  }

  private static Row row(Items.Item item) {
    Value key = item.key().get(0);
    Estimate weight = item.estimate();
    return Row.of(
        key.kind() == ValueKind.ADDRESS
            ? IpAddress.format(key.high(), key.low())
            : Long.toString(key.low()),
        weight.value().low(),
        weight.lower().low(),
        weight.upper().low());
  }
}

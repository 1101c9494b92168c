package org.flowmon.deploy.stats;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.scan.BlockSource;
import org.flowmon.archive.scan.FlowBlock;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.ValueKind;

/**
 * {@link Statistic}s of an expression by the values of another. Memory grows with the number of
 * groups, and with that of values where quantiles are asked for. Not thread-safe.
 */
public final class GroupedStatistics {
  /**
   * A group.
   *
   * @param key its value as flowmon writes it, null for NULL
   */
  public record Group(String key, Statistic statistic) {}

  /** Values that are kept at most. */
  private final long mostKept;

  private final CompiledExpression value;
  private final CompiledExpression by;
  private final Vector values;
  private final Vector keys;
  private final boolean keep;
  private final Map<Key, Statistic> groups = new HashMap<>();
  // The group of the row before: flows of one group often come together.
  private Key last;
  private Statistic lastGroup;
  private long kept;
  private long nulls;

  /** A value of the key, in an order that is its kind's. */
  private record Key(boolean isNull, long high, long low, String text) {}

  /**
   * No groups yet.
   *
   * @param value a number or duration
   * @param by null for one group of all
   * @param keep whether quantiles will be asked for
   * @param mostKept values that are kept at most
   * @throws IllegalArgumentException where the value is of another kind
   */
  public GroupedStatistics(Expression value, Expression by, boolean keep, long mostKept) {
    this.value = CompiledExpression.of(value);
    ValueKind kind = this.value.kind();
    if (kind != ValueKind.LONG && kind != ValueKind.DOUBLE && kind != ValueKind.DURATION) {
      throw new IllegalArgumentException(
          "statistics are of numbers and durations, not of " + (kind == null ? "NULL" : kind));
    }
    this.by = by == null ? null : CompiledExpression.of(by);
    this.values = this.value.newVector();
    this.keys = by == null ? null : this.by.newVector();
    this.keep = keep;
    this.mostKept = mostKept;
    if (by == null) {
      group(new Key(true, 0, 0, null));
    }
  }

  /** Whether the values are durations. */
  public boolean isDuration() {
    return value.kind() == ValueKind.DURATION;
  }

  /** Rows whose value is NULL: they are in no statistic. */
  public long nulls() {
    return nulls;
  }

  /**
   * Takes all rows of a block.
   *
   * @throws IOException where more values would be kept than there may be
   */
  public void add(FlowBlock block) throws IOException {
    for (int from = 0; from < block.rows(); from += Vector.CAPACITY) {
      int count = Math.min(Vector.CAPACITY, block.rows() - from);
      value.evaluate(block, from, count, values);
      if (by != null) {
        by.evaluate(block, from, count, keys);
      }
      for (int i = 0; i < count; i++) {
        if (values.isValid(i)) {
          take(i);
        } else {
          nulls++;
        }
      }
    }
  }

  private void take(int i) throws IOException {
    if (keep && ++kept > mostKept) {
      throw new IOException(
          "quantiles hold every value, and there are more than "
              + mostKept
              + ": narrow them with --where, or leave --quantiles out");
    }
    (by == null ? lastGroup : group(i)).add(values.values()[i]);
  }

  private Statistic group(int i) {
    boolean isNull = !keys.isValid(i);
    long high = keys.high() == null ? 0 : keys.high()[i];
    long low = keys.values()[i];
    String text = keys.texts() == null ? null : keys.texts()[i];
    if (last != null
        && last.isNull == isNull
        && last.high == high
        && last.low == low
        && java.util.Objects.equals(last.text, text)) {
      return lastGroup;
    }
    return group(new Key(isNull, high, low, text));
  }

  private Statistic group(Key key) {
    last = key;
    lastGroup =
        groups.computeIfAbsent(key, k -> new Statistic(value.kind() != ValueKind.DOUBLE, keep));
    return lastGroup;
  }

  /** Reads a source to its end. */
  public void addAll(BlockSource source) throws IOException {
    for (FlowBlock block = source.next(); block != null; block = source.next()) {
      add(block);
    }
  }

  /** The groups by their keys, ascending; NULL is last. */
  public List<Group> groups() {
    List<Key> order = new ArrayList<>(groups.keySet());
    order.sort(order());
    return order.stream().map(key -> new Group(text(key), groups.get(key))).toList();
  }

  private Comparator<Key> order() {
    ValueKind kind = by == null ? null : by.kind();
    Comparator<Key> byValue =
        kind == ValueKind.TEXT
            ? Comparator.comparing(key -> key.text == null ? "" : key.text)
            : kind == ValueKind.DOUBLE
                ? Comparator.comparingDouble(key -> Double.longBitsToDouble(key.low))
                : kind == ValueKind.ADDRESS
                    ? (a, b) -> IpAddress.compare(a.high, a.low, b.high, b.low)
                    : Comparator.comparingLong(key -> key.low);
    return Comparator.comparing(Key::isNull).thenComparing(byValue);
  }

  private String text(Key key) {
    if (key.isNull) {
      return null;
    }
    return switch (by.kind()) {
      case TEXT -> key.text;
      case ADDRESS -> IpAddress.format(key.high, key.low);
      case DOUBLE -> Double.toString(Double.longBitsToDouble(key.low));
      case BOOLEAN -> key.low != 0 ? "true" : "false";
      case TIMESTAMP ->
          java.time.Instant.EPOCH.plus(key.low, java.time.temporal.ChronoUnit.MICROS).toString();
      default -> Long.toString(key.low);
    };
  }
}

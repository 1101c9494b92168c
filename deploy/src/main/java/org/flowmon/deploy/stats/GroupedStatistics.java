package org.flowmon.deploy.stats;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.block.BlockSource;
import org.flowmon.archive.block.FlowBlock;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/**
 * {@link Statistic}s of an expression by the values of another. A query would not compute them: it
 * takes no sums of doubles and has no quantiles, whose groups of single values would take several
 * times the memory of the values. If a query has the answer, it is the same. Memory grows with the
 * number of groups and, for quantiles, of values; for quantiles it is bounded. Not thread-safe.
 */
public final class GroupedStatistics {
  /**
   * A group.
   *
   * @param key its value as flowmon writes it, null for NULL
   */
  public record Group(String key, Statistic statistic) {}

  /** Bytes of a group itself: its key, its place in the map, its sums and its first array. */
  private static final int BYTES_OF_GROUP = 512;

  /** The most bytes of values and groups. */
  private final long mostBytes;

  private final CompiledExpression value;
  private final CompiledExpression by;
  private final Vector values;
  private final Vector keys;
  private final boolean keep;
  private final Map<Key, Statistic> groups = new HashMap<>();
  // The group of the previous row: flows of one group often come together.
  private Key last;
  private Statistic lastGroup;
  private long keptBytes;
  private long nulls;

  /** A value of the key, in the order of its kind. */
  private record Key(boolean isNull, long high, long low, String text) {}

  /**
   * Creates statistics without groups.
   *
   * @param value a number or duration
   * @param by null for one group of all
   * @param keep whether quantiles will be asked for
   * @param mostBytes the limit for quantiles: 8 a value, and about 512 a group
   * @throws IllegalArgumentException if the value is of another kind
   */
  public GroupedStatistics(Expression value, Expression by, boolean keep, long mostBytes) {
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
    this.mostBytes = mostBytes;
    if (by == null) {
      lastGroup = newStatistic();
      groups.put(new Key(true, 0, 0, null), lastGroup);
    }
  }

  private Statistic newStatistic() {
    return new Statistic(value.kind() != ValueKind.DOUBLE, keep);
  }

  /** Whether the values are durations. */
  public boolean isDuration() {
    return value.kind() == ValueKind.DURATION;
  }

  /** Rows with a NULL value, which are in no statistic. */
  public long nulls() {
    return nulls;
  }

  /**
   * Adds all rows of a block.
   *
   * @throws IOException if values and groups would exceed the limit of bytes
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
    if (keep) {
      charge(Long.BYTES);
    }
    (by == null ? lastGroup : group(i)).add(values.values()[i]);
  }

  private void charge(long bytes) throws IOException {
    keptBytes += bytes;
    if (keptBytes > mostBytes) {
      throw new IOException(
          "quantiles hold every value of every group, and "
              + groups.size()
              + " groups take more than "
              + mostBytes
              + " bytes: narrow them with --where, make fewer groups, or leave --quantiles out");
    }
  }

  private Statistic group(int i) throws IOException {
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

  private Statistic group(Key key) throws IOException {
    last = key;
    lastGroup = groups.get(key);
    if (lastGroup == null) {
      if (keep) {
        charge(BYTES_OF_GROUP + (key.text == null ? 0 : 2L * key.text.length()));
      }
      lastGroup = newStatistic();
      groups.put(key, lastGroup);
    }
    return lastGroup;
  }

  /** Adds all rows of a source. */
  public void addAll(BlockSource source) throws IOException {
    for (FlowBlock block = source.next(); block != null; block = source.next()) {
      add(block);
    }
  }

  /** The groups by key, ascending, NULL last. */
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
      case TIMESTAMP -> FlowTime.text(key.low);
      default -> Long.toString(key.low);
    };
  }
}

package org.flowmon.jobs.sql.lookup;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.LogicalType;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.sql.row.SqlTypes;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a join looks flows up by, at least one of which the archive can be asked for.
 */
public final class LookupKey implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String[] columns;
  private final RowData.FieldGetter[] ofKey;
  private final RowData.FieldGetter[] ofFlow;
  private final boolean[] isAddress;
  private final int addressPlace; // of the first one, −1 if there is none

  /** {@code places}: of the key's columns in a flow's row. */
  public LookupKey(List<FlowColumn> flow, List<LogicalType> flowTypes, int[] places) {
    columns = new String[places.length];
    ofKey = new RowData.FieldGetter[places.length];
    ofFlow = new RowData.FieldGetter[places.length];
    isAddress = new boolean[places.length];
    int firstAddress = -1;
    boolean canAsk = false;
    for (int i = 0; i < places.length; i++) {
      FlowColumn column = flow.get(places[i]);
      columns[i] = column.sqlName();
      LogicalType type = flowTypes.get(places[i]);
      ofKey[i] = RowData.createFieldGetter(type, i);
      ofFlow[i] = RowData.createFieldGetter(type, places[i]);
      isAddress[i] = column.type() == ColumnType.ADDRESS;
      firstAddress = isAddress[i] && firstAddress < 0 ? i : firstAddress;
      canAsk |= isAsked(column);
    }
    addressPlace = firstAddress;
    if (!canAsk) {
      throw new ValidationException(
          "flows cannot be looked up by "
              + String.join(", ", columns)
              + " alone; join them on an address, a number or a text as well");
    }
  }

  private static boolean isAsked(FlowColumn column) {
    return column.type() != ColumnType.BOOLEAN && column.type() != ColumnType.TIMESTAMP;
  }

  /** The first column of the key that has addresses. */
  Optional<FlowColumn> addressColumn() {
    return addressPlace < 0 ? Optional.empty() : Optional.of(column(addressPlace));
  }

  /** The key of a row that the join asks for; null if no flow can have it. */
  @Nullable Asked of(RowData row) {
    GenericRowData own = values(row, ofKey);
    if (own == null) {
      return null; // nothing equals NULL
    }
    IpAddress first = null;
    for (int i = 0; i < columns.length; i++) {
      if (isAddress[i]) {
        IpAddress address = address(own.getField(i)).orElse(null);
        if (address == null) {
          return null; // a text that is no address
        }
        first = first == null ? address : first;
      }
    }
    return new Asked(own, first);
  }

  /** The key of a flow; null if a column of it is. */
  @Nullable RowData ofFlow(RowData flow) {
    return values(flow, ofFlow);
  }

  private static @Nullable GenericRowData values(RowData row, RowData.FieldGetter[] getters) {
    GenericRowData own = new GenericRowData(getters.length);
    for (int i = 0; i < getters.length; i++) {
      Object value = getters[i].getFieldOrNull(row);
      if (value == null) {
        return null;
      }
      own.setField(i, value);
    }
    return own;
  }

  /** Whether a flow with the key's first address is one of the key. */
  boolean isOf(Asked asked, RowData flow) {
    for (int i = 0; i < columns.length; i++) {
      if (i != addressPlace
          && !Objects.deepEquals(asked.key.getField(i), ofFlow[i].getFieldOrNull(flow))) {
        return false;
      }
    }
    return true;
  }

  /** Conditions that the flows of all these keys meet; others may, too. */
  List<Expression> conditions(Collection<RowData> keys) {
    List<Expression> conditions = new ArrayList<>();
    for (int i = 0; i < columns.length; i++) {
      FlowColumn column = column(i);
      if (isAsked(column)) {
        Set<Expression> values = new LinkedHashSet<>();
        for (RowData key : keys) {
          value(column, key, i).ifPresent(value -> values.add(new Expression.Literal(value)));
        }
        conditions.add(new Expression.In(new Expression.Column(column), new ArrayList<>(values)));
      }
    }
    return conditions;
  }

  private FlowColumn column(int i) {
    FlowColumn column = FlowColumn.byName(columns[i]);
    if (column == null) {
      throw new IllegalStateException("the archive has no column " + columns[i] + " any more");
    }
    return column;
  }

  private Optional<Value> value(FlowColumn column, RowData key, int i) {
    Object value = ((GenericRowData) key).getField(i);
    return switch (column.type()) {
      case UINT8, UINT16, UINT32, COUNT, NUMBER ->
          Optional.of(Value.ofLong(((Number) value).longValue()));
      case DURATION -> Optional.of(Value.ofDuration(((Number) value).longValue()));
      case TEXT -> Optional.of(Value.ofText(value.toString()));
      case ADDRESS -> address(value).map(Value::ofAddress);
      case BOOLEAN, TIMESTAMP -> Optional.empty();
    };
  }

  private static Optional<IpAddress> address(Object value) {
    return SqlTypes.address(value instanceof StringData text ? text.toString() : value);
  }

  @Override
  public String toString() {
    return String.join(", ", columns);
  }
}

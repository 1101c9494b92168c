package org.flowmon.udaf.query;

import org.flowmon.flow.code.CodeNames;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** Its name is the alias, or the column's, or the item's text. */
public record SelectItem(String name, Expression what) {
  /** The kind of its column in a bound query's result: TEXT if every value is NULL. */
  public ValueKind resultKind() {
    ValueKind kind = what.kind();
    return kind == null ? ValueKind.TEXT : kind;
  }

  /** Whether its texts are lists of items, as JSON. */
  public boolean isList() {
    return (what instanceof AggregateCall call && call.isState() && call.state().isList())
        || (what instanceof Expression.OfStates states && states.isList())
        || (what instanceof Expression.Named named && named.isList());
  }

  /** Those of a column of codes, and its MIN and MAX; else null. */
  public @Nullable CodeNames codeNames() {
    Expression values =
        what instanceof AggregateCall call
                && (call.function() == AggregateFunction.MIN
                    || call.function() == AggregateFunction.MAX)
            ? call.argument()
            : what;
    if (values instanceof Expression.Named named) {
      return named.codeNames();
    }
    return values instanceof Expression.Column column ? column.column().codeNames() : null;
  }
}

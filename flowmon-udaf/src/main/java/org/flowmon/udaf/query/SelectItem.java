package org.flowmon.udaf.query;

import org.flowmon.flow.CodeNames;
import org.jspecify.annotations.Nullable;

/**
 * One column of a query's result.
 *
 * @param name the alias, or the column's name, or the item's text
 */
public record SelectItem(String name, Expression what) {
  /**
   * The names of its values if they are codes with names: those of a column, and its MIN and MAX.
   * Else null.
   */
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

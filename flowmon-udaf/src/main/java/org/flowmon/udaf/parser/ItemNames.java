package org.flowmon.udaf.parser;

import java.util.List;
import java.util.function.Function;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.text.Token;

/**
 * Meanings of names in an expression besides columns of flows.
 *
 * @param meaning the expression of a name, null for a column of that name
 * @param all the names, for suggestions
 */
record ItemNames(Function<Token, Expression> meaning, List<String> all) {
  /** Names are columns. */
  static final ItemNames NONE = new ItemNames(name -> null, List.of());
}

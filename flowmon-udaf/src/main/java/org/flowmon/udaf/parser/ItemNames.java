package org.flowmon.udaf.parser;

import java.util.List;
import java.util.function.Function;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.text.Token;

/**
 * What names may mean in an expression besides columns of flows.
 *
 * @param meaning what a name stands for, null where a column of that name is meant
 * @param all the names, for suggestions
 */
record ItemNames(Function<Token, Expression> meaning, List<String> all) {
  /** Names are columns. */
  static final ItemNames NONE = new ItemNames(name -> null, List.of());
}

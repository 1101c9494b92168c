package org.flowmon.udaf.query;

import java.util.List;
import java.util.function.Function;

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

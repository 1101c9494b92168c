package org.flowmon.udaf.parser;

import java.util.List;
import java.util.function.Function;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.text.Token;

/** The meaning of a name (null: a column of it) and all names, for suggestions. */
record ItemNames(Function<Token, Expression> meaning, List<String> all) {
  static final ItemNames NONE = new ItemNames(name -> null, List.of());
}

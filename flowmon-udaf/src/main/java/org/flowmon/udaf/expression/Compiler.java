package org.flowmon.udaf.expression;

import org.flowmon.udaf.query.Expression;

@SuppressWarnings("DoNotCallSuggester")
final class Compiler {
  private Compiler() {}

  static ValueNode value(Expression expression) {
    throw new UnsupportedOperationException("not built yet");
  }

  static TruthNode truth(Expression expression) {
    throw new UnsupportedOperationException("not built yet");
  }
}

package org.flowmon.udaf.query;

import java.util.Set;

@SuppressWarnings("DoNotCallSuggester")
final class Binder {
  private Binder() {}

  static Set<String> parameters(FlowQuery query) {
    throw new UnsupportedOperationException("not built yet");
  }

  static FlowQuery bind(FlowQuery query, Parameters parameters) {
    throw new UnsupportedOperationException("not built yet");
  }
}

package org.flowmon.udaf.lowlevel;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.SharedExpressions;
import org.flowmon.udaf.expression.SharedVector;
import org.flowmon.udaf.group.KeyColumns;
import org.flowmon.udaf.group.TextDictionary;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.vector.KnownRows;
import org.flowmon.udaf.vector.Vector;

/**
 * Shared evaluation for live queries of one thread that take the same batches in turn: equal
 * expressions, filters, and keys' words and hashes are computed once. Results do not depend on it.
 * Entries that no query holds are dropped. Not thread-safe.
 */
public final class SharedEvaluation {
  private final SharedExpressions expressions = new SharedExpressions();
  private final Map<KeyList, WeakReference<Keys>> keys = new HashMap<>();

  private record KeyList(List<Expression> keys, int leading) {}

  SharedExpressions expressions() {
    return expressions;
  }

  SharedVector[] values(List<Expression> of) {
    return of.stream().map(expressions::value).toArray(SharedVector[]::new);
  }

  /** Keys with texts are not shared: each query numbers texts in its own dictionary. */
  Keys keys(GroupLayout layout, TextDictionary texts, int leadingKeys) {
    KeyList list = new KeyList(layout.keys(), leadingKeys);
    WeakReference<Keys> reference = keys.get(list);
    Keys held = reference == null ? null : reference.get();
    if (held == null) {
      KeyColumns columns = new KeyColumns(layout, texts, leadingKeys);
      held = new Keys(columns, values(layout.keys()));
      if (!columns.hasTexts()) {
        keys.values().removeIf(known -> known.refersTo(null));
        keys.put(list, new WeakReference<>(held));
      }
    }
    return held;
  }

  /** The key columns of groupings with equal keys, hashed once for a stretch of rows. */
  static final class Keys {
    private final KeyColumns columns;
    private final SharedVector[] shared;
    private final Vector[] vectors;
    private final KnownRows stretch = new KnownRows();

    private Keys(KeyColumns columns, SharedVector[] shared) {
      this.columns = columns;
      this.shared = shared;
      this.vectors = new Vector[shared.length];
    }

    KeyColumns columns() {
      return columns;
    }

    /** Makes the columns hold the keys of these rows, whatever was loaded in between. */
    void load(FlowRows rows, int from, int count) {
      // The words are the vectors' own arrays, which groupings by other keys share: these may hold
      // other rows by now, even if the hashes are of these rows.
      for (int k = 0; k < shared.length; k++) {
        vectors[k] = shared[k].values(rows, from, count);
      }
      // The numbers of texts begin anew when a table is drained.
      if (columns.hasTexts() || !stretch.is(rows, from, count)) {
        stretch.clear(); // if evaluation fails, no result is valid
        columns.load(vectors, count);
        stretch.set(rows, from, count);
      }
    }
  }
}

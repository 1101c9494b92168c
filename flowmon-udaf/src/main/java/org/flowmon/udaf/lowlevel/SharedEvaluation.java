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
 * What live queries of one thread that take the same batches, one after the other, find out once:
 * the values of equal expressions, the rows of equal filters, the words and hashes of equal keys.
 * Results do not depend on it. What no query holds any more is forgotten. Not thread-safe.
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

  /**
   * The keys of a layout. Texts are numbered in a query's own dictionary, so that keys with texts
   * are its own, too.
   */
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
      this.vectors = vectors(shared);
    }

    static Vector[] vectors(SharedVector[] shared) {
      Vector[] vectors = new Vector[shared.length];
      for (int i = 0; i < vectors.length; i++) {
        vectors[i] = shared[i].vector();
      }
      return vectors;
    }

    KeyColumns columns() {
      return columns;
    }

    /** Afterwards the columns hold the keys of these rows, whoever had which others in between. */
    void load(FlowRows rows, int from, int count) {
      // The words are the vectors' own arrays, and groupings by other keys have the vectors, too:
      // these may be of other rows by now, though the hashes are of these.
      for (SharedVector key : shared) {
        key.evaluate(rows, from, count);
      }
      // Numbers of texts begin anew when a table was drained.
      if (columns.hasTexts() || !stretch.is(rows, from, count)) {
        stretch.clear(); // should it fail, nothing is known
        columns.load(vectors, count);
        stretch.set(rows, from, count);
      }
    }
  }
}

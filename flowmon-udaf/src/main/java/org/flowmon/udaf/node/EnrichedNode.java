package org.flowmon.udaf.node;

import java.util.Arrays;
import java.util.function.Supplier;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.vector.Vector;

/** A column joined by its keys; each evaluation takes the lookup that the supplier then gives. */
public final class EnrichedNode extends ValueNode {
  private final Supplier<Lookup> lookup;
  private final ValueNode[] keyNodes;
  private final Vector[] keys;

  public EnrichedNode(EnrichedColumn column, Supplier<Lookup> lookup, ValueNode[] keyNodes) {
    super(column.kind());
    this.lookup = lookup;
    this.keyNodes = keyNodes;
    this.keys = Arrays.stream(keyNodes).map(node -> new Vector(node.kind())).toArray(Vector[]::new);
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    for (int k = 0; k < keys.length; k++) {
      keyNodes[k].evaluate(rows, from, count, keys[k]);
    }
    lookup.get().fill(keys, count, out);
  }
}

package org.flowmon.udaf.node;

import java.util.function.Supplier;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.vector.Vector;

/** A column joined by its keys; each evaluation takes the lookup that the supplier then gives. */
public final class EnrichedNode extends ValueNode {
  private final Supplier<Lookup> lookup;
  private final Operand[] operands;
  private final Vector[] keys;

  public EnrichedNode(EnrichedColumn column, Supplier<Lookup> lookup, ValueNode[] keyNodes) {
    super(column.kind());
    this.lookup = lookup;
    this.operands = Operand.of(keyNodes);
    this.keys = new Vector[keyNodes.length];
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    Operand.evaluate(operands, rows, from, count, keys);
    lookup.get().fill(keys, count, out);
  }
}

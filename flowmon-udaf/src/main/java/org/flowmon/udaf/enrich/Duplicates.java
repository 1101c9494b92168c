package org.flowmon.udaf.enrich;

import java.util.List;
import java.util.Optional;
import org.flowmon.udaf.vector.Vector;

/**
 * Which flows are those of another exporter on the same way. The first rule that is for a flow says
 * where such flows count; of those seen elsewhere it is true. It is false without a rule, and for
 * flows of no exporter.
 */
public final class Duplicates implements Lookup {
  /**
   * What is empty is no condition.
   *
   * @param either the rule is for flows with source or destination there
   * @param from for flows from there
   * @param to for flows to there
   * @param exporters they count if they come from one of these
   * @param inBoundary if the class of the interface in is this
   * @param outBoundary if the class of the interface out is this
   * @param flowDirection if they have this {@code flow_direction}
   */
  public record Rule(
      Optional<AddressTable> either,
      Optional<AddressTable> from,
      Optional<AddressTable> to,
      Optional<AddressTable> exporters,
      Optional<String> inBoundary,
      Optional<String> outBoundary,
      Optional<Long> flowDirection) {

    private boolean isFor(Vector[] keys, int row) {
      if (either.isPresent()
          && !FlowWay.isIn(either.get(), keys, FlowWay.SOURCE, row)
          && !FlowWay.isIn(either.get(), keys, FlowWay.DESTINATION, row)) {
        return false;
      }
      return (from.isEmpty() || FlowWay.isIn(from.get(), keys, FlowWay.SOURCE, row))
          && (to.isEmpty() || FlowWay.isIn(to.get(), keys, FlowWay.DESTINATION, row));
    }

    private boolean counts(Vector[] keys, int row, ExporterTexts boundaries) {
      if (exporters.isPresent() && !FlowWay.isIn(exporters.get(), keys, FlowWay.EXPORTER, row)) {
        return false;
      }
      if (flowDirection.isPresent()
          && (!FlowWay.isKnown(keys, FlowWay.DIRECTION, row)
              || keys[FlowWay.DIRECTION].values()[row] != flowDirection.get())) {
        return false;
      }
      return isOf(inBoundary, boundaries, keys, FlowWay.INPUT, row)
          && isOf(outBoundary, boundaries, keys, FlowWay.OUTPUT, row);
    }

    private static boolean isOf(
        Optional<String> name, ExporterTexts boundaries, Vector[] keys, int side, int row) {
      return name.isEmpty() || name.get().equals(FlowWay.boundary(boundaries, keys, side, row));
    }
  }

  private final Rule[] rules;
  private final ExporterTexts boundaries;

  /** {@code boundaries} are classes by exporter and interface. */
  public Duplicates(List<Rule> rules, ExporterTexts boundaries) {
    this.rules = rules.toArray(Rule[]::new);
    this.boundaries = boundaries;
  }

  @Override
  public void fill(Vector[] keys, int count, Vector out) {
    for (int i = 0; i < count; i++) {
      out.values()[i] = isDuplicate(keys, i) ? 1 : 0;
    }
    out.setAllValid(count);
  }

  private boolean isDuplicate(Vector[] keys, int row) {
    if (!FlowWay.isKnown(keys, FlowWay.EXPORTER, row)) {
      return false;
    }
    for (Rule rule : rules) {
      if (rule.isFor(keys, row)) {
        return !rule.counts(keys, row, boundaries);
      }
    }
    return false;
  }
}

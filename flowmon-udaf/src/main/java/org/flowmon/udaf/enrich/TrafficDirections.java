package org.flowmon.udaf.enrich;

import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Which way flows go, seen from the networks of one's own: in, out, internal or transit. */
public final class TrafficDirections implements Lookup {
  private static final String IN = "in";
  private static final String OUT = "out";
  private static final String INTERNAL = "internal";
  private static final String TRANSIT = "transit";

  /** What tells the direction. */
  public enum Sign {
    /** The boundary classes of the flow's two interfaces. */
    INTERFACES,
    /** Its addresses. */
    NETWORKS,
    /** Whether it was metered as it came in, or as it went out (element 61: 0, 1). */
    FLOW_DIRECTION
  }

  private final Sign[] signs;
  private final AddressTable inside;
  private final ExporterTexts boundaries;

  /**
   * Makes the lookup.
   *
   * @param signs the first that knows the direction tells it
   * @param inside the networks of one's own
   * @param boundaries {@code external} or {@code internal}, by exporter and interface
   */
  public TrafficDirections(List<Sign> signs, AddressTable inside, ExporterTexts boundaries) {
    this.signs = signs.toArray(Sign[]::new);
    this.inside = inside;
    this.boundaries = boundaries;
  }

  @Override
  public void fill(Vector[] keys, int count, Vector out) {
    @Nullable String[] found = out.requireTexts();
    Arrays.fill(out.validity(), 0);
    for (int i = 0; i < count; i++) {
      String direction = null;
      for (int s = 0; s < signs.length && direction == null; s++) {
        direction = of(signs[s], keys, i);
      }
      found[i] = direction;
      out.validity()[i >>> 6] |= (direction == null ? 0L : 1L) << i;
    }
    out.settleValidity(count);
  }

  /** Null if the sign does not tell it. */
  private @Nullable String of(Sign sign, Vector[] keys, int row) {
    return switch (sign) {
      case INTERFACES -> byInterfaces(keys, row);
      case NETWORKS ->
          FlowWay.isKnown(keys, FlowWay.SOURCE, row)
                  && FlowWay.isKnown(keys, FlowWay.DESTINATION, row)
              ? of(
                  FlowWay.isIn(inside, keys, FlowWay.SOURCE, row),
                  FlowWay.isIn(inside, keys, FlowWay.DESTINATION, row))
              : null;
      case FLOW_DIRECTION ->
          FlowWay.isKnown(keys, FlowWay.DIRECTION, row)
              ? ofMetering(keys[FlowWay.DIRECTION].values()[row])
              : null;
    };
  }

  private static @Nullable String ofMetering(long flowDirection) {
    return flowDirection == 0 ? IN : flowDirection == 1 ? OUT : null;
  }

  private @Nullable String byInterfaces(Vector[] keys, int row) {
    String in = FlowWay.boundary(boundaries, keys, FlowWay.INPUT, row);
    String out = FlowWay.boundary(boundaries, keys, FlowWay.OUTPUT, row);
    return isBoundary(in) && isBoundary(out)
        ? of("internal".equals(in), "internal".equals(out))
        : null;
  }

  private static boolean isBoundary(@Nullable String name) {
    return "internal".equals(name) || "external".equals(name);
  }

  private static String of(boolean isFromInside, boolean isToInside) {
    return isFromInside ? (isToInside ? INTERNAL : OUT) : (isToInside ? IN : TRANSIT);
  }
}

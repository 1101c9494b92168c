package org.flowmon.archive.query.plan;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** How the segments of a query were read. Not thread-safe. */
public final class SegmentAccesses {
  private final Map<String, SegmentAccess> all = new TreeMap<>();

  public void add(SegmentAccess access) {
    all.merge(access.segment(), access, SegmentAccess::ofPieces);
  }

  public void addAll(SegmentAccesses others) {
    others.all.values().forEach(this::add);
  }

  /** All segments that were opened, by id. */
  public List<SegmentAccess> list() {
    return List.copyOf(all.values());
  }

  public int opened() {
    return all.size();
  }

  public int count(SegmentAccess.Way way) {
    return (int) all.values().stream().filter(access -> access.way() == way).count();
  }

  public long sum(ToLongFunction<SegmentAccess> value) {
    return all.values().stream().mapToLong(value).sum();
  }
}

package org.flowmon.udaf.lowlevel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.partial.PartialGroupsBuilder;
import org.jspecify.annotations.Nullable;

/** The panes with groups on the low level, by time and by index. */
final class PaneSet {
  private record Key(long start, long fromWindowEnd, long due) {
    /** Differs between processes, as flows choose their times: see {@link TableHash}. */
    @Override
    public int hashCode() {
      long sum = TableHash.add(TableHash.start(), 0, start);
      sum = TableHash.add(sum, 1, fromWindowEnd);
      return (int) TableHash.finish(TableHash.add(sum, 2, due));
    }
  }

  private int destinations;
  private final Map<Key, Pane> byTime = new HashMap<>();
  private final List<Pane> byIndex = new ArrayList<>();
  private final List<Integer> freeIndexes = new ArrayList<>();
  // Times whose groups have mostly left.
  private final Set<Key> detached = new HashSet<>();
  private @Nullable Pane latest;

  /** Sets the destinations of panes, groupings · key groups; nothing may be buffered for them. */
  void setDestinations(int number) {
    destinations = number;
    forEach(pane -> pane.outgoing = new PartialGroupsBuilder[number]);
  }

  Pane get(long start, long fromWindowEnd, long due) {
    if (latest != null
        && latest.start == start
        && latest.fromWindowEnd == fromWindowEnd
        && latest.due == due) {
      return latest;
    }
    Pane found = byTime.computeIfAbsent(new Key(start, fromWindowEnd, due), this::open);
    latest = found;
    return found;
  }

  private Pane open(Key key) {
    boolean reuse = !freeIndexes.isEmpty();
    int index = reuse ? freeIndexes.remove(freeIndexes.size() - 1) : byIndex.size();
    Pane pane = new Pane(index, key.start, key.fromWindowEnd, key.due, destinations);
    pane.isRest = detached.contains(key);
    if (reuse) {
      byIndex.set(index, pane);
    } else {
      byIndex.add(pane);
    }
    return pane;
  }

  Pane byIndex(int index) {
    return byIndex.get(index);
  }

  /** Later flows of its time go to another pane, its rest. */
  void detach(Pane pane) {
    Key key = new Key(pane.start, pane.fromWindowEnd, pane.due);
    byTime.remove(key);
    detached.add(key);
    if (latest == pane) {
      latest = null;
    }
  }

  /** Forgets detached panes whose first window ends by {@code windowEnd}. */
  void forgetDetached(long windowEnd) {
    detached.removeIf(key -> key.fromWindowEnd <= windowEnd);
  }

  void remove(Pane pane) {
    var unused = byTime.remove(new Key(pane.start, pane.fromWindowEnd, pane.due), pane);
    byIndex.set(pane.index, null);
    freeIndexes.add(pane.index);
    if (latest == pane) {
      latest = null;
    }
  }

  /** Visits all panes by index; the visitor may remove the visited one. */
  void forEach(Consumer<Pane> visit) {
    for (int i = 0; i < byIndex.size(); i++) {
      if (byIndex.get(i) != null) {
        visit.accept(byIndex.get(i));
      }
    }
  }

  int size() {
    return byIndex.size() - freeIndexes.size();
  }
}

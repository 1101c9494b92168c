package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.PartialMerge;
import org.flowmon.udaf.partial.StateBytes;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupOrder;
import org.flowmon.udaf.result.LiveGroupings;

/**
 * Groups of a window that some tasks sent in advance of its result, in the order of the query's
 * answer. When the window closes, changed groups are replaced and new ones inserted: the remaining
 * work grows with these and not with all groups.
 *
 * <p>A task numbers its groups in the order of sending; here they lie in the order of the answer.
 * To be used once; not thread-safe.
 */
public final class AdvancedGroups {
  private final FlowQuery live;
  private final GroupTable rows;
  // By group in order of arrival: its number here.
  private final int[] numbers;
  // By task: the start of its groups in the rows, and their number.
  private final Map<Long, int[]> byTask = new HashMap<>();
  private boolean isUsed;

  private AdvancedGroups(FlowQuery live, Map<Long, List<byte[]>> parts) {
    this.live = live;
    List<PartialGroups> blocks = new ArrayList<>();
    int groups = 0;
    for (Map.Entry<Long, List<byte[]>> task : parts.entrySet()) {
      int first = groups;
      for (byte[] bytes : task.getValue()) {
        for (PartialGroups block : blocks(bytes, live)) {
          blocks.add(block);
          groups = Math.addExact(groups, block.groups());
        }
      }
      byTask.put(task.getKey(), new int[] {first, groups - first});
    }
    GroupTable asTheyCame = PartialMerge.table(LiveGroupings.of(live).layout(), blocks);
    int[] order = new GroupOrder(asTheyCame, live).first(null);
    this.rows = new GroupTable(asTheyCame.layout());
    rows.reserveToAppend(groups + groups / 8); // with room for the rest
    rows.append(asTheyCame, order);
    this.numbers = new int[groups];
    for (int i = 0; i < groups; i++) {
      numbers[order[i]] = i;
    }
  }

  /**
   * Opens groups sent in advance.
   *
   * @param parts by task: bytes of parts, in the order they were sent
   * @throws PartialFormatException if the bytes are damaged or of a query with other groups
   */
  public static AdvancedGroups of(FlowQuery live, Map<Long, List<byte[]>> parts) {
    return new AdvancedGroups(live, new LinkedHashMap<>(parts));
  }

  /** The groups of untrusted bytes; the numbers beside them are ignored. */
  static List<PartialGroups> blocks(byte[] bytes, FlowQuery live) {
    GroupLayout layout = LiveGroupings.of(live).layout();
    return StateBytes.openPart(bytes, layout.fingerprint(), 1 + layout.stateWords())
        .blocks()
        .stream()
        .map(PartialGroups::open)
        .toList();
  }

  /**
   * Completes the window.
   *
   * @param rest of all tasks together
   * @param superseded by task: the numbers of groups that no longer count; all groups of an absent
   *     task no longer count
   * @throws PartialFormatException if a task has no group of such a number
   */
  public WindowPart complete(WindowPart rest, Map<Long, List<int[]>> superseded) {
    if (isUsed) {
      throw new IllegalStateException("what went in advance is part of a result already");
    }
    isUsed = true;
    BitSet gone = new BitSet(numbers.length);
    byTask.forEach((task, place) -> leaveOut(place, superseded.get(task), gone));
    GroupTable more = rest.allRows();
    int[] added = new GroupOrder(more, live).first(null);
    int before = rows.size();
    rows.append(more);
    Arrays.setAll(added, i -> before + added[i]);
    return rest.with(rows, merged(counting(gone), added, new GroupOrder(rows, live)));
  }

  private void leaveOut(int[] place, List<int[]> superseded, BitSet gone) {
    if (superseded == null) {
      for (int i = 0; i < place[1]; i++) {
        gone.set(numbers[place[0] + i]);
      }
      return;
    }
    for (int[] some : superseded) {
      for (int number : some) {
        if (number < 0 || number >= place[1]) {
          throw new PartialFormatException(
              "a window's rest takes the place of group "
                  + number
                  + ", of "
                  + place[1]
                  + " that went in advance");
        }
        gone.set(numbers[place[0] + number]);
      }
    }
  }

  private int[] counting(BitSet gone) {
    int[] counting = new int[numbers.length - gone.cardinality()];
    int n = 0;
    for (int group = 0; group < numbers.length; group++) {
      if (!gone.get(group)) {
        counting[n++] = group;
      }
    }
    return counting;
  }

  /** Merges two ascending lists; the second is usually much shorter. */
  private static int[] merged(int[] many, int[] few, GroupOrder order) {
    int[] merged = new int[many.length + few.length];
    int at = 0;
    for (int i = 0; i < few.length; i++) {
      int place = placeOf(few[i], many, at, order);
      System.arraycopy(many, at, merged, at + i, place - at);
      merged[place + i] = few[i];
      at = place;
    }
    System.arraycopy(many, at, merged, at + few.length, many.length - at);
    return merged;
  }

  /**
   * The first place, from a start on, whose group comes after this one; searched by doubling steps.
   */
  private static int placeOf(int group, int[] many, int from, GroupOrder order) {
    int low = from;
    int step = 1;
    while (step <= many.length - low && order.compare(many[low + step - 1], group) < 0) {
      low += step;
      step = Math.min(2 * step, 1 << 29);
    }
    int high = Math.min(many.length, low + step - 1);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order.compare(many[middle], group) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

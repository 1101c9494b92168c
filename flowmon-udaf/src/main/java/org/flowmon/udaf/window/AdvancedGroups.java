package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
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
 * The groups of a window that tasks sent in advance of its result ({@link WindowAdvances}), and the
 * rest that they sent when it closed. Ordering groups is most of the work for a result, and is done
 * when all in advance have come. At the end changed groups are replaced and new ones inserted: the
 * remaining work grows with these alone.
 *
 * <p>A task that was restored in between has sent groups that do not count: it sends no rest of
 * them. Not thread-safe.
 */
public final class AdvancedGroups {
  private final FlowQuery live;
  private final Map<Long, Task> byTask = new LinkedHashMap<>();
  private final List<byte[]> rests = new ArrayList<>();
  // Empty if it has not begun, or is used up.
  private Optional<FutureTask<Ordered>> ordered = Optional.empty();

  /** Groups from a task; a rest says how many messages there were in advance. */
  private static final class Task {
    private final List<byte[]> advances = new ArrayList<>();
    private final List<int[]> superseded = new ArrayList<>();
    private int expected;
  }

  public AdvancedGroups(FlowQuery live) {
    this.live = live;
  }

  /** Takes the groups, alone, of a part sent in advance; each run of a task has its own number. */
  public void add(long task, byte[] part) {
    byTask.computeIfAbsent(task, run -> new Task()).advances.add(part);
    ordered.ifPresent(begun -> begun.cancel(false)); // it lacks these
    ordered = Optional.empty();
  }

  /** Takes a rest after so many messages; superseded groups, by number as sent, count no more. */
  public void addRest(long task, int advances, int[] superseded, byte[] part) {
    Task of = byTask.computeIfAbsent(task, run -> new Task());
    of.expected = advances;
    of.superseded.add(superseded);
    rests.add(part);
  }

  public boolean isEmpty() {
    return byTask.isEmpty();
  }

  public boolean hasRest() {
    return !rests.isEmpty();
  }

  /**
   * Whether all groups of the rests are there. They are not if the query was stopped and sent anew
   * in between; it does not have all flows of such a window anyway.
   */
  public boolean isWhole() {
    return byTask.values().stream()
        .allMatch(of -> of.superseded.isEmpty() || of.advances.size() == of.expected);
  }

  /** Begins, once, to order the groups that have come in advance; {@link #complete} takes over. */
  public void prepare(Executor executor) {
    if (ordered.isEmpty() && !byTask.isEmpty()) {
      FutureTask<Ordered> begun = new FutureTask<>(ordering());
      ordered = Optional.of(begun);
      executor.execute(begun);
    }
  }

  private Callable<Ordered> ordering() {
    Map<Long, List<byte[]>> advances = new LinkedHashMap<>();
    byTask.forEach((task, of) -> advances.put(task, List.copyOf(of.advances)));
    return () -> new Ordered(live, advances);
  }

  /**
   * Completes the window, with parts of tasks that sent nothing in advance.
   *
   * @throws PartialFormatException if bytes are damaged, of other groups, or replace groups never
   *     sent
   */
  public WindowPart complete(List<byte[]> others) {
    List<byte[]> parts = new ArrayList<>(others);
    parts.addAll(rests);
    FutureTask<Ordered> groups = ordered.orElseGet(() -> new FutureTask<>(ordering()));
    ordered = Optional.empty(); // it is used up
    groups.run(); // no-op if another thread runs it
    Map<Long, List<int[]>> superseded = new HashMap<>();
    byTask.forEach((task, of) -> superseded.put(task, of.superseded));
    return get(groups).complete(WindowPart.open(parts, live), superseded);
  }

  private static Ordered get(FutureTask<Ordered> groups) {
    try {
      return groups.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a window's groups were put in order", e);
    }
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

  /** The groups of all tasks in the order of the answer. To be completed once. */
  private static final class Ordered {
    private final FlowQuery live;
    private final GroupTable rows;
    // By group in order of arrival.
    private final int[] numbers;
    // By task: the start of its groups in the order of arrival, and their number.
    private final Map<Long, int[]> byTask = new HashMap<>();

    Ordered(FlowQuery live, Map<Long, List<byte[]>> advances) {
      this.live = live;
      List<PartialGroups> blocks = new ArrayList<>();
      int groups = 0;
      for (Map.Entry<Long, List<byte[]>> task : advances.entrySet()) {
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

    /** Adds the rest, without superseded groups by task; none: no rest came. */
    WindowPart complete(WindowPart rest, Map<Long, List<int[]>> superseded) {
      BitSet gone = new BitSet(numbers.length);
      byTask.forEach(
          (task, place) ->
              leaveOut(place, Objects.requireNonNull(superseded.get(task), "its task"), gone));
      GroupTable more = rest.allRows();
      int[] added = new GroupOrder(more, live).first(null);
      int before = rows.size();
      rows.append(more);
      Arrays.setAll(added, i -> before + added[i]);
      return rest.with(rows, merged(counting(gone), added, new GroupOrder(rows, live)));
    }

    private void leaveOut(int[] place, List<int[]> superseded, BitSet gone) {
      for (int i = 0; superseded.isEmpty() && i < place[1]; i++) {
        gone.set(numbers[place[0] + i]);
      }
      for (int[] some : superseded) {
        for (int number : some) {
          if (number < 0 || number >= place[1]) {
            throw new PartialFormatException(
                "a window's rest replaces group "
                    + number
                    + ", but only "
                    + place[1]
                    + " went in advance");
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

    /** Merges ascending lists; the second is usually much shorter. */
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

    /** The first place from a start on whose group comes after this one; by doubling steps. */
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
}

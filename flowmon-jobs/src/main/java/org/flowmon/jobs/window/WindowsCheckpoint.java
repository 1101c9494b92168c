package org.flowmon.jobs.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.lowlevel.PartialSerializer;

/** The windows of all queries in a checkpoint, and the time through which they were closed. */
final class WindowsCheckpoint {
  private final ListState<Long> closedThrough;
  // Query and end of a window closed at the end of input.
  private final ListState<long[]> closedEarly;
  // Query, window's end, and the arrival through which its last result was complete.
  private final ListState<long[]> published;
  private final ListState<Partial> messages;

  WindowsCheckpoint(OperatorStateStore store) throws Exception {
    closedThrough =
        store.getListState(new ListStateDescriptor<>("closed-through", LongSerializer.INSTANCE));
    closedEarly =
        store.getListState(
            new ListStateDescriptor<>("closed-early", LongPrimitiveArraySerializer.INSTANCE));
    published =
        store.getListState(
            new ListStateDescriptor<>("published-through", LongPrimitiveArraySerializer.INSTANCE));
    messages =
        store.getListState(new ListStateDescriptor<>("open-windows", new PartialSerializer()));
  }

  /** The arrival through which windows were closed; {@link Long#MIN_VALUE}: none was. */
  long closedThrough() throws Exception {
    long latest = Long.MIN_VALUE;
    for (long through : closedThrough.get()) {
      latest = Math.max(latest, through);
    }
    return latest;
  }

  /** Forgets other queries; {@code add} takes messages after published results are known. */
  void restore(Map<Long, OpenWindows> windows, Consumer<Partial> add) throws Exception {
    for (long[] queryAndEnd : closedEarly.get()) {
      OpenWindows open = windows.get(queryAndEnd[0]);
      if (open != null) {
        open.closedEarly(queryAndEnd[1]);
      }
    }
    for (long[] entry : published.get()) {
      OpenWindows open = windows.get(entry[0]);
      if (open != null) {
        open.published(entry[1], entry[2]);
      }
    }
    for (Partial message : messages.get()) {
      add.accept(message);
    }
  }

  /** {@code further} messages come after those of the windows in {@link #restore}. */
  void update(long through, Map<Long, OpenWindows> windows, List<Partial> further)
      throws Exception {
    closedThrough.update(List.of(through));
    List<Partial> all = new ArrayList<>();
    List<long[]> early = new ArrayList<>();
    List<long[]> results = new ArrayList<>();
    windows.forEach(
        (id, open) -> {
          all.addAll(open.snapshot());
          open.closedEarly().forEach(end -> early.add(new long[] {id, end}));
          open.published().forEach((end, last) -> results.add(new long[] {id, end, last}));
        });
    all.addAll(further);
    messages.update(all);
    closedEarly.update(early);
    published.update(results);
  }
}

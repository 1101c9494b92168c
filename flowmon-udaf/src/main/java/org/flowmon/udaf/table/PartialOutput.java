package org.flowmon.udaf.table;

import java.util.ArrayDeque;
import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;

/**
 * Packs what leaves the low-level table of one grouping by pane and key group, and sends it when
 * there is enough or it must go.
 */
final class PartialOutput implements LowLevelTable.Ejected {
  /** Groups of one pane and key group that are sent together at the latest. */
  private static final int FLUSH_GROUPS = 256;

  private static final int MAX_SPARE_BUILDERS = 1024;

  private final long queryId;
  private final GroupLayout layout;
  private final int grouping;
  private final TextDictionary texts;
  private final int maxParallelism;
  private final PartialSink sink;
  private final PartialGroupsBuilder.Scratch scratch = new PartialGroupsBuilder.Scratch();
  private final ArrayDeque<PartialGroupsBuilder> spare = new ArrayDeque<>();
  long partials;
  long messages;

  PartialOutput(
      long queryId,
      GroupLayout layout,
      int grouping,
      TextDictionary texts,
      int maxParallelism,
      PartialSink sink) {
    this.queryId = queryId;
    this.layout = layout;
    this.grouping = grouping;
    this.texts = texts;
    this.maxParallelism = maxParallelism;
    this.sink = sink;
  }

  @Override
  public void eject(Pane pane, long nulls, long hash, long[] data, int at) {
    int keyGroup = GroupHash.keyGroup(hash, maxParallelism);
    int destination = grouping * maxParallelism + keyGroup;
    PartialGroupsBuilder builder = pane.outgoing[destination];
    if (builder == null) {
      builder = spare.isEmpty() ? new PartialGroupsBuilder(layout, grouping, scratch) : spare.pop();
      pane.outgoing[destination] = builder;
    }
    builder.add(nulls, data, at, texts, StateSource.NONE, 0);
    partials++;
    if (builder.count() >= FLUSH_GROUPS) {
      send(pane, keyGroup, builder);
    }
  }

  /** Sends all of the grouping's groups of a pane that are on their way. */
  void flush(Pane pane) {
    for (int keyGroup = 0; keyGroup < maxParallelism; keyGroup++) {
      int destination = grouping * maxParallelism + keyGroup;
      PartialGroupsBuilder builder = pane.outgoing[destination];
      if (builder != null) {
        if (builder.count() > 0) {
          send(pane, keyGroup, builder);
        }
        pane.outgoing[destination] = null;
        if (spare.size() < MAX_SPARE_BUILDERS) {
          spare.push(builder);
        }
      }
    }
  }

  private void send(Pane pane, int keyGroup, PartialGroupsBuilder builder) {
    messages++;
    sink.emit(keyGroup, builder.build(queryId, keyGroup, pane.start, pane.fromWindowEnd, pane.due));
  }
}

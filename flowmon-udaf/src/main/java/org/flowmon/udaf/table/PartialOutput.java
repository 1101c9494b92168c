package org.flowmon.udaf.table;

import java.util.ArrayDeque;
import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;

/**
 * Packs what leaves the low-level table by pane and key group, and sends it when there is enough or
 * it must go.
 */
final class PartialOutput implements LowLevelTable.Ejected {
  /** Groups of one pane and key group that are sent together at the latest. */
  private static final int FLUSH_GROUPS = 512;

  private static final int MAX_SPARE_BUILDERS = 1024;

  private final long queryId;
  private final GroupLayout layout;
  private final TextDictionary texts;
  private final int maxParallelism;
  private final PartialSink sink;
  private final ArrayDeque<PartialGroupsBuilder> spare = new ArrayDeque<>();
  long partials;
  long messages;

  PartialOutput(
      long queryId,
      GroupLayout layout,
      TextDictionary texts,
      int maxParallelism,
      PartialSink sink) {
    this.queryId = queryId;
    this.layout = layout;
    this.texts = texts;
    this.maxParallelism = maxParallelism;
    this.sink = sink;
  }

  @Override
  public void eject(Pane pane, long nulls, long hash, long[] data, int at) {
    int keyGroup = GroupHash.keyGroup(hash, maxParallelism);
    PartialGroupsBuilder builder = pane.outgoing[keyGroup];
    if (builder == null) {
      builder = spare.isEmpty() ? new PartialGroupsBuilder(layout) : spare.pop();
      pane.outgoing[keyGroup] = builder;
    }
    builder.add(nulls, data, at, texts);
    partials++;
    if (builder.count() >= FLUSH_GROUPS) {
      send(pane, keyGroup);
    }
  }

  /** Sends all of a pane's groups that are on their way. */
  void flush(Pane pane) {
    for (int keyGroup = 0; keyGroup < maxParallelism; keyGroup++) {
      PartialGroupsBuilder builder = pane.outgoing[keyGroup];
      if (builder != null) {
        if (builder.count() > 0) {
          send(pane, keyGroup);
        }
        pane.outgoing[keyGroup] = null;
        if (spare.size() < MAX_SPARE_BUILDERS) {
          spare.push(builder);
        }
      }
    }
  }

  private void send(Pane pane, int keyGroup) {
    messages++;
    sink.emit(
        keyGroup, pane.outgoing[keyGroup].build(queryId, keyGroup, pane.start, pane.fromWindowEnd));
  }
}

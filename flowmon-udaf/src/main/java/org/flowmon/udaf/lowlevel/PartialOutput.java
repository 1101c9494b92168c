package org.flowmon.udaf.lowlevel;

import java.util.ArrayDeque;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.TextDictionary;
import org.flowmon.udaf.partial.PartialGroupsBuilder;
import org.flowmon.udaf.partial.StateSource;

/**
 * Packs the groups that leave the low-level table of one grouping by pane and key group. It sends
 * them to each interested query when there are enough, or at the latest possible time.
 */
final class PartialOutput implements LowLevelTable.Ejected {
  /** The most groups of one pane and key group that are sent together. */
  private static final int FLUSH_GROUPS = 256;

  /** Bytes of functions' states that cause sending, too. */
  private static final int FLUSH_STATE_BYTES = 1 << 15;

  private static final int MAX_SPARE_BUILDERS = 1024;

  private final GroupLayout layout;
  private final int grouping;
  private final List<LowLevelMember.Part> parts;
  private final TextDictionary texts;
  private final int maxParallelism;
  private final PartialGroupsBuilder.Scratch scratch = new PartialGroupsBuilder.Scratch();
  private final ArrayDeque<PartialGroupsBuilder> spare = new ArrayDeque<>();

  /**
   * The output of a table.
   *
   * @param grouping its number among the tables with the same panes
   * @param parts the recipients of its groups
   */
  PartialOutput(
      GroupLayout layout,
      int grouping,
      List<LowLevelMember.Part> parts,
      TextDictionary texts,
      int maxParallelism) {
    this.layout = layout;
    this.grouping = grouping;
    this.parts = parts;
    this.texts = texts;
    this.maxParallelism = maxParallelism;
  }

  @Override
  public void eject(
      Pane pane, long nulls, long hash, long[] data, int at, StateSource source, int group) {
    int keyGroup = GroupHash.keyGroup(hash, maxParallelism);
    int destination = grouping * maxParallelism + keyGroup;
    PartialGroupsBuilder builder = pane.outgoing[destination];
    if (builder == null) {
      builder = spare.isEmpty() ? new PartialGroupsBuilder(layout, scratch) : spare.pop();
      pane.outgoing[destination] = builder;
    }
    builder.add(nulls, data, at, texts, source, group);
    if (builder.count() >= FLUSH_GROUPS || builder.stateBytes() >= FLUSH_STATE_BYTES) {
      send(pane, keyGroup, builder);
    }
  }

  /** Sends all buffered groups of the grouping and a pane. */
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
    builder.pack();
    for (LowLevelMember.Part part : parts) {
      LowLevelMember to = part.member();
      if (to.receives(pane)) {
        byte[] message =
            builder.message(part.recipient(), keyGroup, pane.start, pane.fromWindowEnd, pane.due);
        to.send(keyGroup, message, builder.count());
      }
    }
    builder.clear();
  }
}

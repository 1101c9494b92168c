package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.pane.PaneKey;
import org.flowmon.udaf.partial.SampleWords;
import org.flowmon.udaf.partial.StateBytes;
import org.flowmon.udaf.partial.TablePartials;

/**
 * A snapshot of {@link WindowTables}, unchanged while they go on, for another thread to make bytes.
 * Words are copied, in a fraction of the time of packing; texts and states are packed at once.
 * Thread-safe.
 */
public final class FrozenTables {
  private final long queryId;
  private final long fingerprint;
  private final long watermark;
  private final long[] samples;
  private final List<Groups> groups;

  private FrozenTables(
      long queryId, long fingerprint, long watermark, long[] samples, List<Groups> groups) {
    this.queryId = queryId;
    this.fingerprint = fingerprint;
    this.watermark = watermark;
    this.samples = samples;
    this.groups = groups;
  }

  /** The groups of a grouping in a pane. */
  private interface Groups {
    List<byte[]> blocks();
  }

  /** Takes tables one after the other. */
  static final class Builder {
    private final long queryId;
    private final SampleWords samples = new SampleWords();
    private final List<Groups> groups = new ArrayList<>();

    Builder(long queryId) {
      this.queryId = queryId;
    }

    void add(PaneKey pane, int grouping, GroupTable table) {
      samples.write(pane, grouping, table.sample());
      if (table.isOfWordsAlone()) {
        GroupLayout layout = table.layout();
        int size = table.size();
        long[] words = Arrays.copyOf(table.words(), size * table.stride());
        groups.add(() -> TablePartials.ofWords(layout, words, size, queryId, grouping, 0, pane));
      } else {
        List<byte[]> blocks = TablePartials.ofRows(table, queryId, grouping, 0, pane);
        groups.add(() -> blocks);
      }
    }

    FrozenTables build(long fingerprint, long watermark) {
      return new FrozenTables(
          queryId, fingerprint, watermark, samples.words(), List.copyOf(groups));
    }
  }

  /**
   * Versioned, for {@link WindowTables#fromBytes}.
   *
   * @throws IllegalStateException if they exceed 2 GiB
   */
  public byte[] toBytes() {
    List<byte[]> blocks = new ArrayList<>();
    for (Groups one : groups) {
      blocks.addAll(one.blocks());
    }
    return StateBytes.tables(queryId, fingerprint, watermark, samples, blocks);
  }
}

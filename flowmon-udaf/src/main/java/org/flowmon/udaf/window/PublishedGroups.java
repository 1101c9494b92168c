package org.flowmon.udaf.window;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.group.KeyColumns;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroupsBuilder;
import org.flowmon.udaf.partial.PartialRecipient;
import org.flowmon.udaf.partial.PartialSink;
import org.flowmon.udaf.partial.StateSource;
import org.flowmon.udaf.partial.TablePartials;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;
import org.flowmon.udaf.text.QueryException;

/**
 * All groups of one query in a window, made elsewhere, as a low level would send them of another
 * live query here. Both have the same filter and keys, and the other's aggregates can be computed
 * from the first one's states; with COUNT(DISTINCT …) this holds for its groupings. Immutable, safe
 * for many threads.
 */
public final class PublishedGroups {
  private final GroupTable groups;
  private final long windowEnd;

  private PublishedGroups(GroupTable groups, long windowEnd) {
    this.groups = groups;
    this.windowEnd = windowEnd;
  }

  /**
   * Checks that all groups of a query can be published.
   *
   * @throws QueryException naming the clause that cuts or counts them
   */
  public static void check(FlowQuery published) {
    if (!published.keepsAllGroups()) {
      throw new QueryException(
          "a site publishes all groups: use HAVING, LIMIT and LIMIT BY in the analysis that merges"
              + " them, and not in "
              + published);
    }
    var unused = GroupLayout.of(published); // throws if the query is invalid
  }

  /**
   * Opens an untrusted {@link WindowPart#toBytes} of all key groups; the query keeps all groups,
   * without COUNT(DISTINCT …).
   *
   * @throws PartialFormatException if damaged, of a query with other groups, or not of all of them
   */
  public static PublishedGroups open(byte[] bytes, FlowQuery published) {
    WindowPart part = WindowPart.open(bytes, published);
    if (part.level() > 0) {
      throw new PartialFormatException(
          "expected all groups of a window, found those of level " + part.level());
    }
    return new PublishedGroups(part.allRows(), part.windowEnd());
  }

  /**
   * Numbers in {@link LiveGroupings} of the groupings that can be computed from the groups of
   * another query, which keeps all, without COUNT(DISTINCT …); none if filters differ.
   */
  public static List<Integer> groupings(FlowQuery published, FlowQuery live) {
    if (!Objects.equals(published.where(), live.where())) {
      return List.of();
    }
    GroupLayout layout = GroupLayout.of(published);
    List<GroupLayout> wanted = LiveGroupings.of(live).groupings();
    return IntStream.range(0, wanted.size())
        .filter(grouping -> layout.holds(wanted.get(grouping)))
        .boxed()
        .toList();
  }

  /**
   * A digest of groups that depends on the flows alone, whatever the order of the groups and the
   * content of approximate states. Without the groups nobody can forge other groups of its keys.
   *
   * @param values of keys and exact words; comparable if layouts are equal
   */
  public record Digest(long keys, long layout, long values) {
    /** Whether the two cannot be of the same flows. */
    public boolean contradicts(Digest other) {
      return keys != other.keys || (layout == other.layout && values != other.values);
    }
  }

  public Digest digest() {
    GroupLayout layout = groups.layout();
    KeyColumns columns = new KeyColumns(layout, groups.texts());
    long[] words = groups.words();
    int stride = groups.stride();
    long keys = 0;
    long values = 0;
    for (int g = 0; g < groups.size(); g++) {
      int at = g * stride;
      long hash = columns.leadingHash(words[at], words, at + 1);
      keys += hash;
      for (int w = 1 + layout.keyWords(); w < stride; w++) {
        hash = GroupHash.mix(hash, words[at + w]);
      }
      values += GroupHash.finish(hash);
    }
    return new Digest(keys, layout.fingerprint(), values);
  }

  /** End of the window in microseconds. */
  public long windowEnd() {
    return windowEnd;
  }

  public int size() {
    return groups.size();
  }

  /**
   * Sends the groups to the merge, as of the pane that holds the window.
   *
   * @param grouping one of {@link #groupings}
   * @param fromWindowEnd end of the first window that they count in
   * @param due {@link WindowSpec#due}
   * @param maxParallelism number of key groups
   */
  public void send(
      long queryId,
      FlowQuery live,
      int grouping,
      long paneStart,
      long fromWindowEnd,
      long due,
      int maxParallelism,
      PartialSink sink) {
    LiveGroupings all = LiveGroupings.of(live);
    GroupLayout layout = groups.layout();
    PartialRecipient to =
        new PartialRecipient(queryId, grouping, all.groupings().get(grouping), layout);
    KeyColumns keys = new KeyColumns(layout, groups.texts(), all.leadingKeys());
    PartialGroupsBuilder.Scratch scratch = new PartialGroupsBuilder.Scratch();
    PartialGroupsBuilder[] builders = new PartialGroupsBuilder[maxParallelism];
    StateSource states = TablePartials.source(groups);
    long[] words = groups.words();
    for (int g = 0; g < groups.size(); g++) {
      int at = g * groups.stride();
      int keyGroup = GroupHash.keyGroup(keys.leadingHash(words[at], words, at + 1), maxParallelism);
      PartialGroupsBuilder builder = builders[keyGroup];
      if (builder == null) {
        builder = new PartialGroupsBuilder(layout, scratch);
        builders[keyGroup] = builder;
      }
      builder.add(words[at], words, at + 1, groups.texts(), states, g);
      if (builder.isFull()) {
        sink.emit(keyGroup, builder.build(to, keyGroup, paneStart, fromWindowEnd, due));
      }
    }
    for (int keyGroup = 0; keyGroup < maxParallelism; keyGroup++) {
      if (builders[keyGroup] != null && builders[keyGroup].count() > 0) {
        sink.emit(keyGroup, builders[keyGroup].build(to, keyGroup, paneStart, fromWindowEnd, due));
      }
    }
  }
}

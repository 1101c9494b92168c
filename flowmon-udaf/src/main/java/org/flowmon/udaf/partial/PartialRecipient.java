package org.flowmon.udaf.partial;

import org.flowmon.udaf.aggregate.GroupLayout;

/** A grouping of a query as a recipient of partial groups, which others may receive, too. */
public final class PartialRecipient {
  final long queryId;

  /** The number among the query's groupings. */
  final int grouping;

  public final GroupLayout layout;

  /** By word of its groups' states, then by function: {@link GroupLayout#placesOf}. */
  final int[] places;

  /**
   * The recipient.
   *
   * @param layout of its groups
   * @param all layout of the source groups: a {@link GroupLayout#union} with its own
   */
  public PartialRecipient(long queryId, int grouping, GroupLayout layout, GroupLayout all) {
    this.queryId = queryId;
    this.grouping = grouping;
    this.layout = layout;
    this.places = all.placesOf(layout);
  }
}

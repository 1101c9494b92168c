package org.flowmon.udaf.partial;

import org.flowmon.udaf.aggregate.GroupLayout;

/** A grouping of a query, as one whom partial groups are for that may be others', too. */
public final class PartialRecipient {
  final long queryId;

  /** Of the query's groupings, the number. */
  final int grouping;

  public final GroupLayout layout;

  /** By word of its groups' states, then by function: {@link GroupLayout#placesOf}. */
  final int[] places;

  /**
   * The recipient.
   *
   * @param layout of its groups
   * @param all layout of the groups that it gets them of: a {@link GroupLayout#union} with its own
   */
  public PartialRecipient(long queryId, int grouping, GroupLayout layout, GroupLayout all) {
    this.queryId = queryId;
    this.grouping = grouping;
    this.layout = layout;
    this.places = all.placesOf(layout);
  }
}

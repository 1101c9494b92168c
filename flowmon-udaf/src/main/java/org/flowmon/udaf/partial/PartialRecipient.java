package org.flowmon.udaf.partial;

import org.flowmon.udaf.aggregate.GroupLayout;

/** A grouping of a query as a recipient of partial groups, which others may receive, too. */
public final class PartialRecipient {
  final long queryId;

  final int grouping;

  public final GroupLayout layout;

  /** By word of its groups' states, then by function: {@link GroupLayout#placesOf}. */
  final int[] places;

  /** A recipient; {@code all} is a {@link GroupLayout#union} with the recipient's layout. */
  public PartialRecipient(long queryId, int grouping, GroupLayout layout, GroupLayout all) {
    this.queryId = queryId;
    this.grouping = grouping;
    this.layout = layout;
    this.places = all.placesOf(layout);
  }
}

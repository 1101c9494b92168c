package org.flowmon.jobs.site.centre;

import java.util.Map;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.site.Publication;

/** Which of a site's publications groups of a live query are taken of. */
final class PublicationChoice {
  private final PublicationMatch matching;

  PublicationChoice(PublicationMatch matching) {
    this.matching = matching;
  }

  /** Of what a site publishes, that which has a grouping's groups; null where nothing has. */
  Publication of(MergedSite site, LiveQuery live, int grouping, Publication candidate) {
    Publication chosen =
        candidate != null && matching.serves(candidate, live, grouping) ? candidate : null;
    for (Publication publication : site.published().keySet()) {
      if (chosen != null && chosen.compareTo(publication) <= 0) {
        break;
      }
      if (matching.serves(publication, live, grouping)) {
        return publication;
      }
    }
    return chosen;
  }

  /**
   * Likewise for a window: before the first by name has all of its flows, the first of the same
   * windows that has.
   */
  Publication of(
      MergedSite site, LiveQuery live, int grouping, Publication candidate, long windowStart) {
    Publication first = of(site, live, grouping, candidate);
    if (first != null && site.published().getOrDefault(first, Long.MIN_VALUE) > windowStart) {
      for (Map.Entry<Publication, Long> other : site.published().entrySet()) {
        if (other.getValue() <= windowStart && standsIn(other.getKey(), first, live, grouping)) {
          return other.getKey();
        }
      }
    }
    return first;
  }

  /** Whether windows of a publication may be taken in the place of those of the chosen one. */
  boolean standsIn(Publication of, Publication chosen, LiveQuery live, int grouping) {
    return of.widthMicros() == chosen.widthMicros() && matching.serves(of, live, grouping);
  }
}

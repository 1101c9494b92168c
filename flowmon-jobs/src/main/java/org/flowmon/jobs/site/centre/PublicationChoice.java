package org.flowmon.jobs.site.centre;

import java.util.Map;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.site.Publication;

/** Chooses the publications of a site that serve a live query. */
final class PublicationChoice {
  private final PublicationMatch matching;

  PublicationChoice(PublicationMatch matching) {
    this.matching = matching;
  }

  /** Returns the publication of a site with a grouping's groups; null if there is none. */
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
   * Returns the publication for a window: the first by name or, if that lacks some of the window's
   * flows, the first of the same windows that has all.
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

  /** Whether windows of a publication may replace those of the chosen one. */
  boolean standsIn(Publication of, Publication chosen, LiveQuery live, int grouping) {
    return of.widthMicros() == chosen.widthMicros() && matching.serves(of, live, grouping);
  }
}

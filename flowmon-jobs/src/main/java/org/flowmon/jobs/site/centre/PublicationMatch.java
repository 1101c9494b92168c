package org.flowmon.jobs.site.centre;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.site.Publication;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.window.PublishedGroups;

/** Matches publications with the groupings of live queries. Not thread-safe. */
final class PublicationMatch {
  // The publications of sites are bounded, but not their changes.
  private static final int MAX_KNOWN = 4096;
  private static final int MAX_KNOWN_CHARS = 1 << 24;

  private final Map<Publication, Parsed> parsed = new HashMap<>();
  // Of the cached texts.
  private long chars;

  /** The query, or why it is invalid; by live query the groupings that it serves. */
  private record Parsed(FlowQuery query, String error, Map<Long, Set<Integer>> groupings) {}

  private Parsed of(Publication publication) {
    Parsed known = parsed.get(publication);
    if (known != null) {
      return known;
    }
    chars += publication.query().length();
    if (parsed.size() >= MAX_KNOWN || chars > MAX_KNOWN_CHARS) {
      parsed.clear();
      chars = publication.query().length();
    }
    Parsed now = parse(publication);
    parsed.put(publication, now);
    return now;
  }

  int known() {
    return parsed.size();
  }

  private static Parsed parse(Publication publication) {
    try {
      FlowQuery query = QueryParser.parse(publication.query());
      if (!query.parameters().isEmpty()) {
        throw new QueryException("a live query has no parameters");
      }
      PublishedGroups.check(query);
      return new Parsed(query, null, new HashMap<>());
    } catch (RuntimeException | StackOverflowError e) {
      return new Parsed(null, String.valueOf(e.getMessage()), Map.of());
    }
  }

  FlowQuery query(Publication publication) {
    return of(publication).query();
  }

  /** Whether it has a grouping's groups, in windows that add up to the live query's. */
  boolean serves(Publication publication, LiveQuery live, int grouping) {
    return windows(publication, live.window()) == null
        && groupings(publication, live).contains(grouping);
  }

  private Set<Integer> groupings(Publication publication, LiveQuery live) {
    Parsed of = of(publication);
    return of.query() == null
        ? Set.of()
        : of.groupings()
            .computeIfAbsent(
                live.id(), id -> Set.copyOf(PublishedGroups.groupings(of.query(), live.query())));
  }

  /** Why windows do not add up to a query's; null if they do. */
  private static String windows(Publication publication, WindowSpec window) {
    long width = publication.widthMicros();
    if (publication.timeColumn() != window.timeColumn()) {
      return "its windows are over " + publication.timeColumn().sqlName();
    }
    if (window.slideMicros() % width != 0) {
      return "its window of " + width + " us does not divide " + window.slideMicros() + " us";
    }
    if (publication.spread() != window.spread()
        || (window.spread() && window.slideMicros() != width)) {
      return "flows are divided among windows in another way";
    }
    if (publication.latenessMicros() > window.latenessMicros()) {
      return "its windows are final only " + publication.latenessMicros() + " us after their end";
    }
    return null;
  }

  String why(Publication publication, Iterable<LiveQuery> all) {
    Parsed of = of(publication);
    if (of.query() == null) {
      return of.error();
    }
    String near = null;
    for (LiveQuery live : all) {
      String windows = windows(publication, live.window());
      boolean groups = !groupings(publication, live).isEmpty();
      if (windows == null && groups) {
        return "another publication of the site has the groups of " + live.analysis().name();
      }
      if (windows != null && groups) {
        near = "it has the groups of " + live.analysis().name() + ", but " + windows;
      } else if (near == null
          && Objects.equals(of.query().where(), live.query().where())
          && of.query().groupBy().equals(live.query().groupBy())) {
        near =
            "it has the filter and keys of "
                + live.analysis().name()
                + ", but not all of its aggregates";
      }
    }
    return near == null ? "no analysis here has its filter and keys" : near;
  }

  /** What a live query needs of such a site, and what its nearest publication lacks. */
  String lacks(Iterable<Publication> published, LiveQuery live) {
    int nearest = -1;
    String has = "it publishes nothing";
    for (Publication publication : published) {
      FlowQuery query = of(publication).query();
      if (query == null) {
        continue;
      }
      boolean filter = Objects.equals(query.where(), live.query().where());
      boolean keys = query.groupBy().equals(live.query().groupBy());
      boolean groups = !groupings(publication, live).isEmpty();
      int near = groups ? 4 : (filter ? 1 : 0) + (keys ? 2 : 0);
      if (near > nearest) {
        nearest = near;
        String windows = groups ? windows(publication, live.window()) : null;
        has =
            "%s is the nearest%s, has %s"
                .formatted(
                    publication.analysis(), windows == null ? "" : ", but " + windows, said(query));
      }
    }
    return has + "; needed " + said(live.query());
  }

  private static String said(FlowQuery query) {
    return "%s by %s%s"
        .formatted(
            query.aggregates(),
            query.groupBy(),
            query.where() == null ? "" : " where " + query.where());
  }

  void queriesChanged(List<Long> gone) {
    parsed.values().stream()
        .filter(of -> of.query() != null)
        .forEach(of -> of.groupings().keySet().removeAll(gone));
  }
}

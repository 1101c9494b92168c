package org.flowmon.jobs.site.centre;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.site.Publication;
import org.flowmon.udaf.enrich.Enrichment;
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
  private record Parsed(
      Optional<FlowQuery> query, String error, Map<Long, Set<Integer>> groupings) {}

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
      // As the live queries are that it is compared with.
      FlowQuery query = QueryParser.parse(publication.query()).enriched(Enrichment.NONE);
      if (!query.parameters().isEmpty()) {
        throw new QueryException("a live query has no parameters");
      }
      PublishedGroups.check(query);
      return new Parsed(Optional.of(query), "", new HashMap<>());
    } catch (RuntimeException | StackOverflowError e) {
      return new Parsed(Optional.empty(), String.valueOf(e.getMessage()), Map.of());
    }
  }

  Optional<FlowQuery> query(Publication publication) {
    return of(publication).query();
  }

  /** Whether it has a grouping's groups, in windows that add up to the live query's. */
  boolean serves(Publication publication, LiveQuery live, int grouping) {
    return misfit(publication, live.window()).isEmpty()
        && groupings(publication, live).contains(grouping);
  }

  private Set<Integer> groupings(Publication publication, LiveQuery live) {
    Parsed of = of(publication);
    return of.query()
        .map(
            query ->
                of.groupings()
                    .computeIfAbsent(
                        live.id(),
                        id -> Set.copyOf(PublishedGroups.groupings(query, live.query()))))
        .orElse(Set.of());
  }

  /** Why windows do not add up to a query's; empty if they do. */
  private static Optional<String> misfit(Publication publication, WindowSpec window) {
    long width = publication.widthMicros();
    if (publication.timeColumn() != window.timeColumn()) {
      return Optional.of("its windows are over " + publication.timeColumn().sqlName());
    }
    if (window.slideMicros() % width != 0) {
      return Optional.of(
          "its window of " + width + " us does not divide " + window.slideMicros() + " us");
    }
    if (publication.spread() != window.spread()
        || (window.spread() && window.slideMicros() != width)) {
      return Optional.of("flows are divided among windows in another way");
    }
    if (publication.latenessMicros() > window.latenessMicros()) {
      return Optional.of(
          "its windows are final only " + publication.latenessMicros() + " us after their end");
    }
    return Optional.empty();
  }

  String why(Publication publication, Iterable<LiveQuery> all) {
    Parsed of = of(publication);
    if (of.query().isEmpty()) {
      return of.error();
    }
    FlowQuery query = of.query().get();
    Optional<String> near = Optional.empty();
    for (LiveQuery live : all) {
      Optional<String> misfit = misfit(publication, live.window());
      boolean groups = !groupings(publication, live).isEmpty();
      if (misfit.isEmpty() && groups) {
        return "another publication of the site has the groups of " + live.analysis().name();
      }
      if (groups) {
        near = misfit.map(why -> "it has the groups of " + live.analysis().name() + ", but " + why);
      } else if (near.isEmpty()
          && Objects.equals(query.where(), live.query().where())
          && query.groupBy().equals(live.query().groupBy())) {
        near =
            Optional.of(
                "it has the filter and keys of "
                    + live.analysis().name()
                    + ", but not all of its aggregates");
      }
    }
    return near.orElse("no analysis here has its filter and keys");
  }

  /** What a live query needs of such a site, and what its nearest publication lacks. */
  String lacks(Iterable<Publication> published, LiveQuery live) {
    int nearest = -1;
    String has = "it publishes nothing";
    for (Publication publication : published) {
      Optional<FlowQuery> parsed = of(publication).query();
      if (parsed.isEmpty()) {
        continue;
      }
      FlowQuery query = parsed.get();
      boolean filter = Objects.equals(query.where(), live.query().where());
      boolean keys = query.groupBy().equals(live.query().groupBy());
      boolean groups = !groupings(publication, live).isEmpty();
      int near = groups ? 4 : (filter ? 1 : 0) + (keys ? 2 : 0);
      if (near > nearest) {
        nearest = near;
        Optional<String> misfit = groups ? misfit(publication, live.window()) : Optional.empty();
        has =
            "%s is the nearest%s, has %s"
                .formatted(
                    publication.analysis(),
                    misfit.map(why -> ", but " + why).orElse(""),
                    said(query));
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
        .filter(of -> of.query().isPresent())
        .forEach(of -> of.groupings().keySet().removeAll(gone));
  }
}

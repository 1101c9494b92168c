package org.flowmon.jobs.site.centre;

import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.site.Publication;
import org.flowmon.udaf.pane.WindowSpec;

/** Tells later operators which sites are missing in results of live queries, wholly or in part. */
final class LackingSites {
  private final MergedQueries queries;
  private final int keyGroups;
  private final Consumer<Partial> out;

  LackingSites(MergedQueries queries, int keyGroups, Consumer<Partial> out) {
    this.queries = queries;
    this.keyGroups = keyGroups;
    this.out = out;
  }

  /** Of results complete through an arrival in ({@code through}, {@code next}], the progress. */
  void tellProgress(LiveQuery live, MergedSite site, long through, long next) {
    long begins = Long.MIN_VALUE;
    long lostUntil = site.lostAfter();
    boolean hasAll = true;
    for (int grouping = 0; grouping < queries.groupings(live); grouping++) {
      Optional<Publication> chosen = queries.chosen(site, live, grouping);
      hasAll &= chosen.isPresent();
      long whole = chosen.isEmpty() ? Long.MIN_VALUE : Long.MAX_VALUE;
      for (Map.Entry<Publication, Long> one : site.published().entrySet()) {
        if (chosen.isPresent() && queries.standsIn(one.getKey(), chosen.get(), live, grouping)) {
          begins = Math.max(begins, lacking(live, one.getKey(), site.since()));
          lostUntil = Math.max(lostUntil, lacking(live, one.getKey(), site.lostUntil()));
          whole = Math.min(whole, one.getValue());
        }
      }
      if (whole != Long.MIN_VALUE) {
        // The last window without all of its flows begins right before that.
        WindowSpec window = live.window();
        begins = Math.max(begins, whole - 1 + window.widthMicros() + window.latenessMicros());
      }
    }
    if (!hasAll) {
      tell(live, site, through, next);
      return;
    }
    tell(live, site, through, Math.min(next, begins));
    tell(
        live,
        site,
        Math.max(through, Math.max(begins, site.lostAfter())),
        Math.min(next, lostUntil));
    long whole = Math.max(begins, site.lostAfter() == Long.MAX_VALUE ? begins : lostUntil);
    tell(live, site, Math.max(through, Math.max(whole, site.through())), next);
  }

  /**
   * The arrival through which results may lack a publication's windows that were final by a time;
   * the time itself if MIN_VALUE or MAX_VALUE.
   */
  private static long lacking(LiveQuery live, Publication of, long time) {
    if (time == Long.MIN_VALUE || time == Long.MAX_VALUE) {
      return time;
    }
    WindowSpec window = live.window();
    long ended = time - of.latenessMicros();
    long end = ended - Math.floorMod(ended, of.widthMicros());
    // The last window that contains it begins with it.
    return end - of.widthMicros() + window.widthMicros() + window.latenessMicros();
  }

  /** Of results complete through an arrival in ({@code after}, {@code until}]. */
  void tell(LiveQuery live, MergedSite site, long after, long until) {
    if (after < until) {
      out.accept(
          new Partial.Missing(live.keyGroup(keyGroups), live.id(), site.name(), after, until));
    }
  }

  /** Of results after {@code through} with windows that overlap [start, end). */
  void tellSpan(LiveQuery live, MergedSite site, long through, long start, long end) {
    WindowSpec window = live.window();
    tell(
        live,
        site,
        Math.max(through, start + window.latenessMicros()),
        end - 1 + window.widthMicros() + window.latenessMicros());
  }
}

package org.flowmon.jobs.site;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the states of a site's job: each final window once, and the progress of time; after a
 * restart everything since the checkpoint again, as another attempt. Metrics: {@code
 * published_windows}, {@code published_bytes}, {@code published_messages}; {@code
 * unpublished_windows}: more groups than the analysis may hold, or too large states.
 */
public final class SitePublisher {
  private static final Logger LOG = LoggerFactory.getLogger(SitePublisher.class);
  private static final long SECOND = 1_000_000;
  private static final byte[] NONE = {};

  private final String site;
  private final Supplier<List<StatesMessage.Published>> publications;
  private final Consumer<StatesRecord> out;
  private final long attempt = new SecureRandom().nextLong();
  private final Counter windows;
  private final Counter bytes;
  private final Counter messages;
  private final Counter unpublished;
  // In the last progress.
  private final Set<Publication> said = new TreeSet<>();
  // They did not fit into it; each logged once.
  private final Set<Publication> leftOut = new TreeSet<>();
  // The restored progress, not sent by this attempt.
  private long through;
  private boolean hasBegun;
  private boolean hasNews;
  // Of the next message.
  private long number;

  /** {@code through}: the progress of earlier attempts; {@link Long#MIN_VALUE}: there were none. */
  public SitePublisher(
      String site,
      long through,
      Supplier<List<StatesMessage.Published>> publications,
      Consumer<StatesRecord> out,
      MetricGroup metrics) {
    this.site = site;
    this.through = through;
    this.publications = publications;
    this.out = out;
    this.windows = metrics.counter("published_windows");
    this.bytes = metrics.counter("published_bytes");
    this.messages = metrics.counter("published_messages");
    this.unpublished = metrics.counter("unpublished_windows");
  }

  public static StatesMessage.Published published(LiveQuery live, long wholeFrom) {
    return new StatesMessage.Published(Publication.of(live), wholeFrom);
  }

  /** {@code counts}: arrivals within the window; null {@code states}: too many groups. */
  public void window(
      LiveQuery live, long windowEnd, ArrivalCounts counts, byte @Nullable [] states) {
    Publication publication = Publication.of(live);
    if (!hasBegun || !said.contains(publication)) {
      progress(); // first, so that a reader knows all publications to choose from
    }
    boolean fits = states != null && states.length <= StatesMessage.MAX_WINDOW_BYTES;
    if (!fits) {
      unpublished.inc();
      if (Long.bitCount(unpublished.getCount()) == 1) {
        LOG.error(
            "analysis {}: the states of the window that ends at {} µs are not published ({} so"
                + " far): {}",
            live.analysis().name(),
            windowEnd,
            unpublished.getCount(),
            states == null
                ? "more groups than live.groups"
                : states.length + " bytes, expected at most " + StatesMessage.MAX_WINDOW_BYTES);
      }
    }
    windows.inc(fits ? 1 : 0);
    byte[] sent = states == null || !fits ? NONE : states;
    StatesMessage.parts(attempt, number, site, publication, windowEnd, counts, sent)
        .forEach(this::send);
    hasNews = true;
  }

  /** Sends, if new, that all windows with end + lateness by then, in µs, were published. */
  public void reached(long completeThrough) {
    if (completeThrough == Long.MIN_VALUE) {
      return; // the watermark has not begun
    }
    if (!hasBegun) {
      progress(); // so that a reader knows from when on it has all messages
    }
    boolean isSecond = through == Long.MIN_VALUE || completeThrough - through >= SECOND;
    if (completeThrough > through && (hasNews || isSecond)) {
      through = completeThrough;
      progress();
      hasNews = false;
    }
  }

  private void progress() {
    hasBegun = true;
    said.clear();
    List<StatesMessage.Published> fitting = new ArrayList<>();
    int room = StatesMessage.MAX_BYTES - 256;
    for (StatesMessage.Published one : publications.get()) {
      said.add(one.publication());
      room -= 3 * one.publication().query().length() + 128;
      if (room >= 0 && fitting.size() < StatesMessage.MAX_PUBLICATIONS) {
        fitting.add(one);
      } else if (leftOut.add(one.publication())) {
        LOG.error(
            "analysis {}: there are too many publications for one message; merging jobs do not"
                + " learn of this one",
            one.publication().analysis());
      }
    }
    send(new StatesMessage.Progress(attempt, number, site, through, fitting));
  }

  private void send(StatesMessage message) {
    byte[] value = message.toBytes();
    number++;
    messages.inc();
    bytes.inc(value.length);
    out.accept(new StatesRecord(0, value));
  }
}

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a site's job says of its states: each final window once, and how far it has come. After a
 * restart it says again what it had said since the checkpoint, as another attempt.
 *
 * <p>Metrics: {@code published_windows}, {@code published_bytes}, {@code published_messages};
 * {@code unpublished_windows}, which have more groups than the analysis may hold or larger states.
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
  // What the last progress said.
  private final Set<Publication> said = new TreeSet<>();
  // What did not fit into it, which is logged once.
  private final Set<Publication> leftOut = new TreeSet<>();
  // What had been said when the state was written: nobody was told of it by this attempt.
  private long through;
  private boolean hasBegun;
  private boolean hasNews;
  // Of the next message.
  private long number;

  /**
   * Nothing said yet by this attempt.
   *
   * @param through what earlier ones had come to; {@link Long#MIN_VALUE}: there were none
   * @param publications what is published now
   */
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

  /** What is said of an analysis that publishes. */
  public static StatesMessage.Published published(LiveQuery live, long wholeFrom) {
    return new StatesMessage.Published(Publication.of(live), wholeFrom);
  }

  /**
   * Publishes a final window.
   *
   * @param counts what arrived within it
   * @param states all of its groups; null where there are too many
   */
  public void window(LiveQuery live, long windowEnd, ArrivalCounts counts, byte[] states) {
    Publication publication = Publication.of(live);
    if (!hasBegun || !said.contains(publication)) {
      progress(); // it comes first, so that a reader knows all there is to choose from
    }
    boolean fits = states != null && states.length <= StatesMessage.MAX_WINDOW_BYTES;
    if (!fits) {
      unpublished.inc();
      if (Long.bitCount(unpublished.getCount()) == 1) {
        LOG.error(
            "analysis {}: the states of the window that ends at {} us are not published ({} so"
                + " far): {}",
            live.analysis().name(),
            windowEnd,
            unpublished.getCount(),
            states == null
                ? "it has more groups than live.groups"
                : states.length + " bytes, at most " + StatesMessage.MAX_WINDOW_BYTES);
      }
    }
    windows.inc(fits ? 1 : 0);
    StatesMessage.parts(attempt, number, site, publication, windowEnd, counts, fits ? states : NONE)
        .forEach(this::send);
    hasNews = true;
  }

  /**
   * Says that all windows were published that end + lateness by then, where that is news.
   *
   * @param completeThrough in microseconds
   */
  public void reached(long completeThrough) {
    if (completeThrough == Long.MIN_VALUE) {
      return; // the watermark has not begun
    }
    if (!hasBegun) {
      progress(); // so that a reader knows from when on it has heard all
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
            "analysis {} is one too many to be published: those who merge are not told of it",
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

package org.flowmon.archive.query.scan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.query.filter.DictionaryFilter;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.query.posting.PostingSearch;
import org.flowmon.archive.segment.SealedSegment;

/**
 * The unit of one thread's work: a share of a segment's rows within the query. The first thread at
 * a segment searches its postings and dictionaries, once for all pieces.
 *
 * @param number of the piece, from 0
 * @param of number of the segment's pieces
 */
public record SegmentPiece(SealedSegment segment, int number, int of, Findings findings) {
  // With so many segments for each thread, threads end at about the same time anyway.
  private static final int SEGMENTS_PER_THREAD = 8;

  /** Finds rows by postings, or values by dictionaries. */
  @FunctionalInterface
  interface Search<T> {
    T run();
  }

  /** Search results for all pieces of a segment. Safe for many threads. */
  public static final class Findings {
    private int left; // pieces of the segment that are not done
    private boolean isExactKnown;
    private RowSet exact;
    private boolean isFoundKnown;
    private PostingSearch.Found found;
    private DictionaryFilter dictionary;

    public Findings(int pieces) {
      this.left = pieces;
    }

    /** The exact rows that pass the filter, null if postings alone do not suffice. */
    synchronized RowSet exact(Search<RowSet> search) {
      exact = isExactKnown ? exact : search.run();
      isExactKnown = true;
      return exact;
    }

    /** The rows that may pass the filter by postings, null if a scan is cheaper. */
    synchronized PostingSearch.Found found(Search<PostingSearch.Found> search) {
      found = isFoundKnown ? found : search.run();
      isFoundKnown = true;
      return found;
    }

    /** The dictionaries' decisions on the filter. */
    synchronized DictionaryFilter dictionary(Search<DictionaryFilter> search) {
      dictionary = dictionary == null ? search.run() : dictionary;
      return dictionary;
    }

    /** Frees the results with the last piece: those of many segments would be large. */
    public synchronized void pieceDone() {
      left--;
      if (left == 0) {
        exact = null;
        found = null;
        dictionary = null;
      }
    }

    synchronized boolean isEmpty() {
      return exact == null && found == null && dictionary == null;
    }
  }

  /** Each segment as one piece. */
  public static List<SegmentPiece> whole(List<SealedSegment> segments) {
    return segments.stream().map(s -> new SegmentPiece(s, 0, 1, new Findings(1))).toList();
  }

  /**
   * The segments, large ones in pieces if they are too few to keep all threads busy.
   *
   * @param minRows smaller pieces cost more to begin than they help threads to end together
   */
  public static List<SegmentPiece> cut(List<SealedSegment> segments, int threads, int minRows) {
    if (threads == 1 || segments.size() >= SEGMENTS_PER_THREAD * threads) {
      return whole(segments);
    }
    // First one piece of each segment, so that threads do not begin with the same postings.
    List<SegmentPiece> pieces = cutInOrder(segments, threads, minRows);
    pieces.sort(Comparator.comparingInt(SegmentPiece::number));
    return pieces;
  }

  /** As {@link #cut}, with the pieces of a segment in sequence. */
  public static List<SegmentPiece> cutInOrder(
      List<SealedSegment> segments, int threads, int minRows) {
    List<SegmentPiece> pieces = new ArrayList<>();
    for (SealedSegment segment : segments) {
      int of = Math.max(1, Math.min(threads, segment.rows() / minRows));
      Findings findings = new Findings(of);
      for (int number = 0; number < of; number++) {
        pieces.add(new SegmentPiece(segment, number, of, findings));
      }
    }
    return pieces;
  }

  /** Whether counts by segment are made with this piece. */
  public boolean isFirst() {
    return number == 0;
  }

  /** This piece's share of the segment's rows. */
  RowRanges share(RowRanges ranges) {
    return ranges.share(number, of);
  }

  /** This piece's share of the rows that postings found. */
  RowSet share(RowSet rows) {
    long size = rows.size();
    return rows.slice((int) (size * number / of), (int) (size * (number + 1) / of));
  }
}

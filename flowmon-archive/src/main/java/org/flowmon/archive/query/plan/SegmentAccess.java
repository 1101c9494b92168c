package org.flowmon.archive.query.plan;

/**
 * The access of a query to one segment.
 *
 * @param segment its id
 * @param rows its rows but expired ones
 * @param way the cheapest of its pieces, {@link Way#NONE} only if it is that of all
 * @param pieces that threads shared the rows in, at least 1
 * @param rowsPlanned rows that its access path was expected to examine
 * @param bytesPlanned as {@code bytesRead}, if the filter keeps none of these rows
 * @param valuesDecided values of its dictionaries on which terms of the filter were evaluated, once
 *     for all pieces
 * @param cells that replaced rows
 * @param bytesRead encoded bytes of the columns' values that were read: of each examined row the
 *     filter's, of each kept row those that only the answer needs
 */
public record SegmentAccess(
    String segment,
    long rows,
    Way way,
    int pieces,
    long rowsPlanned,
    long bytesPlanned,
    long rowsExamined,
    long rowsMatched,
    long valuesDecided,
    long cells,
    long bytesRead) {
  public static SegmentAccess ofPieces(SegmentAccess one, SegmentAccess other) {
    return new SegmentAccess(
        one.segment,
        one.rows,
        ofWays(one.way, other.way),
        one.pieces + other.pieces,
        one.rowsPlanned + other.rowsPlanned,
        one.bytesPlanned + other.bytesPlanned,
        one.rowsExamined + other.rowsExamined,
        one.rowsMatched + other.rowsMatched,
        one.valuesDecided + other.valuesDecided,
        one.cells + other.cells,
        one.bytesRead + other.bytesRead);
  }

  private static Way ofWays(Way one, Way other) {
    boolean isOne = other == Way.NONE || (one != Way.NONE && one.compareTo(other) < 0);
    return isOne ? one : other;
  }

  /** The ways to find the rows of a segment, cheapest first. */
  public enum Way {
    /** It was opened, and holds no matching row, by its columns or times. */
    NONE("nothing in question"),
    /** By rollups, but for rows of hours that the query's times cut. */
    SUMS("sums"),
    /** By posting lists, each the rows of one group's first key. */
    LISTS("lists"),
    INDEX("index"),
    /** By a scan of the rows within the query's times, if its dictionaries admit any. */
    SCAN("scan");

    private final String text;

    Way(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}

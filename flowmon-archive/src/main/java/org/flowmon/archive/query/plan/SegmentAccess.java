package org.flowmon.archive.query.plan;

/**
 * How one segment answered a query.
 *
 * @param segment its id
 * @param rows that it holds, without those that expired
 * @param way how its rows were found
 * @param pieces in how many pieces threads shared its rows, at least 1
 * @param rowsExamined rows on which a filter was evaluated
 * @param rowsMatched rows that the filter kept
 * @param valuesDecided values of its dictionaries on which terms of the filter were evaluated, once
 *     for all pieces
 * @param cells sums that stood for rows
 * @param bytesRead encoded bytes of the columns' values that were looked at: of each examined row
 *     the filter's, of each kept row those that only the answer needs
 */
public record SegmentAccess(
    String segment,
    long rows,
    Way way,
    int pieces,
    long rowsExamined,
    long rowsMatched,
    long valuesDecided,
    long cells,
    long bytesRead) {
  /** Of pieces of a segment, in any order, what they are together. */
  public static SegmentAccess ofPieces(SegmentAccess one, SegmentAccess other) {
    return new SegmentAccess(
        one.segment,
        one.rows,
        one.way == Way.NONE ? other.way : one.way, // the first piece tells
        one.pieces + other.pieces,
        one.rowsExamined + other.rowsExamined,
        one.rowsMatched + other.rowsMatched,
        one.valuesDecided + other.valuesDecided,
        one.cells + other.cells,
        one.bytesRead + other.bytesRead);
  }

  /** How the rows of a segment are found, cheapest first. */
  public enum Way {
    /** It was opened, and holds no row in question: by the columns that it has, or by times. */
    NONE("nothing in question"),
    /** By sums of its rows, but for rows of hours that the query's times cut. */
    SUMS("sums"),
    /** By posting lists, each the rows of one group's first key. */
    LISTS("lists"),
    /** By posting lists. */
    INDEX("index"),
    /** By going over the rows of the query's times, if its dictionaries admit any. */
    SCAN("scan");

    private final String text;

    Way(String text) {
      this.text = text;
    }

    /** For people. */
    @Override
    public String toString() {
      return text;
    }
  }
}

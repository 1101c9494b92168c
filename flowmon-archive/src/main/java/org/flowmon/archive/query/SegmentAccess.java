package org.flowmon.archive.query;

/**
 * How one segment answered a query.
 *
 * @param segment its id
 * @param rows that it holds, without those that expired
 * @param way how its rows were found
 * @param rowsExamined rows on which a filter was evaluated
 * @param rowsMatched rows that the filter kept
 * @param cells sums that stood for rows
 * @param bytesRead as {@link QueryStats#bytesRead}
 */
public record SegmentAccess(
    String segment,
    long rows,
    Way way,
    long rowsExamined,
    long rowsMatched,
    long cells,
    long bytesRead) {

  /** How the rows of a segment are found, cheapest first. */
  public enum Way {
    /** It was opened, and holds no row in question: by the columns that it has, or by times. */
    NONE("nothing in question"),
    /** By sums of its rows, but for rows of hours that the query's times cut. */
    SUMS("sums"),
    /** By posting lists. */
    INDEX("index"),
    /** By going over the rows of the query's times, where its dictionaries admit any. */
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

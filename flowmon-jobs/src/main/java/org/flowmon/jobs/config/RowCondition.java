package org.flowmon.jobs.config;

import java.io.Serializable;

/**
 * A condition over the rows of a report, as written; it is checked once the report's columns are
 * known.
 *
 * @param text an expression of the query dialect
 * @param place file, line and key, for errors
 */
public record RowCondition(String text, String place) implements Serializable {
  /** Compares the text alone, not the place. */
  @Override
  public boolean equals(Object other) {
    return other instanceof RowCondition that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}

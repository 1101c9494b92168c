package org.flowmon.jobs.config;

import java.io.Serializable;

/**
 * A condition over the rows of a report, as written; it is checked where the report's columns are
 * known.
 *
 * @param text an expression of the query dialect
 * @param place where it stands, as errors call it: file, line and key
 */
public record RowCondition(String text, String place) implements Serializable {
  /** Conditions of the same text are the same, wherever they stand. */
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

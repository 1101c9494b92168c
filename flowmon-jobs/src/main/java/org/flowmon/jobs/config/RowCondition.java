package org.flowmon.jobs.config;

import java.io.Serializable;

/** A condition over a report's rows in the query dialect; checked once the columns are known. */
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

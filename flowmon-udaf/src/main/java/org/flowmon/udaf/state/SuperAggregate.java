package org.flowmon.udaf.state;

/** The high half of a function. Used by one thread, with all the states that it made. */
public interface SuperAggregate {
  /** INITIALIZE: makes a state without rows, of little memory: most groups are small. */
  SuperState initialize();
}

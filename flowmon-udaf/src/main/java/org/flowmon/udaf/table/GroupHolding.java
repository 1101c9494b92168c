package org.flowmon.udaf.table;

/**
 * What there is of some groups.
 *
 * @param groups how many
 * @param stateBytes what a budget counts for the states of their functions
 */
record GroupHolding(long groups, long stateBytes) {
  static final GroupHolding NONE = new GroupHolding(0, 0);

  GroupHolding plus(GroupHolding more) {
    return new GroupHolding(groups + more.groups, stateBytes + more.stateBytes);
  }

  GroupHolding minus(GroupHolding less) {
    return new GroupHolding(groups - less.groups, stateBytes - less.stateBytes);
  }

  boolean fits(GroupLimit limit) {
    return groups <= limit.groups() && stateBytes <= limit.stateBytes();
  }
}

package org.flowmon.udaf.group;

/**
 * Group count and state bytes charged to a budget.
 *
 * @param groups the number of groups
 * @param stateBytes the bytes charged for the states of their functions
 */
public record GroupHolding(long groups, long stateBytes) {
  public static final GroupHolding NONE = new GroupHolding(0, 0);

  public GroupHolding plus(GroupHolding more) {
    return new GroupHolding(groups + more.groups, stateBytes + more.stateBytes);
  }

  public GroupHolding minus(GroupHolding less) {
    return new GroupHolding(groups - less.groups, stateBytes - less.stateBytes);
  }

  public boolean fits(GroupLimit limit) {
    return groups <= limit.groups() && stateBytes <= limit.stateBytes();
  }
}

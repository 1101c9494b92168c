package org.flowmon.udaf.group;

/** Group count and bytes of function states charged to a budget. */
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

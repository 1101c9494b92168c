package org.flowmon.udaf.query;

/**
 * One item of ORDER BY. NULLs come last unless the query says NULLS FIRST, whatever the direction.
 */
public record OrderItem(Expression what, boolean descending, boolean nullsFirst) {}

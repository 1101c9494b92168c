package org.flowmon.udaf.query;

/** NULLs come last in ORDER BY unless the query says NULLS FIRST, whatever the direction. */
public record OrderItem(Expression what, boolean descending, boolean nullsFirst) {}

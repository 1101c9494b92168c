/**
 * Aggregate functions that a query calls by name, in two halves: a sub-aggregate that works in a
 * fixed scratchpad at the low level, and a super-aggregate that merges what the other sends. {@link
 * org.flowmon.udaf.function.Udaf} is where to begin; docs/api.md tells how to write one.
 */
package org.flowmon.udaf.function;

package org.flowmon.udaf.query;

/**
 * What a select or order item stands for: an expression over a row or an aggregate over a group.
 */
public sealed interface Selected permits Expression, AggregateCall {
  /** The kind of its values; null where only a parameter's value or NULL would tell. */
  ValueKind kind();
}

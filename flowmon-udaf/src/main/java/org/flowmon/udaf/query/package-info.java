/**
 * Queries as trees: expressions, aggregates and clauses, with type checks and binding of
 * parameters.
 */
package org.flowmon.udaf.query;

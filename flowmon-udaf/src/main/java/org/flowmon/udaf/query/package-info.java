/**
 * Queries as trees: expressions, aggregates and clauses, with type checks and binding of
 * parameters.
 */
@NullMarked
package org.flowmon.udaf.query;

import org.jspecify.annotations.NullMarked;

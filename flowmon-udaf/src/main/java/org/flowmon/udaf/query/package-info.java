/**
 * Queries as trees: expressions, aggregates and clauses; whether their parts fit each other, and
 * how parameters get their values.
 */
package org.flowmon.udaf.query;

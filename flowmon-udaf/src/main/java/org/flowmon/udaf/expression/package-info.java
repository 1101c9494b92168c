/** Evaluates expressions of queries over ranges of rows, a vector of values at a time. */
package org.flowmon.udaf.expression;

/**
 * Compiles expressions and filters of queries and evaluates them over ranges of rows; equal ones of
 * several queries once.
 */
@NullMarked
package org.flowmon.udaf.expression;

import org.jspecify.annotations.NullMarked;

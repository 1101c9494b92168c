/**
 * Tuning of low-level tables: the number of slots they need, and the cheapest low halves of
 * functions, found by trials.
 */
@NullMarked
package org.flowmon.udaf.tuning;

import org.jspecify.annotations.NullMarked;

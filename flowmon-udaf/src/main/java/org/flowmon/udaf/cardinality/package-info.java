/**
 * Counts of different values and of rare values: {@link
 * org.flowmon.udaf.cardinality.ApproxCountDistinct}, and {@link
 * org.flowmon.udaf.cardinality.DistinctSample} for comparing sets.
 */
@NullMarked
package org.flowmon.udaf.cardinality;

import org.jspecify.annotations.NullMarked;

/**
 * How many different values there are, and how many of them are rare: {@link
 * org.flowmon.udaf.cardinality.ApproxCountDistinct}, and {@link
 * org.flowmon.udaf.cardinality.DistinctSample} where sets are to be compared.
 */
package org.flowmon.udaf.cardinality;

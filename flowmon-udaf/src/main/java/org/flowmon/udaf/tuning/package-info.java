/**
 * Tuning of low-level tables: the number of slots they need, and the cheapest low halves of
 * functions, found by trials.
 */
package org.flowmon.udaf.tuning;

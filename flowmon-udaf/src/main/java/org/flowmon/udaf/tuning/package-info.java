/**
 * What tables of the low level are made of: how many slots they need, and which low halves of
 * functions are cheapest, found by trials.
 */
package org.flowmon.udaf.tuning;

/**
 * Fixed sets of numbers and addresses: disjoint ranges with set operations, and tables for lookups
 * of rows.
 */
package org.flowmon.udaf.set;

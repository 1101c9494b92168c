/**
 * Fixed sets of numbers and addresses: disjoint ranges with set operations, and tables for lookups
 * of rows.
 */
@NullMarked
package org.flowmon.udaf.set;

import org.jspecify.annotations.NullMarked;

/**
 * Necessary conditions on the rows that a filter keeps, as ranges per column: for pruning reads.
 */
package org.flowmon.udaf.constraint;

/**
 * What every row that a filter keeps must satisfy, as ranges per column: for pruning what need not
 * be read.
 */
package org.flowmon.udaf.constraint;

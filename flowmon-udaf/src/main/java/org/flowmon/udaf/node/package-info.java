/**
 * The parts of a compiled expression, each of which evaluates a vector of rows from those of its
 * own parts.
 */
package org.flowmon.udaf.node;

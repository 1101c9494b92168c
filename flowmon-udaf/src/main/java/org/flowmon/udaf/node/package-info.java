/**
 * The nodes of a compiled expression. Each evaluates a vector of rows from its children's vectors.
 */
package org.flowmon.udaf.node;

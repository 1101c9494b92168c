/**
 * The nodes of a compiled expression. Each evaluates a vector of rows from its children's vectors.
 */
@NullMarked
package org.flowmon.udaf.node;

import org.jspecify.annotations.NullMarked;

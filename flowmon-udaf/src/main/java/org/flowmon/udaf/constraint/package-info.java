/**
 * Necessary conditions on the rows that a filter keeps, as ranges per column: for pruning reads.
 */
@NullMarked
package org.flowmon.udaf.constraint;

import org.jspecify.annotations.NullMarked;

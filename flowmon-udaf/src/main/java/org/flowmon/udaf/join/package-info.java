/** Joins of results: which rows belong together, and their columns. */
@NullMarked
package org.flowmon.udaf.join;

import org.jspecify.annotations.NullMarked;
